package bench

import (
	"errors"
	"io"
	"math"
	"testing"
	"time"

	"convect/cmd/convect/bench/report"
	"convect/kernels"
	"convect/kernels/cpu"
)

// here runs benchmarks on the host.
func here() Environment {
	return Environment{Command: "test", Version: "test",
		Open: func(threads int) (kernels.Device, error) { return cpu.New(cpu.Options{Threads: threads}) }}
}

// smallSizes are sizes at which each benchmark takes a moment.
var smallSizes = map[string][]int{"jacobi": {40}, "stencil": {33}}

// Every benchmark runs in every precision, passes its checks and returns consistent tables: the speed is bytes over time,
// the fraction is speed over copy.
func TestBenchmarks(t *testing.T) {
	for _, b := range All() {
		t.Run(b.Name, func(t *testing.T) {
			r, err := b.Run(here(), Options{Size: smallSizes[b.Name], Precision: allNames, Repeat: 1, Budget: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Checks) == 0 || len(r.Tables) == 0 || len(r.Plots) == 0 || r.Machine.Threads == 0 {
				t.Errorf("incomplete: %+v", r)
			}
			if err := r.WriteText(io.Discard); err != nil {
				t.Error(err)
			}
			for _, p := range r.Plots {
				if _, err := p.PNG(); err != nil {
					t.Error(err)
				}
			}
			for _, table := range r.Tables {
				consistent(t, table)
			}
		})
	}
}

// consistent checks the relations between shared columns.
func consistent(t *testing.T, table *report.Table) {
	for _, row := range table.Rows {
		speed, ok := row.Number(columnSpeed.Key)
		copied, both := row.Number(columnCopy.Key)
		if !ok || !both || table.Column(columnSpeed.Key).Origin != report.Measured {
			continue
		}
		fraction, _ := row.Number(columnFraction.Key)
		ms, _ := row.Number(columnTime.Key)
		model, isModel := row.Number(columnModel.Key)
		if !(speed > 0 && copied > 0) || math.Abs(fraction-speed/copied) > 1e-9*fraction {
			t.Errorf("table %s: speed %g, copy %g, fraction %g", table.Key, speed, copied, fraction)
		}
		if isModel && math.Abs(model/ms-fraction) > 1e-9*fraction {
			t.Errorf("table %s: model %g ms, measured %g ms, fraction %g", table.Key, model, ms, fraction)
		}
	}
}

// A device that computes something else fails the checks: nothing wrong is timed.
func TestWrongDeviceFails(t *testing.T) {
	for _, b := range All() {
		env := here()
		env.Open = func(threads int) (kernels.Device, error) {
			d, err := cpu.New(cpu.Options{Threads: threads})
			return &wrongDevice{Device: d, Benchmarks: d}, err
		}
		_, err := b.Run(env, Options{Size: smallSizes[b.Name], Repeat: 1, Budget: time.Millisecond})
		if err == nil {
			t.Errorf("%s times a device that is wrong", b.Name)
		}
	}
}

// wrongDevice is wrong by one part in a thousand.
type wrongDevice struct {
	kernels.Device
	kernels.Benchmarks
}

func (d *wrongDevice) spoil(b kernels.Buffer) {
	d.Combine(kernels.CombineArgs{Out: b, C: [4]float64{1.001}, X: [4]kernels.Buffer{b}})
}

func (d *wrongDevice) Apply(a kernels.ApplyArgs) {
	d.Device.Apply(a)
	d.spoil(a.Y)
}

func (d *wrongDevice) LaplaceJacobi(a kernels.LaplaceJacobiArgs) {
	d.Benchmarks.LaplaceJacobi(a)
	d.spoil(a.Out)
}

// A device without the kernels of a benchmark is refused.
func TestDeviceWithoutKernels(t *testing.T) {
	env := here()
	env.Open = func(threads int) (kernels.Device, error) {
		d, err := cpu.New(cpu.Options{Threads: threads})
		return struct{ kernels.Device }{d}, err
	}
	if _, err := jacobi().Run(env, Options{Size: []int{8}}); !errors.Is(err, ErrNotOffered) {
		t.Errorf("error %v", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for name, o := range map[string]Options{
		"two numbers": {Size: []int{8, 8}}, "small": {Size: []int{2}}, "precision": {Precision: "half"}, "repeat": {Repeat: -1},
	} {
		var option *OptionError
		if _, err := jacobi().Run(here(), o); !errors.As(err, &option) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	var option *OptionError
	if _, err := Find("jacoby"); !errors.As(err, &option) {
		t.Errorf("error %v", err)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		v    []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{5, 1, 3}, 3}, {[]float64{4, 1, 2, 9}, 3}} {
		if got := median(c.v); got != c.want {
			t.Errorf("median of %v is %g", c.v, got)
		}
	}
}
