package physics

import (
	"math"
	"math/cmplx"
	"slices"
	"strings"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// slab is a layer of thickness 1 along x, insulated but for its left side, in which heat is conducted alone: cells are narrow at that side.
func slab() Parameters {
	p := heated(stencil.Extent{Cells: [3]int{96, 0, 2}, Size: [3]float64{1, 0, 0.1},
		Grading: [3]stencil.Grading{{Cluster: stencil.ClusterLow, Ratio: 20}}}, 0)
	p.Walls = [6]Wall{}
	p.Initial = Initial{Temperature: Constant(0)}
	return p
}

// tide is a sum of sines.
type tide struct{ parts []part }

type part struct{ amplitude, omega, phase float64 }

// sine is a sine of amplitude 1.
func sine(omega float64) tide { return tide{parts: []part{{1, omega, 0}}} }

// at evaluates the tide with each part times a complex factor of its angular frequency.
func (w tide) at(t float64, factor func(omega float64) complex128) float64 {
	sum := 0.0
	for _, p := range w.parts {
		sum += imag(complex(p.amplitude, 0) * factor(p.omega) * cmplx.Exp(complex(0, p.omega*t+p.phase)))
	}
	return sum
}

// value is the tide as a Func.
func (w tide) value(_, _, _, t float64) float64 { return w.at(t, itself) }

// size is half the range of what a factor makes of the tide.
func (w tide) size(factor func(omega float64) complex128) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range 1 << 14 {
		v := w.at(2*math.Pi/w.parts[0].omega*float64(i)/(1<<14), factor)
		low, high = math.Min(low, v), math.Max(high, v)
	}
	return (high - low) / 2
}

// The periodic conduction of a slab of thickness 1 and diffusivity 1 whose left side has the temperature, or the heat flux, e^{iωt} and whose right
// side is insulated: T = cosh(k(1-x))/cosh k, or that over k tanh k, k = √(iω).
func number(omega float64) complex128 { return cmplx.Sqrt(complex(0, omega)) }

func inside(x float64) func(omega float64) complex128 {
	return func(omega float64) complex128 {
		k := number(omega)
		return cmplx.Cosh(k*complex(1-x, 0)) / cmplx.Cosh(k)
	}
}

func admittance(omega float64) complex128 { return number(omega) * cmplx.Tanh(number(omega)) }

// departures holds the largest differences between a run and an exact solution, and the steps that were compared.
type departures struct {
	temperature, flux float64
	steps             int
}

// exact is a solution in a slab: temperature and intake of heat at the left side, and the times at which to compare.
type exact struct {
	temperature func(x, t float64) float64
	flux        func(t float64) float64
	compared    func(t float64) bool
}

// depart runs a simulation of a slab by default controls and compares its temperatures along x and its intake of heat with a solution.
func depart(t *testing.T, p Parameters, c Controls, want exact) departures {
	t.Helper()
	if c.Courant == 0 {
		c.Courant = 0.5
	}
	s := simulate(t, openDevice(t, 1), p, c)
	var e departures
	g := s.Grid()
	x := s.model.walls.x[kernels.X]
	area := g.Volume() / g.Size[kernels.X]
	run(t, s, observe(func(s *Simulation, ev Event) error {
		now := s.Time()
		if ev.Start || !want.compared(now) {
			return nil
		}
		e.steps++
		v := download(t, s, "temperature")
		for n := range v {
			e.temperature = math.Max(e.temperature, math.Abs(v[n]-want.temperature(x[n%len(x)], now)))
		}
		if want.flux != nil {
			e.flux = math.Max(e.flux, math.Abs(s.Sample().Heat().In/area-want.flux(now)))
		}
		return nil
	}))
	return e
}

// tideWall makes the left side of a slab follow a tide.
func tideWall(w tide, kind HeatKind) Wall {
	return Wall{Heat: kind, Varies: true, HeatValue: w.value, Course: Course{Uniform: true}}
}

// TestFollowsSines compares walls that vary as sines with the exact periodic state, in which they begin: to 1 % of the amplitude, by default steps, of which there
// are 81 in a period of a single sine.
func TestFollowsSines(t *testing.T) {
	t.Parallel()
	for name, c := range devicetest.Part(t, 3, map[string]struct {
		w    tide
		kind HeatKind
		p    Parameters
	}{
		"temperature":               {sine(200), FixedTemperature, slab()},
		"temperature, slow":         {sine(10), FixedTemperature, slab()},
		"heat flux":                 {sine(200), HeatFlux, slab()},
		"two periods":               {tide{parts: []part{{1, 40, 0}, {0.1, 4000, 1}}}, FixedTemperature, slab()},
		"two periods, far apart":    {tide{parts: []part{{1, 40, 0}, {0.01, 8000, 1}}}, FixedTemperature, slab()},
		"periodic along z, 3-D":     {sine(200), FixedTemperature, box(slab())},
		"27 points, all of float32": {sine(200), FixedTemperature, single(withPoints27(slab()))},
	}) {
		t.Run(name, func(t *testing.T) {
			p := c.p
			p.Walls[kernels.Left] = tideWall(c.w, c.kind)
			of := func(what func(omega float64) complex128) func(t float64) float64 {
				return func(t float64) float64 { return c.w.at(t, what) }
			}
			depth := inside
			flux, low, high := of(admittance), c.w.size(itself), c.w.size(admittance)
			if c.kind == HeatFlux {
				depth = func(x float64) func(omega float64) complex128 {
					return func(omega float64) complex128 { return inside(x)(omega) / admittance(omega) }
				}
				flux, low, high = of(itself), c.w.size(depth(0)), c.w.size(itself)
			}
			temperature := func(x, t float64) float64 { return c.w.at(t, depth(x)) }
			p.Initial = Initial{Temperature: func(x, _, _, _ float64) float64 { return temperature(x, 0) }}
			slow, fast := c.w.parts[0].omega, c.w.parts[len(c.w.parts)-1].omega
			period := 2 * math.Pi / slow
			e := depart(t, p, Controls{End: 1.5 * period}, exact{temperature, flux, func(t float64) bool { return t > period/2 }})
			perPeriod := float64(e.steps) * slow / fast
			t.Logf("temperature %.3f %%, flux %.3f %%, %.0f steps a period", 100*e.temperature/low, 100*e.flux/high, perPeriod)
			if !(e.temperature < 0.01*low && e.flux < 0.01*high) {
				t.Errorf("off by %.3g of %g in temperature, %.3g of %g in flux", e.temperature, low, e.flux, high)
			}
			if perPeriod > 100 {
				t.Errorf("%.0f steps a period", perPeriod)
			}
		})
	}
}

func itself(float64) complex128 { return 1 }

// single makes all of a model of float32.
func single(p Parameters) Parameters {
	p.Precision, p.Pressure.Tolerance, p.Diffusion.Tolerance = kernels.Float32, 0, 0
	return p
}

// box makes a slab three-dimensional and periodic along z.
func box(p Parameters) Parameters {
	p.Extent.Cells[kernels.X], p.Extent.Cells[kernels.Y], p.Extent.Cells[kernels.Z] = 48, 2, 4
	p.Extent.Size[kernels.Y] = 0.1
	p.Extent.Periodic[kernels.Z] = true
	return p
}

// corner is a bend of a wall's temperature in time, or a jump.
type corner struct{ time, jump, slope float64 }

// of evaluates the temperature of a wall with corners just before a time.
func of(corners []corner, t float64) float64 {
	sum := 0.0
	for _, c := range corners {
		if c.time < t {
			sum += c.jump + c.slope*(t-c.time)
		}
	}
	return sum
}

// response is the exact conduction of the slab from rest with corners at its left side, by images of the insulated right side
// (Carslaw & Jaeger, Conduction of Heat in Solids, 12.5; i²erfc for a ramp).
func response(corners []corner) exact {
	sum := func(t float64, jump, slope func(since float64) float64) float64 {
		sum := 0.0
		for _, c := range corners {
			if since := t - c.time; since > 1e-12 {
				sum += c.jump*jump(since) + c.slope*slope(since)
			}
		}
		return sum
	}
	images := func(x float64, one func(x float64) float64) float64 {
		return one(x) + one(2-x) - one(2+x) - one(4-x)
	}
	return exact{
		temperature: func(x, t float64) float64 {
			return sum(t, func(since float64) float64 {
				return images(x, func(x float64) float64 { return math.Erfc(x / math.Sqrt(4*since)) })
			}, func(since float64) float64 {
				return images(x, func(x float64) float64 {
					z := x / math.Sqrt(4*since)
					return since * ((1+2*z*z)*math.Erfc(z) - 2*z*math.Exp(-z*z)/math.Sqrt(math.Pi))
				})
			})
		},
		flux: func(t float64) float64 {
			return sum(t, func(since float64) float64 { return 1 / math.Sqrt(math.Pi*since) },
				func(since float64) float64 { return 2 * math.Sqrt(since/math.Pi) })
		},
	}
}

// TestFollowsCorners compares walls that jump and bend with the exact conduction. A jump of 1 makes a flux of 1/√(πt): it is compared from a hundredth
// of a period after a jump on, and relative to what it is then.
func TestFollowsCorners(t *testing.T) {
	const period = 0.03
	var square, triangle, stairs []corner
	for n := range 6 {
		at, sign := float64(n)*period/2, float64(1-2*(n%2))
		square = append(square, corner{time: at, jump: sign})
		triangle = append(triangle, corner{time: at, slope: 2 * sign * 2 / period})
		stairs = append(stairs, corner{time: at, jump: []float64{0, 0.3, -0.7, 1, 0.01, -0.2}[n]})
	}
	triangle[0].slope /= 2
	for name, c := range map[string]struct {
		corners []corner
		hidden  bool // the turns are not told
		most    int64
	}{
		"square wave":    {square, false, 800},
		"triangle wave":  {triangle, false, 300},
		"stairs":         {stairs, false, 800},
		"a short pulse":  {[]corner{{time: 0.06, jump: 1}, {time: 0.06001, jump: -1}}, false, 400},
		"jumps not told": {[]corner{{time: 0.031, jump: 1}}, true, 400},
		"bends not told": {triangle, true, 800},
	} {
		t.Run(name, func(t *testing.T) {
			w := Wall{Heat: FixedTemperature, Varies: true, Course: Course{Uniform: true}, HeatValue: func(_, _, _, t float64) float64 { return of(c.corners, t) }}
			for i := range c.corners {
				if at := c.corners[i].time; !c.hidden {
					w.Course.Turns = append(w.Course.Turns, func(_, _, _, t float64) float64 { return t - at })
				}
			}
			p := slab()
			p.Walls[kernels.Left] = w
			want := response(c.corners)
			var times []float64
			steps := int64(0)
			want.compared = func(t float64) bool {
				times = append(times, t)
				steps++
				for _, c := range c.corners {
					if since := t - c.time; c.jump != 0 && since > 1e-12 && since < 0.01*period {
						return false
					}
				}
				return true
			}
			e := depart(t, p, Controls{End: 3 * period}, want)
			scale := 1 / math.Sqrt(math.Pi*0.01*period)
			t.Logf("temperature %.3f %%, flux %.3f %%, %d steps", 100*e.temperature, 100*e.flux/scale, steps)
			if !(e.temperature < 0.01 && e.flux < 0.01*scale) {
				t.Errorf("off by %.3g in temperature, %.3g of %g in flux", e.temperature, e.flux, scale)
			}
			if steps > c.most {
				t.Errorf("%d steps", steps)
			}
			for _, c := range c.corners {
				if !w.hasTurns() || c.time == 0 {
					continue
				}
				if !slices.ContainsFunc(times, func(t float64) bool { return math.Abs(t-c.time) < 1e-15 }) {
					t.Errorf("no step ends at %v", c.time)
				}
			}
		})
	}
}

func (w *Wall) hasTurns() bool { return len(w.Course.Turns) > 0 }

// TestFollowsTheSource: uniform heat that varies makes a uniform temperature.
func TestFollowsTheSource(t *testing.T) {
	const omega = 300.0
	p := slab()
	p.HeatSource, p.SourceVaries = sine(omega).value, true
	want := exact{func(_, t float64) float64 { return (1 - math.Cos(omega*t)) / omega }, nil, func(t float64) bool { return true }}
	e := depart(t, p, Controls{End: 2 * 2 * math.Pi / omega}, want)
	t.Logf("temperature %.3f %% of its amplitude, %d steps", 100*e.temperature*omega, e.steps)
	if !(e.temperature*omega < 0.01) || e.steps > 2*100+60 {
		t.Errorf("off by %.3g, %d steps", e.temperature, e.steps)
	}
}

// A run that asks for a steady state waits for what its walls will still do.
func TestSteadyWaitsForTheWalls(t *testing.T) {
	p := heated(plane(8), 10)
	p.Walls[kernels.Bottom] = Wall{Heat: FixedTemperature, Varies: true, Course: Course{Uniform: true, Turns: []Func{func(_, _, _, t float64) float64 { return t - 3 }}},
		HeatValue: func(_, _, _, t float64) float64 {
			if t < 3 {
				return 1
			}
			return 2
		}}
	s := simulate(t, openDevice(t, 1), p, Controls{End: 10, Courant: 0.5, Steady: 1e-4})
	if outcome := run(t, s); outcome != Steady || s.Time() < 3.1 {
		t.Errorf("outcome %v at t = %g", outcome, s.Time())
	}
	within(t, "mean temperature", s.Sample().Heat().Mean, 1, 1e-3)
}

// Velocities that do not balance at some time end the run there: nothing else can take the fluid.
func TestVelocitiesThatStopBalancing(t *testing.T) {
	p := heated(plane(8), 0)
	late := func(_, _, _, t float64) float64 { return math.Max(0, t-0.1) }
	p.Walls[kernels.Left] = Wall{Flow: FixedVelocity, Varies: true, FlowValue: func(x, y, z, t float64) float64 { return 1 + late(x, y, z, t) },
		Course: Course{Uniform: true, Turns: []Func{func(_, _, _, t float64) float64 { return t - 0.1 }}}}
	p.Walls[kernels.Right] = Wall{Flow: FixedVelocity, FlowValue: Constant(-1)}
	s := simulate(t, openDevice(t, 1), p, Controls{End: 0.2, Courant: 0.5})
	_, err := s.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the velocities of the walls do not balance: 1.") || s.Time() < 0.0999 || s.Time() > 0.12 {
		t.Errorf("at t = %g: %v", s.Time(), err)
	}
	p.Walls[kernels.Right].FlowValue = func(x, y, z, t float64) float64 { return -1 - late(x, y, z, t) }
	p.Walls[kernels.Right].Varies = true
	run(t, simulate(t, openDevice(t, 1), p, Controls{End: 0.2, Courant: 0.5}))
}

// The largest step that is chosen is that of the temperatures which walls will have, not of the initial state alone.
func TestBuoyantStepForeseesTheWalls(t *testing.T) {
	p := heated(plane(8), 200)
	p.Walls[kernels.Bottom] = tideWall(sine(50), FixedTemperature)
	s := simulate(t, openDevice(t, 1), p, Controls{End: 1, Courant: 0.5})
	within(t, "buoyant step", s.BuoyantStep(), 0.5/(200*2), 0.01)
	within(t, "largest step", s.Controls().MaxStep, s.BuoyantStep(), 1e-15)
}

// A value that is no number at some time is refused before the run, wherever that is.
func TestValueThatIsNoNumber(t *testing.T) {
	p := heated(plane(8), 0)
	p.Walls[kernels.Top] = Wall{Heat: FixedTemperature, Varies: true, HeatValue: func(_, _, _, t float64) float64 { return math.Sqrt(0.9 - t) }}
	if _, err := New(openDevice(t, 1), p, Controls{End: 1, Courant: 0.5}); err == nil || !strings.Contains(err.Error(), "the temperature of the top is NaN at x = 0") {
		t.Error(err)
	}
}

// A front that moves along a wall is followed: the heat that its exact course puts in, and no more steps than a few for each node that it passes.
func TestFollowsAFront(t *testing.T) {
	p := heated(plane(32), 0)
	p.Walls = [6]Wall{}
	p.Initial = Initial{Temperature: Constant(0)}
	front := func(x, _, _, t float64) float64 { return 20*t - x }
	p.Walls[kernels.Bottom] = Wall{Heat: HeatFlux, Varies: true, Course: Course{Turns: []Func{front}}, HeatValue: func(x, y, z, t float64) float64 {
		if front(x, y, z, t) > 0 {
			return 1
		}
		return 0
	}}
	s := simulate(t, openDevice(t, 1), p, Controls{End: 0.06, Courant: 0.5})
	run(t, s)
	// It crosses in 0.05: the mean is that of 0.05/2 + 0.01, but for a step of a node's part in time.
	within(t, "mean temperature", s.Sample().Heat().Mean, 0.035, 0.005)
	t.Logf("%d steps", s.Step())
	if s.Step() > 32*40 {
		t.Errorf("%d steps", s.Step())
	}
}

// A jump at an output time, and one just before it, cost no output, and no slivers but that between the two, from which steps grow.
func TestJumpsAtOutputTimes(t *testing.T) {
	for _, at := range []float64{0.5, 0.5 - 1e-14, 0.5 - 1e-11, 0.5 - 1e-6, 0.5 + 1e-14} {
		p := slab()
		p.Walls[kernels.Left] = Wall{Heat: FixedTemperature, Varies: true, Course: Course{Uniform: true, Turns: []Func{func(_, _, _, t float64) float64 { return at - t }}},
			HeatValue: func(_, _, _, t float64) float64 {
				if t < at {
					return 0
				}
				return 1
			}}
		s := simulate(t, openDevice(t, 1), p, Controls{End: 1, Courant: 0.5, Output: Schedule{Interval: 0.1}})
		var outputs []float64
		short := 0
		run(t, s, observe(func(s *Simulation, e Event) error {
			if e.Output {
				outputs = append(outputs, s.Time())
			}
			if !e.Start && s.Sample().Dt < 0.9*s.controls.FirstStep {
				short++
			}
			return nil
		}))
		if len(outputs) != 11 || outputs[5] != 0.5 {
			t.Errorf("a jump at %.17g: outputs at %.17g", at, outputs)
		}
		most := 1.0
		if gap := 0.5 - at; gap > 1e-12 {
			most += math.Max(0, math.Log(s.controls.FirstStep/gap)/math.Log(followingGrowth))
		}
		if float64(short) > most {
			t.Errorf("a jump at %.17g: %d steps shorter than the first", at, short)
		}
	}
}
