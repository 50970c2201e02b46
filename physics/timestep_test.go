package physics

import (
	"math"
	"slices"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// steps runs nextStep from time 0 to the end with a Courant rate that may change, and returns the times.
func steps(c *Controls, rate func(t float64) float64) (times, dts []float64) {
	t, dt := 0.0, 0.0
	for t < c.End {
		step, end := c.nextStep(t, dt, rate(t))
		t, dt = end, step
		times, dts = append(times, t), append(dts, dt)
	}
	return times, dts
}

func still(float64) float64 { return 0 }

// contains tells whether a time was reached exactly.
func contains(times []float64, t float64) bool {
	for _, v := range times {
		if v == t {
			return true
		}
	}
	return false
}

func TestOutputTimesAreMetExactlyWithoutSlivers(t *testing.T) {
	fast := func(t float64) float64 { return 40 + 30*math.Sin(50*t) }
	for _, c := range []Controls{
		{End: 1, Courant: 0.5, FirstStep: 1e-3, MaxStep: 0.03, Output: Schedule{Interval: 0.1}},
		{End: 1, Courant: 0.5, FirstStep: 1e-5, MaxStep: 0.7, Output: Schedule{Interval: 1.0 / 3}},
		{End: 0.7, Courant: 0.5, FirstStep: 1e-3, MaxStep: 0.0123, Output: Schedule{Times: []float64{0.1, 0.10001, 0.5}}},
		{End: 2, Courant: 0.5, FirstStep: 1e-3, MaxStep: 0.011, Output: Schedule{Steps: 7}},
	} {
		for _, rate := range []func(float64) float64{still, fast} {
			times, dts := steps(&c, rate)
			wanted := append([]float64{c.End}, c.Output.Times...)
			if c.Output.Interval > 0 {
				for n := 1; float64(n)*c.Output.Interval < c.End; n++ {
					wanted = append(wanted, float64(n)*c.Output.Interval)
				}
			}
			for _, w := range wanted {
				if !contains(times, w) {
					t.Errorf("%+v: no step ends at %v", c.Output, w)
				}
			}
			checkSteps(t, &c, rate, times, dts)
		}
	}
}

// checkSteps checks growth, bounds, and that no step is much shorter than the limits ask for.
func checkSteps(t *testing.T, c *Controls, rate func(float64) float64, times, dts []float64) {
	t.Helper()
	const slack = 1 + 1e-9
	now := 0.0
	for n, dt := range dts {
		limit := math.Min(c.MaxStep, c.FirstStep)
		if n > 0 {
			limit = math.Min(c.MaxStep, growth*dts[n-1])
		}
		if r := rate(now); r > 0 {
			limit = math.Min(limit, c.Courant/r)
		}
		if dt > limit*slack {
			t.Errorf("%+v: step %d of %g at %g exceeds %g", c.Output, n, dt, now, limit)
		}
		rest := c.nextTarget(now) - now
		if dt < math.Min(limit/2, rest)/slack {
			t.Errorf("%+v: step %d of %g at %g is a sliver: up to %g are allowed and %g remain", c.Output, n, dt, now, limit, rest)
		}
		now = times[n]
	}
}

func TestStepsBetweenOutputsAreEqual(t *testing.T) {
	c := Controls{End: 1, Courant: 0.5, FirstStep: 1, MaxStep: 0.03, Output: Schedule{Interval: 0.1}}
	times, dts := steps(&c, still)
	if len(times) != 40 {
		t.Errorf("%d steps, want 4 in each of 10 intervals", len(times))
	}
	for n, dt := range dts {
		if math.Abs(dt-0.025) > 1e-15 {
			t.Errorf("step %d is %v, not a quarter of the interval", n, dt)
		}
	}
}

func TestStepGrows(t *testing.T) {
	c := Controls{End: 1, Courant: 0.5, FirstStep: 1e-4, MaxStep: 0.01}
	_, dts := steps(&c, still)
	within(t, "first step", dts[0], 1e-4, 1e-3)
	for n := 1; n < 11; n++ {
		within(t, "growth", dts[n]/dts[n-1], growth, 1e-2)
	}
}

func TestOutputIsDue(t *testing.T) {
	for _, c := range []struct {
		output Schedule
		want   int // events, the last of them at the end
	}{
		{Schedule{}, 0}, {Schedule{Interval: 0.25}, 4}, {Schedule{Times: []float64{0.3, 0.31}}, 2}, {Schedule{Steps: 3}, 6},
	} {
		controls := Controls{End: 1, FirstStep: 0.05, MaxStep: 0.05, Courant: 1, Output: c.output}
		times, _ := steps(&controls, still)
		got := 0
		for n, v := range times {
			if controls.outputDue(v, int64(n+1)) {
				got++
			}
		}
		if got != c.want {
			t.Errorf("%+v: due %d times, want %d", c.output, got, c.want)
		}
	}
}

// TestEndNextToOutputTime checks that an end which is an output time up to rounding (3 * 0.1 > 0.3) is met as that.
func TestEndNextToOutputTime(t *testing.T) {
	short := Controls{End: 0.3, Courant: 1, FirstStep: 0.02, MaxStep: 0.02, Output: Schedule{Interval: 0.1}}
	long := short
	long.End = 0.6
	short.alignEnd()
	long.alignEnd()
	first, _ := steps(&short, still)
	whole, _ := steps(&long, still)
	if first[len(first)-1] != whole[len(first)-1] || len(first) != 15 {
		t.Errorf("the short run ends at %v after %d steps, the long one passes %v", first[len(first)-1], len(first), whole[14])
	}
}

func TestDefaultSteps(t *testing.T) {
	p := heated(plane(8), -100)
	p.HeatCapacityRatio, p.Permeability, p.Diffusivity = Uniform(0.5), Material{Constant: [3]float64{1, 1, 4}}, Material{Constant: [3]float64{2, 1, 1}}
	p.Walls[kernels.Bottom].HeatValue = Constant(2)
	dev := openDevice(t, 1)
	c := simulate(t, dev, p, Controls{End: 1, Courant: 0.5}).Controls()
	within(t, "largest step σ/(2 |Ra| K ΔT)", c.MaxStep, 0.5/(2*100*4*2), 1e-12)
	within(t, "first step h²σ/(100 D)", c.FirstStep, 0.125*0.125*0.5/(100*2), 1e-12)
	p.Walls[kernels.Bottom].HeatValue = Constant(1)
	chosen := c
	c = simulate(t, dev, p, c).Controls()
	if c.MaxStep != chosen.MaxStep || c.FirstStep != chosen.FirstStep {
		t.Errorf("given steps were changed to %+v", c)
	}
}

// A given largest step does not hide that of buoyancy, which is the one chosen without it.
func TestBuoyantStep(t *testing.T) {
	dev := openDevice(t, 0)
	chosen := simulate(t, dev, heated(plane(8), 200), Controls{End: 1, Courant: 0.5})
	given := simulate(t, dev, heated(plane(8), 200), Controls{End: 1, Courant: 0.5, MaxStep: 0.1})
	within(t, "buoyant step", given.BuoyantStep(), 1.0/400, 1e-12)
	within(t, "chosen step", chosen.Controls().MaxStep, given.BuoyantStep(), 1e-15)
	if s := simulate(t, dev, heated(plane(8), 0), Controls{End: 1, Courant: 0.5}); !math.IsInf(s.BuoyantStep(), 1) {
		t.Errorf("without buoyancy %g", s.BuoyantStep())
	}
}

func TestCourantNumberBoundsTheStep(t *testing.T) {
	s := simulate(t, openDevice(t, 0), convecting(plane(16), 200), Controls{End: 0.2, Courant: 0.5, MaxStep: 1})
	rate := 0.0
	run(t, s, observe(func(s *Simulation, e Event) error {
		if !e.Start && s.sample.Dt*rate > 0.5*(1+1e-12) {
			t.Errorf("step %d has Courant number %g", s.Step(), s.sample.Dt*rate)
		}
		rate = courantRate(t, s)
		return nil
	}))
}

// convecting is a heated box with a strong start of convection.
func convecting(e stencil.Extent, rayleigh float64) Parameters {
	p := heated(e, rayleigh)
	p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 1, 1}, 0.2
	return p
}

// courantRate computes max Σ_d max(|q_low|, |q_high|)/w_d over the nodes from the face velocities.
func courantRate(t *testing.T, s *Simulation) float64 {
	g := s.Grid()
	rate := make([]float64, g.Nodes())
	for _, d := range []int{kernels.X, kernels.Z} {
		q := downloadFaces(t, s, d)
		eachNode(g, func(n int, ijk [3]int) {
			up := ijk
			up[d]++
			lo, hi := q.at(ijk[0], ijk[1], ijk[2]), q.at(up[0], up[1], up[2])
			rate[n] += math.Max(math.Abs(lo), math.Abs(hi)) / g.DualWidth(d, ijk[d])
		})
	}
	return slices.Max(rate)
}

// Heat moves at u/σ: a medium of another heat capacity convects alike at another pace, σ T_t being all that changes. Steps as long as
// those of σ = 1 would let a small σ blow up.
func TestStepsFollowTheHeatCapacity(t *testing.T) {
	dev, e := openDevice(t, 0), plane(16)
	outcome := func(ratio float64, field bool) ([]float64, int64) {
		p := convecting(e, 400)
		if p.HeatCapacityRatio = Uniform(ratio); field {
			p.HeatCapacityRatio = isotropicCells(e, func([3]float64) float64 { return ratio })
		}
		s := simulate(t, dev, p, Controls{End: 0.05 * ratio, Courant: 0.5})
		run(t, s)
		return download(t, s, "temperature"), s.Step()
	}
	want, steps := outcome(1, false)
	for _, ratio := range []float64{0.05, 0.2, 3} {
		for _, field := range []bool{false, true} {
			got, n := outcome(ratio, field)
			if n != steps {
				t.Errorf("σ = %g, cell by cell %v: %d steps, want %d", ratio, field, n, steps)
			}
			for c := range got {
				got[c] = math.Abs(got[c] - want[c])
			}
			if most := slices.Max(got); n == steps && most > 1e-6 {
				t.Errorf("σ = %g, cell by cell %v: temperatures differ by %g", ratio, field, most)
			}
		}
	}
}

// Times of further schedules are met too: those that differ from others by rounding with them, without slivers.
func TestMeasuresAreMet(t *testing.T) {
	for _, c := range []Controls{
		{End: 1, FirstStep: 1e-3, MaxStep: 0.03, Output: Schedule{Interval: 0.1}, Measures: []Schedule{{Interval: 0.05}, {Interval: 1. / 3}, {Times: []float64{0.3, 0.6, 0.7, 1}}}},
		{End: 0.7, FirstStep: 1e-3, MaxStep: 0.0123, Measures: []Schedule{{Interval: 0.07}, {Times: []float64{0.1, 0.10001, 0.5}}}},
		{End: 2e9, FirstStep: 1e6, MaxStep: 1e7, Output: Schedule{Times: []float64{3e8, 7e8}}, Measures: []Schedule{{Interval: 1e8}, {Interval: 1e9 / 3}}},
		{End: 1000, FirstStep: 0.05, MaxStep: 0.05, Output: Schedule{Interval: 0.3}, Measures: []Schedule{{Interval: 0.1}, {Interval: 0.9}}},
	} {
		c.Courant = 0.5
		times, dts := steps(&c, still)
		for n := range c.Measures {
			s := &c.Measures[n]
			want := len(s.Times)
			if s.Interval > 0 {
				want = int(c.End / s.Interval * (1 + 1e-9))
			}
			got := 0
			for n, v := range times {
				if s.Due(v, int64(n+1)) {
					got++
				}
			}
			if got != want {
				t.Errorf("%+v: due %d times, want %d", *s, got, want)
			}
		}
		due := 0
		for n, v := range times {
			if c.outputDue(v, int64(n+1)) {
				due++
			}
		}
		want := len(c.Output.Times)
		if i := c.Output.Interval; i > 0 {
			want = int(c.End / i * (1 + 1e-9))
		}
		if due != want {
			t.Errorf("%+v: output is due %d times, want %d", c.Output, due, want)
		}
		for n, dt := range dts[:len(dts)-1] {
			if dt < 1e-6*c.MaxStep {
				t.Errorf("step %d at %g is a sliver of %g", n, times[n], dt)
			}
		}
	}
}
