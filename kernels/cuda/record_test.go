package cuda_test

import (
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/driver"
	"convect/kernels/cuda/emulation"
)

// graphs is a GPU that counts the graphs it launches.
type graphs struct {
	driver.GPU
	driver.Recorder
	launched int
}

// graph counts its launches.
type graph struct {
	driver.Graph
	of *graphs
}

func (g *graphs) EndCapture() (driver.Graph, error) {
	own, err := g.Recorder.EndCapture()
	if err != nil {
		return nil, err
	}
	return graph{own, g}, nil
}

func (g graph) Launch() error {
	g.of.launched++
	return g.Graph.Launch()
}

// Kernels of a recording run in their order, with a graph and, where there are none but those before it, without: x becomes 2 x + 1, then 3 x + 1 and so on.
func TestRecordingsOfAnyLength(t *testing.T) {
	emulated := emulation.New(emulation.Options{})
	gpu := &graphs{GPU: emulated, Recorder: any(emulated).(driver.Recorder)}
	d := must[*cuda.Device](t)(cuda.New(gpu))
	defer d.Close()
	x, one := must[kernels.Buffer](t)(d.Alloc(kernels.Float64, 3)), must[kernels.Buffer](t)(d.Alloc(kernels.Float64, 3))
	d.Fill(kernels.FillArgs{X: one, Value: 1})
	for length := range 9 {
		record := d.Record(func() {
			for n := range length {
				d.Combine(kernels.CombineArgs{Out: x, C: [4]float64{float64(n + 2), 1}, X: [4]kernels.Buffer{x, one}})
			}
		})
		if record == nil {
			t.Fatalf("%d kernels are not recorded", length)
		}
		d.Fill(kernels.FillArgs{X: x, Value: 3})
		gpu.launched = 0
		want := 3.0
		for range 2 {
			if !record.Replay() {
				t.Fatalf("%d kernels are not replayed", length)
			}
			for n := range length {
				want = float64(n+2)*want + 1
			}
		}
		got := make([]float64, 3)
		if err := d.Download(got, x); err != nil {
			t.Fatal(err)
		}
		if got[0] != want || got[2] != want {
			t.Errorf("%d kernels make %g of 3, want %g", length, got, want)
		}
		few := length <= cuda.MostLed
		if few != (gpu.launched == 0) {
			t.Errorf("%d kernels launch %d graphs", length, gpu.launched)
		}
		record.Free()
	}
}
