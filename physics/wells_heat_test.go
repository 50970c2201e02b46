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
	"convect/kernels/devicetest"
	"convect/stencil"
)

// drilled adds wells to a case: an injector at one temperature along a line and a producer at a point, both between nodes; their rates pulse and jump in time, and
// do not close.
func drilled(p Parameters) Parameters {
	in := lineWell("in", 0, [3]float64{0.31, 0.42}, 0.2, 0.77, 2)
	in.Rate = func(_, _, _, t float64) float64 {
		if t < 0.0061 {
			return 3
		}
		return 9 + 4*math.Sin(300*t)
	}
	*in.Bring(0) = func(_, _, _, t float64) float64 { return 2 + math.Cos(200*t) }
	in.Varies = true
	in.Course = Course{Uniform: true, Turns: []Func{func(_, _, _, t float64) float64 { return t - 0.0061 }}}
	p.Wells = []Well{in, point("out", -5, [3]float64{0.71, 0.6, 0.33})}
	return p
}

// The heat that a step gains is what entered through walls, sources and wells, to rounding, whatever the rates do; water balances to the tolerance.
func TestHeatClosesWithWells(t *testing.T) {
	t.Parallel()
	dev := openDevice(t, 0)
	tied := rich(plane(16), kernels.TVD)
	tied.Walls[kernels.Top] = tiedTo(3, 0.5)
	for name, p := range devicetest.Part(t, 3, map[string]Parameters{
		"plane": rich(plane(16), kernels.TVD), "graded cube": rich(graded(cube(8)), kernels.Central), "tied": tied,
		"27 points, graded": withPoints27(rich(graded(plane(16)), kernels.WENO5)), "27 points, cube": withPoints27(rich(cube(8), kernels.TVD)),
	}) {
		t.Run(name, func(t *testing.T) {
			p = drilled(p)
			s := simulate(t, dev, p, Controls{End: 0.012, Courant: 0.4, Output: Schedule{Interval: 0.011}})
			content, worst, apart := s.model.temperature().capacityV, 0.0, 0.0
			run(t, s, observe(func(s *Simulation, e Event) error {
				if v := s.Sample(); v.Step > 0 {
					worst = max(worst, math.Abs(v.Heat().Gain-v.Heat().In)*v.Dt/content)
				}
				apart = max(apart, s.Sample().Divergence)
				return nil
			}))
			if worst > 4e-14 {
				t.Errorf("heat is lost: %g of the content a step", worst)
			}
			if apart > 1e-4 {
				t.Errorf("the divergence less the wells comes to %g", apart)
			}
			if s.Step() < 10 {
				t.Errorf("only %d steps", s.Step())
			}
		})
	}
}

// A constant temperature stays so, to the tolerance of the pressure, where injected fluid has it, whatever the rates do: in a box whose rates close and in one with an open
// wall, on which a well ends.
func TestConstantTemperatureStaysWithWells(t *testing.T) {
	t.Parallel()
	dev := openDevice(t, 0)
	for _, open := range []bool{false, true} {
		for _, scheme := range []kernels.Scheme{kernels.Central, kernels.TVD, kernels.WENO5} {
			p := drilled(idle(plane(16)))
			p.Transport, p.Initial = scheme, Initial{Temperature: Constant(0.7)}
			p.Wells[0].Brings = []Func{Constant(0.7)}
			p.Wells[1].Varies, p.Wells[1].Course = true, p.Wells[0].Course
			p.Wells[1].Rate = func(x, y, z, t float64) float64 { return -p.Wells[0].Rate(x, y, z, t) }
			if open {
				p.Wells[0].To = 1
				p.Wells[1].Rate = nil
				p.Walls[kernels.Top] = Wall{Flow: Open, Inflow: Constant(0.7)}
				p.Rayleigh = 50
			}
			for _, p.Stencil = range bothStencils {
				s := simulate(t, dev, p, Controls{End: 0.03, Courant: 0.5})
				run(t, s)
				for n, v := range download(t, s, "temperature") {
					if math.Abs(v-0.7) > 1e-8 {
						t.Fatalf("open %v, %s, scheme %d: T = %v at node %d", open, stencilName(p.Stencil), scheme, v, n)
					}
				}
				if v := s.Sample(); v.SpeedMax < 1 || v.Divergence > 1e-5 || math.Abs(v.Wells[0].Scalars[0]-0.7) > 1e-8 {
					t.Errorf("open %v: %+v", open, v)
				}
			}
		}
	}
}

// What leaves through an open top, with wells that end on it, is what wells bring: the mean of what flows out has their temperature in the end, and nothing is lost on the way.
func TestWellOnOpenWall(t *testing.T) {
	for name, p := range map[string]Parameters{"plane": idle(plane(16)), "graded cube": idle(graded(cube(8)))} {
		p.Walls[kernels.Top] = Wall{Flow: Open}
		p.Wells = []Well{lineWell("in", 7, [3]float64{0.31, 0.42}, 0.3, 1, 2)}
		s := simulate(t, openDevice(t, 1), p, Controls{End: 1, Courant: 0.5, MaxStep: 1e-3})
		q := downloadFaces(t, s, kernels.Z)
		g, out := s.Grid(), 0.0
		eachNode(g, func(_ int, ijk [3]int) {
			if ijk[2] == g.Cells[2] {
				out += g.DualWidth(0, ijk[0]) * g.DualWidth(1, ijk[1]) * q.at(ijk[0], ijk[1], ijk[2]+1)
			}
		})
		within(t, name+": flow through the top", out, 7, 1e-7)
	}
}

// A run with wells that jump goes on from any of its steps with the same bits, in every precision; its samples know the rates and temperatures.
func TestRestartWithWells(t *testing.T) {
	devicetest.Long(t)
	t.Parallel()
	for _, e := range []kernels.Elem{kernels.Float64, kernels.Float32} {
		for name, p := range map[string]Parameters{"plane": rich(plane(12), kernels.TVD), "cube": withPoints27(rich(graded(cube(6)), kernels.TVD))} {
			t.Run(fmt.Sprintf("%s, %s", name, e), func(t *testing.T) {
				dev := openDevice(t, 2)
				p := drilled(p)
				p.Precision, p.Pressure.Tolerance, p.Diffusion.Tolerance = e, 0, 0
				c := Controls{End: 0.01, Courant: 0.5, Output: Schedule{Interval: 0.004}}
				whole := simulate(t, dev, p, c)
				run(t, whole)
				for part := range 4 {
					sameFrom(t, dev, p, c, 1+int64(part)*whole.Step()/4, whole)
				}
				if w := whole.Sample().Wells; len(w) != 2 || w[0].Rate != p.Wells[0].Rate(0, 0, 0, 0.01) || w[1].Rate != -5 || w[0].Scalars[0] != 2+math.Cos(2) ||
					!(w[1].Scalars[0] > 0 && w[1].Scalars[0] < 3) {
					t.Errorf("wells %+v", w)
				}
			})
		}
	}
}

// Wells that cannot be are refused with what is wrong.
func TestImpossibleWells(t *testing.T) {
	in := point("in", 1, [3]float64{0.5, 0, 0.5}, 1)
	for want, wells := range map[string][]Well{
		`two wells have the name "in"`:                     {in, in},
		"well far: x = 1.5 is not within the domain":       {point("far", 0, [3]float64{1.5, 0, 0.5})},
		"well up: the line from z = 0.7 to 0.2":            {lineWell("up", 0, [3]float64{0.5, 0}, 0.7, 0.2)},
		"well cold: it injects, and the temperature":       {point("cold", 1, [3]float64{0.5, 0, 0.5})},
		"the wells and the velocities of the walls do not": {in},
	} {
		p := idle(plane(8))
		p.Wells = wells
		s, err := New(openDevice(t, 1), p, Controls{End: 1, Courant: 0.5})
		if err == nil {
			s.Free()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	p := idle(plane(8)) // closed until the rate turns
	p.Wells = []Well{in, point("out", 0, [3]float64{0.2, 0, 0.2})}
	p.Wells[1].Rate, p.Wells[1].Varies = func(_, _, _, t float64) float64 { return -1 + max(0, t-0.01) }, true
	s := simulate(t, openDevice(t, 1), p, Controls{End: 0.1, Courant: 0.5, MaxStep: 1e-3})
	_, err := s.Run(context.Background())
	var failed *StepError
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "do not balance") {
		t.Errorf("error %v", err)
	}
}

// Wells that say what an unstable layer does not: there is no outlook, and the temperature that they bring belongs to the range of the case and its steps.
func TestWellsBelongToTheCase(t *testing.T) {
	p := heated(plane(8), 100)
	p.Wells = []Well{point("in", 1, [3]float64{0.3, 0, 0.5}, 7), point("out", -1, [3]float64{0.7, 0, 0.5})}
	s := simulate(t, openDevice(t, 1), p, Controls{End: 1, Courant: 0.5})
	if o, err := s.Outlook(); err != nil || o.Rest {
		t.Errorf("outlook %+v, %v", o, err)
	}
	if low, high := s.TemperatureRange(); low != 0 || high != 7 {
		t.Errorf("temperatures from %g to %g, want 0 to 7", low, high)
	}
	within(t, "step of buoyancy", s.BuoyantStep(), 1./(2*100*7), 1e-12)
	if v := s.Sample(); !math.IsNaN(v.Streamfunction) || !math.IsNaN(v.Heat().Dissipation) {
		t.Errorf("stream function %g, dissipation %g", v.Streamfunction, v.Heat().Dissipation)
	}
}

// A second scalar that wells bring as they do the temperature has the temperature's bits.
func TestWellsBringEveryScalar(t *testing.T) {
	p := drilled(rich(plane(12), kernels.TVD))
	p.beside = []substance{besides(&p, 0, 0)}
	*p.Wells[0].Bring(1) = p.Wells[0].Brings[0]
	s := simulate(t, openDevice(t, 1), p, Controls{End: 1, Courant: 0.5})
	for range 6 {
		if err := s.advance(); err != nil {
			t.Fatal(err)
		}
	}
	second, err := s.model.scalars[1].now.Download()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(second, download(t, s, "temperature")) {
		t.Error("the second scalar differs from the temperature")
	}
	if w := s.Sample().Wells; w[0].Scalars[0] != w[0].Scalars[1] || w[1].Scalars[0] != w[1].Scalars[1] {
		t.Errorf("wells %+v", w)
	}
}

// Wells give on a GPU what they give on a processor, with both stencils and in mixed precision, where they end on an open wall too.
func TestWellsOnAGPU(t *testing.T) {
	devicetest.Long(t)
	p := drilled(heated(stencil.Extent{Cells: [3]int{6, 5, 4}, Size: [3]float64{1.5, 1.2, 1}}, 200))
	p.Walls[kernels.Top].Flow = Open
	p.Wells[0].To = 1
	p.Wells = append(p.Wells, holding(lineWell("held", 0, [3]float64{0.9, 0.5}, 0.3, 0.8), -5, 1e-2, 0))
	p.Pressure.Tolerance, p.Diffusion.Tolerance = 1e-11, 1e-11
	for _, p := range []Parameters{p, withPoints27(p), mixed(p)} {
		cpu, other := sameOnAGPU(t, p, 5)
		x, y := cpu.Sample(), other.Sample()
		if math.Abs(x.Wells[1].Scalars[0]-y.Wells[1].Scalars[0]) > 1e-9 || math.Abs(x.Wells[2].Rate-y.Wells[2].Rate) > 1e-6 || x.Wells[2].Rate == 0 || math.Abs(x.SpeedRMS-y.SpeedRMS) > 1e-7*x.SpeedRMS {
			t.Errorf("samples %+v and %+v", x, y)
		}
	}
}
