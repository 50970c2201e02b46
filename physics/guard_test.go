package physics

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"convect/kernels"
)

// beyond returns how far the temperature lies outside the hull of the values 0 and 1.
func beyond(t *testing.T, s *Simulation) float64 {
	t.Helper()
	v := download(t, s, "temperature")
	return math.Max(-slices.Min(v), slices.Max(v)-1)
}

// Central transport over cells far wider than the boundary layers blows up: within 50 steps of lying farther outside the range of walls and initial values, here from 0
// to 1, than that is wide, the run stops.
func TestBlowUpStops(t *testing.T) {
	for name, change := range map[string]func(p *Parameters){
		"7 points": func(*Parameters) {}, "27 points": func(p *Parameters) { p.Stencil = kernels.TwentySevenPoint }, "float32": func(p *Parameters) { p.Precision = kernels.Float32 },
		"periodic": func(p *Parameters) { p.Extent.Periodic[kernels.X] = true }, "graded": func(p *Parameters) { p.Extent = graded(p.Extent) },
		"noise":     func(p *Parameters) { p.Initial.Amplitude, p.Initial.Noise = 0, 0.01 },
		"viscosity": func(p *Parameters) { p.Viscosity = exponential(-1) },
	} {
		t.Run(name, func(t *testing.T) {
			p := heated(plane(32), 20000)
			p.Pressure.Tolerance, p.Diffusion.Tolerance = 0, 0
			p.Initial = Initial{Conduction: true, Mode: [3]int{1, 0, 1}, Amplitude: 0.01}
			change(&p)
			s := simulate(t, openDevice(t, 0), p, Controls{End: 1, Courant: 0.5})
			passed, last := int64(0), 0.0
			_, err := s.Run(context.Background(), observe(func(s *Simulation, _ Event) error {
				if last = beyond(t, s); passed == 0 && last > 1.02 { // noise may have widened the range
					passed = s.Step()
				}
				if s.Step() > 5000 || passed > 0 && s.Step() > passed+60 {
					return errStop
				}
				return nil
			}))
			var out *RangeError
			if !errors.As(err, &out) {
				t.Fatalf("%v at step %d, %g outside the range since step %d", err, s.Step(), last, passed)
			}
			if passed > 0 && s.Step() > passed+50 {
				t.Errorf("stopped at step %d, %d after the margin was passed", s.Step(), s.Step()-passed)
			}
			if _, err := s.State(); !errors.As(err, &out) {
				t.Errorf("a state of it can be had: %v", err)
			}
		})
	}
}

// The cavity at Ra 1000 on 64 × 64 equal cells is right but for some per cent, though its temperature overshoots by a third of the range: it runs on.
func TestOvershootRunsOn(t *testing.T) {
	t.Parallel()
	p := heated(plane(64), 1000)
	p.Pressure.Tolerance, p.Diffusion.Tolerance, p.Mixed = 0, 0, true
	p.Walls = [6]Wall{}
	p.Walls[kernels.Left] = Wall{Heat: FixedTemperature, HeatValue: Constant(1)}
	p.Walls[kernels.Right] = Wall{Heat: FixedTemperature, HeatValue: Constant(0)}
	s := simulate(t, openDevice(t, 0), p, Controls{End: 0.02, Courant: 1})
	run(t, s)
	if over := beyond(t, s); over < 0.1 {
		t.Errorf("an overshoot of %g tells nothing", over)
	}
}

// Sources and fluxes carry the temperature out of the hull of walls and initial values, as far as the balance allows and no farther: no run of
// conduction passes its range, which is not wide either. A closed box with the source 3 is at 3 t; a layer with the flux 2 at the bottom and 0 at the top ends at 2; a layer with the source
// 8 between walls of 0 at 1 in its middle (Carslaw & Jaeger 1959, section 4.14), and cooled ones are the negative of these.
func TestRangeOfSourcesAndFluxes(t *testing.T) {
	cold := Wall{Heat: FixedTemperature}
	for _, c := range []struct {
		name        string
		bottom, top Wall
		source      Func
		end, most   float64
	}{
		{"closed box", Wall{}, Wall{}, Constant(3), 7, 21},
		{"closed box between a source and a sink", Wall{HeatValue: Constant(1)}, Wall{HeatValue: Constant(-1)}, nil, 2, 0.5},
		{"heated forever", Wall{HeatValue: Constant(1)}, Wall{}, nil, 5, 5 + 1./3},
		{"flux and cold wall", Wall{HeatValue: Constant(2)}, cold, nil, 5, 2},
		{"source between cold walls", cold, cold, Constant(8), 5, 1},
		{"source in a part", cold, Wall{}, func(_, _, z, _ float64) float64 { return math.Max(0, 4*z) }, 5, 4. / 3},
	} {
		for _, sign := range []float64{1, -1} {
			t.Run(fmt.Sprintf("%s, %g", c.name, sign), func(t *testing.T) {
				p := heated(plane(8), 0)
				times := func(f Func) Func {
					if f == nil {
						return nil
					}
					return func(x, y, z, t float64) float64 { return sign * f(x, y, z, t) }
				}
				p.Walls = [6]Wall{kernels.Bottom: {Heat: c.bottom.Heat, HeatValue: times(c.bottom.HeatValue)}, kernels.Top: {Heat: c.top.Heat, HeatValue: times(c.top.HeatValue)}}
				p.HeatSource, p.Initial = times(c.source), Initial{Temperature: Constant(0)}
				s := simulate(t, openDevice(t, 1), p, Controls{End: c.end, Courant: 0.5, FirstStep: 1e-5, MaxStep: 0.02})
				run(t, s, observe(func(s *Simulation, _ Event) error {
					v := download(t, s, "temperature")
					low, high := s.TemperatureRange()
					if slices.Min(v) < low-1e-9 || slices.Max(v) > high+1e-9 {
						t.Fatalf("t = %g: the temperature, from %g to %g, leaves the range from %g to %g", s.Time(), slices.Min(v), slices.Max(v), low, high)
					}
					return nil
				}))
				low, high := s.TemperatureRange()
				if most := math.Max(high, -low); !(most >= c.most*(1-1e-9)) || most > 10*c.most {
					t.Errorf("the range is from %g to %g, of the temperature %g", low, high, c.most)
				}
			})
		}
	}
}

// The range follows walls that vary in time so far, and a state of an earlier version, which lacks it, begins with its own temperatures.
func TestRangeSoFar(t *testing.T) {
	p := heated(plane(8), 0)
	p.Walls[kernels.Bottom] = Wall{Heat: FixedTemperature, Varies: true, HeatValue: func(_, _, _, t float64) float64 { return 1 + 10*t }}
	c, dev := Controls{End: 1, Courant: 0.5, MaxStep: 0.1, FirstStep: 0.1}, openDevice(t, 1)
	s := simulate(t, dev, p, c)
	runTo(t, s, 5)
	if low, high := s.TemperatureRange(); low != 0 || math.Abs(high-(1+10*s.Time())) > 1e-9 {
		t.Errorf("the range at t = %g is from %g to %g", s.Time(), low, high)
	}
	state, err := s.State()
	if err != nil {
		t.Fatal(err)
	}
	for name := range s.model.temperature().met.scalars() {
		delete(state.Scalars, name)
	}
	resumed, err := Resume(dev, p, c, state)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(resumed.Free)
	if low, high := resumed.TemperatureRange(); low > 0 || math.Abs(high-(1+10*s.Time())) > 1e-9 {
		t.Errorf("the range of the resumed run is from %g to %g", low, high)
	}
	run(t, resumed)
}

// A Courant number that asks for a step below a millionth of what diffusion and driven flow take through a cell stops the run; a short step to an output time does not.
func TestStalledStepStops(t *testing.T) {
	p := heated(plane(8), 100)
	p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 0, 1}, 0.1
	s := simulate(t, openDevice(t, 1), p, Controls{End: 0.01, Courant: 0.5, Output: Schedule{Times: []float64{0.005, 0.005 + 1e-13}}})
	run(t, s)
	// Heat diffuses through a cell in 1/64; fluid that all of the range drives, of 1.1 or less and Ra 100, passes it in at least 1/880.
	s.rate = 0.5 / (1.2e-6 / 800)
	if err := s.checkStep(); err != nil {
		t.Error(err)
	}
	s.rate = 0.5 / (0.9e-6 / 1000)
	var stall *StallError
	if err := s.checkStep(); !errors.As(err, &stall) {
		t.Errorf("a step of %g: %v", 0.5/s.rate, err)
	}
}
