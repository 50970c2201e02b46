package physics

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"convect/kernels"
)

// errStop ends a run at a step.
var errStop = errors.New("stop")

// runTo steps a simulation to a step number.
func runTo(t *testing.T, s *Simulation, step int64) {
	t.Helper()
	_, err := s.Run(context.Background(), observe(func(s *Simulation, e Event) error {
		if s.Step() >= step {
			return errStop
		}
		return nil
	}))
	if err != nil && !errors.Is(err, errStop) {
		t.Fatal(err)
	}
}

// sameState compares two simulations to the last bit.
func sameState(t *testing.T, got, want *Simulation) {
	t.Helper()
	g, err := got.State()
	if err != nil {
		t.Fatal(err)
	}
	w, err := want.State()
	if err != nil {
		t.Fatal(err)
	}
	if g.Step != w.Step {
		t.Errorf("step %d, want %d", g.Step, w.Step)
	}
	for name, v := range w.Scalars {
		if math.Float64bits(g.Scalars[name]) != math.Float64bits(v) {
			t.Errorf("%s = %v, want %v", name, g.Scalars[name], v)
		}
	}
	for i, f := range w.Fields {
		for n, v := range f.Values {
			if g.Fields[i].Values[n] != v {
				t.Errorf("%s differs at node %d: %v, want %v", f.Name, n, g.Fields[i].Values[n], v)
				break
			}
		}
	}
	if g, w := fmt.Sprintf("%+v", *got.Sample()), fmt.Sprintf("%+v", *want.Sample()); g != w {
		t.Errorf("sample\n%s, want\n%s", g, w)
	}
}

// restartCases are problems whose step size changes while they run.
func restartCases() map[string]func(e kernels.Elem) (Parameters, Controls) {
	perturbed := func(p Parameters, e kernels.Elem) Parameters {
		p.Precision, p.Pressure.Tolerance, p.Diffusion.Tolerance = e, 0, 0
		p.Transport = kernels.TVD
		p.Initial.Mode, p.Initial.Amplitude, p.Initial.Noise = [3]int{1, 0, 1}, 0.2, 0.05
		return p
	}
	return map[string]func(e kernels.Elem) (Parameters, Controls){
		"plane": func(e kernels.Elem) (Parameters, Controls) {
			return perturbed(heated(plane(16), 300), e), Controls{End: 0.05, Courant: 0.5, Output: Schedule{Interval: 0.013}}
		},
		"graded cube": func(e kernels.Elem) (Parameters, Controls) {
			p := perturbed(heated(graded(cube(8)), 300), e)
			p.Transport = kernels.WENO5
			return p, Controls{End: 0.05, Courant: 0.5, Output: Schedule{Interval: 0.013}}
		},
		"dispersion": func(e kernels.Elem) (Parameters, Controls) {
			p := dispersing(perturbed(heated(plane(16), 300), e), 0.1, 0.01)
			p.Walls[kernels.Top] = tiedTo(5, 0.2)
			return p, Controls{End: 0.05, Courant: 0.5, Output: Schedule{Interval: 0.013}}
		},
		"dispersion of a solute alone": func(e kernels.Elem) (Parameters, Controls) {
			p := perturbed(briny(plane(16), kernels.TVD), e)
			p.Solutes[0].Dispersion = &Dispersion{0.1, 0.01}
			return p, Controls{End: 0.04, Courant: 0.5}
		},
		"dispersion, 27 points, open top": func(e kernels.Elem) (Parameters, Controls) {
			p := dispersing(withPoints27(perturbed(heated(graded(cube(8)), 200), e)), 0.1, 0.01)
			p.Walls[kernels.Top], p.Transport = Wall{Flow: Open, Inflow: Constant(0.1)}, kernels.Central
			return p, Controls{End: 0.04, Courant: 0.5}
		},
		"cube, steady watch": func(e kernels.Elem) (Parameters, Controls) {
			return perturbed(heated(cube(8), 300), e), Controls{End: 0.3, Courant: 0.5, Steady: 1e-12}
		},
		"open top, walls that vary in time, variable permeability": func(e kernels.Elem) (Parameters, Controls) {
			p := perturbed(heated(plane(16), 200), e)
			p.Walls[kernels.Top] = Wall{Flow: Open, Inflow: Constant(0.1)}
			p.Walls[kernels.Bottom] = Wall{Heat: FixedTemperature, Varies: true,
				HeatValue: func(x, _, _, t float64) float64 { return 1 + 0.3*math.Sin(40*t)*math.Cos(math.Pi*x) }}
			p.Permeability = isotropicCells(p.Extent, func(x [3]float64) float64 { return math.Exp(math.Sin(5*x[0]) + x[2]) })
			return p, Controls{End: 0.04, Courant: 0.5, Output: Schedule{Times: []float64{0.01, 0.03}}}
		},
		"27 points, open top, variable permeability": func(e kernels.Elem) (Parameters, Controls) {
			p := withPoints27(perturbed(heated(cube(8), 200), e))
			p.Walls[kernels.Top] = Wall{Flow: Open, Inflow: Constant(0.1)}
			p.Permeability = isotropicCells(p.Extent, func(x [3]float64) float64 { return math.Exp(math.Sin(5*x[0]) + x[2]) })
			return p, Controls{End: 0.04, Courant: 0.5}
		},
		"a square wave, a patch and a source that vary in time": func(e kernels.Elem) (Parameters, Controls) {
			p := perturbed(heated(plane(16), 200), e)
			turn := func(_, _, _, t float64) float64 { return math.Sin(400 * t) }
			p.Walls[kernels.Bottom] = Wall{Heat: FixedTemperature, Varies: true, Course: Course{Uniform: true, Turns: []Func{turn}},
				HeatValue: func(x, y, z, t float64) float64 { return 1 + math.Copysign(0.5, turn(x, y, z, t)) }}
			moving := func(x, _, _, t float64) float64 { return x - 40*t }
			p.Patches = []Patch{{Side: kernels.Top, Range: [3][2]float64{{0.2, 0.8}, {}, {}}, Heat: true, Wall: Wall{Heat: HeatFlux, Varies: true,
				Course: Course{Turns: []Func{moving}}, HeatValue: func(x, y, z, t float64) float64 { return math.Max(0, moving(x, y, z, t)) }}}}
			p.HeatSource, p.SourceVaries = func(x, _, z, t float64) float64 { return x * z * math.Sin(90*t) }, true
			p.HeatLoss = Term{Rate: func(_, _, z, t float64) float64 { return 1 + z*math.Sin(70*t) }, Toward: Constant(0.3), Varies: true}
			return p, Controls{End: 0.04, Courant: 0.5, Output: Schedule{Interval: 0.003}}
		},
		"a solute with all kinds of walls, decay and a source": func(e kernels.Elem) (Parameters, Controls) {
			p := perturbed(briny(plane(16), kernels.TVD), e)
			return p, Controls{End: 0.04, Courant: 0.5, Steady: 1e-9, Output: Schedule{Interval: 0.003}}
		},
		"viscosity of T and S that leave their first ranges": func(e kernels.Elem) (Parameters, Controls) {
			p := perturbed(briny(plane(16), kernels.TVD), e)
			p.Viscosity = ofBoth()
			p.Walls[kernels.Left].Of(0).Value, p.Walls[kernels.Left].Varies = func(_, _, _, t float64) float64 { return 0.5 + 200*t }, true
			return p, Controls{End: 0.04, Courant: 0.5}
		},
		"viscosity of a temperature that leaves its first range": func(e kernels.Elem) (Parameters, Controls) {
			p := perturbed(heated(plane(16), 100), e)
			p.Viscosity = exponential(1)
			p.Walls[kernels.Bottom] = Wall{Heat: FixedTemperature, Varies: true,
				HeatValue: func(_, _, _, t float64) float64 { return 1 + 200*t }}
			return p, Controls{End: 0.04, Courant: 0.5}
		},
	}
}

func TestRestartContinuesToTheSameBits(t *testing.T) {
	t.Parallel()
	for name, make := range restartCases() {
		for _, e := range []kernels.Elem{kernels.Float64, kernels.Float32} {
			t.Run(name+", "+e.String(), func(t *testing.T) {
				dev := openDevice(t, 0)
				p, c := make(e)
				whole := simulate(t, dev, p, c)
				runTo(t, whole, 70)
				part := simulate(t, dev, p, c)
				runTo(t, part, 33)
				state, err := part.State()
				if err != nil {
					t.Fatal(err)
				}
				resumed, err := Resume(dev, p, c, state)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(resumed.Free)
				if resumed.Step() != 33 || resumed.Time() != part.Time() {
					t.Fatalf("resumed at step %d, t = %g", resumed.Step(), resumed.Time())
				}
				runTo(t, resumed, whole.Step())
				sameState(t, resumed, whole)
			})
		}
	}
}

// A run is resumed to the same bits before, at and after a time at which a wall jumps.
func TestRestartAtAJump(t *testing.T) {
	t.Parallel()
	dev := openDevice(t, 0)
	p, c := restartCases()["a square wave, a patch and a source that vary in time"](kernels.Float64)
	whole := simulate(t, dev, p, c)
	var states []*State
	jumped := false
	run(t, whole, observe(func(s *Simulation, e Event) error {
		jumps := s.follow.jumps(s.Time())
		if jumps || jumped {
			state, err := s.State()
			states = append(states, state)
			jumped = jumps
			return err
		}
		return nil
	}))
	if len(states) < 8 { // sin 400 t changes its sign five times until 0.04
		t.Fatalf("%d states at jumps and after them", len(states))
	}
	for _, state := range states {
		resumed, err := Resume(dev, p, c, state)
		if err != nil {
			t.Fatal(err)
		}
		run(t, resumed)
		sameState(t, resumed, whole)
		resumed.Free()
	}
}

func TestSameBitsWithAnyNumberOfThreads(t *testing.T) {
	p, c := restartCases()["plane"](kernels.Float64)
	p.Extent = cube(30) // large enough to be shared out
	for _, p.Stencil = range bothStencils {
		var runs []*Simulation
		for _, threads := range []int{1, 2} {
			s := simulate(t, openDevice(t, threads), p, c)
			runTo(t, s, 6)
			runs = append(runs, s)
		}
		sameState(t, runs[1], runs[0])
	}
}

func TestExtendedRunHasTheBitsOfOneThatHadItsEndAsOutputTime(t *testing.T) {
	dev := openDevice(t, 0)
	p, c := restartCases()["plane"](kernels.Float64)
	c.Output, c.End = Schedule{}, 0.02
	short := simulate(t, dev, p, c)
	run(t, short)
	state, err := short.State()
	if err != nil {
		t.Fatal(err)
	}
	c.End = 0.035
	extended, err := Resume(dev, p, c, state)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(extended.Free)
	run(t, extended)
	c.Output = Schedule{Times: []float64{0.02}}
	whole := simulate(t, dev, p, c)
	run(t, whole)
	sameState(t, extended, whole)
}

func TestResumeRefusesAForeignState(t *testing.T) {
	dev := openDevice(t, 0)
	p, c := restartCases()["plane"](kernels.Float64)
	s := simulate(t, dev, p, c)
	for name, spoil := range map[string]func(st *State){
		"has no scalar \"dt\"":                        func(st *State) { delete(st.Scalars, "dt") },
		"field temperature of the state has 0 values": func(st *State) { st.Fields[0].Name = "other" },
		"field pressure of the state has 3 values": func(st *State) {
			n := slices.IndexFunc(st.Fields, func(f StateField) bool { return f.Name == "pressure" })
			st.Fields[n].Values = st.Fields[n].Values[:3]
		},
	} {
		state, err := s.State()
		if err != nil {
			t.Fatal(err)
		}
		spoil(state)
		if _, err := Resume(dev, p, c, state); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one with %q", err, name)
		}
	}
}
