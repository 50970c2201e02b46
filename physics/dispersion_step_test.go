package physics

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// growthOfModes returns the largest |z| over the roots of what a step makes of a mode: rates a of what is implicit, e of dispersion and m of what the
// matrix holds back, each times the step; the guess has two values or three.
func growthOfModes(c sbdf, a, e, m float64) float64 {
	g := c.guess
	// (a0 + a + m) z³ + (a1 + (e e1 - m g0)) z² + (a2 + (e e2 - m g1)) z - m g2
	p := [4]float64{c.a0 + a + m, c.a1 + e*c.e1 - m*g[0], c.a2 + e*c.e2 - m*g[1], -m * g[2]}
	most := 0.0
	for _, z := range cubic(p) {
		most = math.Max(most, cmplx.Abs(z))
	}
	return most
}

// cubic returns the roots of a polynomial of degree three, highest coefficient first, by simultaneous iteration.
func cubic(p [4]float64) [3]complex128 {
	z := [3]complex128{1, complex(0.4, 0.9), complex(-0.65, 0.72)}
	at := func(x complex128) complex128 {
		v := complex(1, 0)
		for _, c := range p[1:] {
			v = v*x + complex(c/p[0], 0)
		}
		return v
	}
	for range 200 {
		for i := range z {
			others := (z[i] - z[(i+1)%3]) * (z[i] - z[(i+2)%3])
			if others == 0 {
				others = 1e-30
			}
			z[i] -= at(z[i]) / others
		}
	}
	return z
}

// No mode grows, whatever its rates, as long as its dispersion is at most the largest; while steps grow, its change over a step grows at most as they do. The
// part of the largest dispersion that the matrix has is enough, nine tenths of it are not, and with a parabola for a guess modes grow that disperse less.
func TestNoModeGrows(t *testing.T) {
	rates := []float64{0, 1e-3, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 1e3, 1e5}
	shares := []float64{0, 1e-3, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1} // of the largest dispersion
	scan := func(part, w float64, shares []float64, guided func(c sbdf) sbdf) (most float64) {
		for _, a := range rates {
			for _, largest := range rates {
				for _, share := range shares {
					most = math.Max(most, growthOfModes(guided(coefficients(w, 1, 1)), a, share*largest, part*largest))
				}
			}
		}
		return most
	}
	u := &scalar{dispersion: &dispersion{}}
	for _, w := range []float64{0.01, 0.1, 0.3, 0.6, 0.9, 1, 1.1, 1.2, 1.35, growth} {
		if most := scan(ballast, w, shares, u.guided); most > math.Max(1, w)+1e-6 {
			t.Errorf("with steps %g times the last a mode grows by %g a step", w, most)
		}
		if most := scan(ballast, w, []float64{1}, u.guided); most > 1+1e-6 {
			t.Errorf("with steps %g times the last the mode of the largest dispersion grows by %g a step", w, most)
		}
	}
	if most := scan(0.9*ballast, growth, []float64{1}, u.guided); most < 1.01 {
		t.Errorf("with less in the matrix no mode grows by more than %g", most)
	}
	if most := scan(ballast, 1, shares, func(c sbdf) sbdf { return c }); most < 1.1 {
		t.Errorf("with a parabola no mode grows by more than %g", most)
	}
	for _, e := range rates { // Euler's first step
		if z := math.Abs((1 - e + ballast*e) / (1 + ballast*e)); z > 1 {
			t.Errorf("the first step lets a mode of rate %g grow by %g", e, z)
		}
	}
}

// blown is a hot square in a flow with dispersion ten times faster than diffusion.
func blown(e stencil.Extent, rayleigh float64) Parameters {
	p := dispersing(heated(e, rayleigh), 0.1, 0.01)
	p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 0, 1}, 0.3
	return p
}

// Steps are as long as the Courant number makes them, where dispersion is ten times as fast as diffusion and its rate over a cell many times that of a step.
func TestStepsWithDispersion(t *testing.T) {
	devicetest.Long(t)
	t.Parallel()
	drawn := devicetest.Draw(t, 4)
	for _, points := range bothStencils {
		for _, scheme := range []kernels.Scheme{kernels.Central, kernels.TVD} {
			if !drawn() {
				continue
			}
			p := blown(plane(64), 1000)
			p.Stencil, p.Transport = points, scheme
			const courant = 0.65
			s := simulate(t, openDevice(t, 1), p, Controls{End: 0.15, Courant: courant})
			high, peclet := 0.0, 0.0
			run(t, s, observe(func(s *Simulation, e Event) error {
				if v := download(t, s, "temperature"); s.Time() > 0.02 {
					high = math.Max(high, math.Max(slices.Max(v)-1, -slices.Min(v)))
				}
				peclet = math.Max(peclet, p.Dispersion.Longitudinal*s.Sample().SpeedMax)
				if next := s.plan(&s.controls, s.time, s.dt, s.rate); s.Step() > 100 && !e.End && s.time+2*next.dt < s.controls.End {
					want := math.Min(courant/s.rate, s.controls.MaxStep)
					if next.dt < 0.95*want && next.dt < 0.95*growth*s.dt {
						t.Fatalf("step %g, the Courant number allows %g", next.dt, want)
					}
				}
				return nil
			}))
			rate := 4 * 2 * peclet * s.dt * 64 * 64
			t.Logf("%s, scheme %d: %d steps, α_L |u|/D up to %.3g, rate of the shortest wave times the step %.3g, T beyond its range by %.4f, Nu %.4f, %d cycles",
				stencilName(points), scheme, s.Step(), peclet, rate, high, s.Sample().Heat().Transfer(), s.Sample().Heat().Cycles)
			if peclet < 10 || high > 0.02 {
				t.Errorf("α_L |u|/D is %g, T beyond its range by %g", peclet, high)
			}
		}
	}
}

// With dispersion, too, steps are of second order in time.
func TestTemporalOrderWithDispersion(t *testing.T) {
	t.Parallel()
	for _, points := range bothStencils {
		p := dispersing(convecting(plane(16), 100), 0.05, 0.005)
		p.Initial.Mode, p.Stencil = [3]int{1, 0, 1}, points
		var previous []float64
		var change [3]float64
		for i := range 4 {
			dt := 0.002 / float64(int(1)<<i)
			s := simulate(t, openDevice(t, 1), p, Controls{End: 0.05, Courant: 1e9, FirstStep: dt, MaxStep: dt})
			run(t, s)
			now := download(t, s, "temperature")
			if i > 0 {
				for n := range now {
					previous[n] -= now[n]
				}
				change[i-1] = norm(previous)
			}
			previous = now
		}
		order := math.Log2(change[1] / change[2])
		t.Logf("%s: changes %.3g, order %.2f then %.2f", stencilName(points), change, math.Log2(change[0]/change[1]), order)
		if !(order > 1.9) {
			t.Errorf("order %.2f in time", order)
		}
	}
}

// At rest there is no dispersion: the critical Rayleigh number stays 4π².
func TestOnsetWithDispersion(t *testing.T) {
	t.Parallel()
	for _, side := range []float64{-1, 1} {
		p := dispersing(seeded(stencil.Extent{Cells: [3]int{16, 0, 48}, Size: [3]float64{1, 0, 1}}, 4*math.Pi*math.Pi*(1+0.01*side), [3]int{1, 0, 1}), 0.02, 0.002)
		for _, p.Stencil = range bothStencils {
			if rate := growthRate(t, openDevice(t, 1), p, 1, 0.01); !(rate*side > 0) {
				t.Errorf("%s: Ra = %.4f grows with rate %g", stencilName(p.Stencil), p.Rayleigh, rate)
			}
		}
	}
	still := dispersing(heated(plane(8), 0), 0.02, 0.002)
	s := simulate(t, openDevice(t, 1), still, Controls{End: 0.1, Courant: 0.5})
	run(t, s)
	for n, v := range download(t, s, "temperature") {
		if z := 1 - float64(n/9)/8; math.Abs(v-z) > 1e-12 {
			t.Fatalf("without flow T = %g at node %d, want %g", v, n, z)
		}
	}
}

// A heat flow with dispersion is the same in all precisions, and on a GPU.
func TestDispersionOnAGPU(t *testing.T) {
	devicetest.Long(t)
	p := dispersing(heated(stencil.Extent{Cells: [3]int{6, 5, 4}, Size: [3]float64{1.5, 1.2, 1}, Periodic: [3]bool{true, false, false}}, 200), 0.1, 0.01)
	p.Walls[kernels.Top] = tiedTo(5, 0.2)
	p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 1, 1}, 0.3
	p.Pressure.Tolerance, p.Diffusion.Tolerance = 1e-11, 1e-11
	limited := withPoints27(mixed(p))
	limited.Transport = kernels.TVD
	for _, p := range []Parameters{p, withPoints27(p), mixed(p), limited} {
		sameOnAGPU(t, p, 8)
	}
}

// Numbers in float32 and mixed precision are those of float64.
func TestDispersionInAllPrecisions(t *testing.T) {
	t.Parallel()
	var want float64
	for i, name := range []string{"float64", "mixed", "float32"} {
		p := blown(plane(32), 200)
		p.Transport = kernels.TVD
		p.Pressure.Tolerance, p.Diffusion.Tolerance = 0, 0
		switch name {
		case "mixed":
			p = mixed(p)
		case "float32":
			p.Precision = kernels.Float32
		}
		s := simulate(t, openDevice(t, 1), p, Controls{End: 0.1, Courant: 0.5})
		run(t, s)
		nu := s.Sample().Heat().Transfer()
		if i == 0 {
			want = nu
		}
		within(t, fmt.Sprintf("Nu in %s", name), nu, want, 1e-4)
	}
}

// TestDispersionNeedsNoWarning makes the solvers of a step with dispersion, where a wall is held as a whole, in part, and tied: nobody chose their method.
func TestDispersionNeedsNoWarning(t *testing.T) {
	dev := openDevice(t, 1)
	tied := blown(plane(16), 100)
	tied.Walls[kernels.Left].Heat, tied.Walls[kernels.Left].HeatCoefficient = HeatTransfer, Constant(1e4)
	part := blown(plane(16), 100)
	part.Patches = []Patch{{Side: kernels.Left, Range: [3][2]float64{{}, {}, {0.25, 0.75}}, Wall: Wall{Heat: FixedTemperature, HeatValue: Constant(1)}, Heat: true}}
	for name, p := range map[string]Parameters{"whole": blown(plane(16), 100), "tied": tied, "in part": part, "mixed": mixed(blown(plane(16), 100))} {
		s := simulate(t, dev, p, Controls{End: 1, Courant: 0.5})
		if w := s.model.temperature().solver.Warnings(); len(w) > 0 {
			t.Errorf("%s: warnings %q", name, w)
		}
	}
}
