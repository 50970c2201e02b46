package live

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/physics"
	"convect/stencil"
)

// Viewers who ask as often as they can take a small part of the time of a run, and one who does not ask takes none. The time is that of a bubble: it
// passes in steps and in what viewers take, whatever else the machine does.
func TestViewersTakeASmallPart(t *testing.T) {
	for name, each := range map[string]func(n int) (taken, beside time.Duration){
		"alike":     func(int) (taken, beside time.Duration) { return 2 * time.Millisecond, 2 * time.Millisecond },
		"some slow": func(n int) (taken, beside time.Duration) { return time.Duration(1+20*(n%7)) * time.Millisecond, 0 },
		"much beside": func(n int) (taken, beside time.Duration) {
			return 2 * time.Millisecond, time.Duration(3+n%11) * time.Millisecond
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				taken, all := viewed(t, 3, each)
				if taken > viewPart || all > allPart || taken < 0.9*viewPart && all < 0.9*allPart {
					t.Errorf("viewers took %.3f %% of the time between steps, and %.3f %% in all", 100*taken, 100*all)
				}
			})
		})
	}
	h := NewHook()
	h.Attach(context.Background(), nil)
	if n := testing.AllocsPerRun(100, func() { h.Observe(nil, physics.Event{}) }); n > 0 {
		t.Errorf("without viewers a step allocates %g times", n)
	}
}

// viewed returns the part of the time of a run that so many viewers take between its steps, and in all, who ask again at once. What each tells for the n-th time is what that
// takes between the steps, and beside them. Steps take a millisecond. The run ends where viewers are about to be served again, so that each time is weighed with the steps after it.
func viewed(t *testing.T, viewers int, each func(n int) (taken, beside time.Duration)) (taken, all float64) {
	h := NewHook()
	ctx, cancel := context.WithCancel(context.Background())
	h.Attach(ctx, nil)
	var group sync.WaitGroup
	var between, elsewhere, times atomic.Int64
	for range viewers {
		group.Go(func() {
			for {
				wait, work := each(int(times.Load()))
				if h.View(ctx, func(*physics.Simulation) error { time.Sleep(wait); return nil }) != nil {
					return
				}
				times.Add(1)
				time.Sleep(work)
				h.Worked(work)
				elsewhere.Add(int64(work))
			}
		})
	}
	begin := time.Now()
	for {
		time.Sleep(time.Millisecond) // a step
		before := time.Now()
		if before.Sub(begin) > time.Minute && h.due() {
			break
		}
		if err := h.Observe(nil, physics.Event{}); err != nil {
			t.Fatal(err)
		}
		between.Add(int64(time.Since(before)))
	}
	whole := float64(time.Since(begin))
	taken, all = float64(between.Load())/whole, float64(between.Load()+elsewhere.Load())/whole
	cancel()
	h.Close()
	group.Wait()
	return taken, all
}

func TestHookRefusesWhenOver(t *testing.T) {
	h := NewHook()
	h.Attach(context.Background(), nil)
	h.Close()
	if err := h.View(context.Background(), nil); !errors.Is(err, errOver) {
		t.Errorf("error %v", err)
	}
	if _, err := h.Do(context.Background(), Pause, ""); !errors.Is(err, errOver) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := NewHook().View(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// model is a box of so many cells that convects.
func model(t testing.TB, extent stencil.Extent) *physics.Simulation {
	t.Helper()
	dev, err := cpu.New(cpu.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := physics.Parameters{Extent: extent, Rayleigh: 200, Permeability: physics.Uniform(1), HeatCapacityRatio: physics.Uniform(1), Diffusivity: physics.Uniform(1),
		Transport: kernels.TVD, Precision: kernels.Float64, Mixed: true, Initial: physics.Initial{Conduction: true, Mode: [3]int{1, 1, 1}, Amplitude: 0.2}}
	p.Walls[kernels.Bottom] = physics.Wall{Heat: physics.FixedTemperature, HeatValue: physics.Constant(1)}
	p.Walls[kernels.Top] = physics.Wall{Heat: physics.FixedTemperature, HeatValue: physics.Constant(0)}
	s, err := physics.New(dev, p, physics.Controls{End: 1, Courant: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Free(); dev.Close() })
	return s
}

// Planes and blocks of what is present are parts of the whole fields, repeated where an axis is periodic.
func TestViews(t *testing.T) {
	s := model(t, stencil.Extent{Cells: [3]int{6, 5, 4}, Size: [3]float64{3, 2, 1}, Periodic: [3]bool{true, false, false}})
	scales := physics.Nondimensional()
	scales.Temperature, scales.Length, scales.Velocity = 10, 2, 5
	whole := map[string][]float64{}
	for _, name := range []string{"temperature", "velocity"} {
		values, err := s.Download(name)
		if err != nil {
			t.Fatal(err)
		}
		whole[name] = values
	}
	n := [3]int{6, 6, 5}
	at := func(name string, i, j, k int) float64 {
		node := i%n[0] + n[0]*(j+n[1]*k)
		switch p := partOf(name); {
		case name == "temperature":
			return 10 * whole["temperature"][node]
		case p.component >= 0:
			return 5 * whole["velocity"][p.component*n[0]*n[1]*n[2]+node]
		}
		sum := 0.0
		for d := range 3 {
			u := 5 * whole["velocity"][d*n[0]*n[1]*n[2]+node]
			sum += u * u
		}
		return math.Sqrt(sum)
	}
	points := [3]int{7, 6, 5}
	for _, name := range []string{"temperature", "speed", "velocity.z"} {
		for axis := range 3 {
			for _, index := range []int{0, points[axis] - 1} {
				source := presentSource(s, scales)
				w := wish{name: name, axis: axis, index: index, flow: true}
				if err := source.gather(w); err != nil {
					t.Fatal(err)
				}
				v, err := source.take(w)
				if err != nil {
					t.Fatal(err)
				}
				a, b := across(axis)
				var want []float64
				for j := range points[b] {
					for i := range points[a] {
						var ijk [3]int
						ijk[axis], ijk[a], ijk[b] = index, i, j
						want = append(want, at(name, ijk[0], ijk[1], ijk[2]))
					}
				}
				if !slices.Equal(v.arrays[0], want) || len(v.arrays) != 3 || len(v.arrays[2]) != len(want) || len(v.X[0]) != points[a] || len(v.X[1]) != points[b] {
					t.Errorf("%s across %s at %d: %v, want %v", name, axes[axis], index, v.arrays[0], want)
				}
			}
		}
		w := wish{name: name, block: true}
		source := presentSource(s, scales)
		if err := source.gather(w); err != nil {
			t.Fatal(err)
		}
		v, err := source.take(w)
		if err != nil {
			t.Fatal(err)
		}
		for m, value := range v.arrays[0] {
			if want := at(name, m%7, m/7%6, m/42); value != want {
				t.Fatalf("%s: block node %d is %v, want %v", name, m, value, want)
			}
		}
		if len(v.arrays[0]) != 7*6*5 || v.X[0][6] != 6 {
			t.Errorf("a block of %d nodes, x up to %v", len(v.arrays[0]), v.X[0])
		}
	}
	for _, w := range []wish{{name: "heat"}, {name: "temperature", axis: 2, index: 5}} {
		if err := presentSource(s, scales).gather(w); err == nil {
			t.Errorf("%+v is granted", w)
		}
	}
}

// BenchmarkView takes a plane with its streamlines from a run; steps are the same run without viewers.
func BenchmarkView(b *testing.B) {
	for name, extent := range map[string]stencil.Extent{
		"256²": {Cells: [3]int{256, 0, 256}, Size: [3]float64{1, 0, 1}}, "64³": {Cells: [3]int{64, 64, 64}, Size: [3]float64{1, 1, 1}},
	} {
		s := model(b, extent)
		b.Run(name+" view", func(b *testing.B) {
			for b.Loop() {
				if err := presentSource(s, physics.Nondimensional()).gather(wish{name: "temperature", axis: 1, flow: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+" step", func(b *testing.B) {
			ctx, cancel := context.WithCancel(context.Background())
			n := 0
			s.Run(ctx, stopper(func() {
				if n++; n > b.N {
					cancel()
				}
			}))
		})
	}
}

// stopper is an Observer that calls a function.
type stopper func()

func (f stopper) Observe(*physics.Simulation, physics.Event) error { f(); return nil }
