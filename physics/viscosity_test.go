package physics

import (
	"math"
	"slices"
	"strings"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// exponential returns μ = exp(-c T).
func exponential(c float64) *Law {
	return ByTemperature(func(t float64) float64 { return math.Exp(-c * t) })
}

// ofBoth is μ = exp(-1.5 T + 0.8 S - 0.4 T S), whose logarithm is not linear in either.
func ofBoth() *Law {
	return &Law{Of: func(t, s float64) float64 { return math.Exp(-1.5*t + 0.8*s - 0.4*t*s) }, OfTemperature: true, OfConcentration: true}
}

// TestObservedOrderWithViscosity checks the order of accuracy of the whole steady system where the viscosity varies with
// the temperature, with the concentration of a solute, or with both.
func TestObservedOrderWithViscosity(t *testing.T) {
	dev := openDevice(t, 0)
	square := stencil.Extent{Cells: [3]int{1, 0, 1}, Size: [3]float64{1, 0, 1}}
	box := stencil.Extent{Cells: [3]int{1, 1, 1}, Size: [3]float64{1, 1, 1}}
	for _, l := range []struct {
		extent stencil.Extent
		cells  [2]int
		points kernels.Stencil
		cases  []manufacturedCase
		of     *Law
		salt   float64
	}{
		{square, [2]int{24, 48}, kernels.SevenPoint, slices.Concat(manufacturedCases[:1], manufacturedCases[6:]), exponential(1.5), 0},
		{square, [2]int{24, 48}, kernels.TwentySevenPoint, manufacturedCases[6:7], exponential(1.5), 0},
		{box, [2]int{8, 16}, kernels.SevenPoint, manufacturedCases[4:5], exponential(1.5), 0},
		{box, [2]int{8, 16}, kernels.TwentySevenPoint, manufacturedCases[4:5], exponential(1.5), 0},
		{graded(square), [2]int{24, 48}, kernels.SevenPoint, manufacturedCases[:1], ofBoth(), -0.5},
		{square, [2]int{24, 48}, kernels.TwentySevenPoint, manufacturedCases[6:7], ofBoth(), -0.5},
		{box, [2]int{10, 20}, kernels.SevenPoint, manufacturedCases[4:5], ofBoth(), -0.5},
		{square, [2]int{24, 48}, kernels.SevenPoint, manufacturedCases[4:5], ofSalt(1.2), -0.5},
	} {
		for _, c := range l.cases {
			if testing.Short() && l.salt != 0 && l.extent.Cells[1] > 0 {
				continue
			}
			var e [2]solutionErrors
			for r, n := range l.cells {
				m := c.make(0, l.extent)
				m.viscosity, m.salt = l.of, l.salt
				e[r] = steadyErrors(t, dev, m, n, c.walls, kernels.Central, l.points)
			}
			order := func(a, b float64) float64 { return math.Log2(a / b) }
			if s := order(e[0].concentration, e[1].concentration); l.salt != 0 && !(s >= 1.9) {
				t.Errorf("%s, %d-D: order S %.2f, want 1.9", c.name, l.extent.Cells[1]+2, s)
			}
			p, temperature, flux := order(e[0].pressure, e[1].pressure), order(e[0].temperature, e[1].temperature), order(e[0].flux, e[1].flux)
			t.Logf("%s, %d-D: order p %.2f T %.2f flux %.2f, errors %.2e", c.name, l.extent.Cells[1]+2, p, temperature, flux, e[1])
			if !(min(p, temperature, flux) >= 1.9) {
				t.Errorf("%s, %d-D: order p %.2f T %.2f flux %.2f, want 1.9", c.name, l.extent.Cells[1]+2, p, temperature, flux)
			}
		}
	}
}

// TestThroughFlowWithViscosity drives fluid up a column by a pressure drop P. Its exact solution has the uniform velocity
// w for which
//
//	P = ∫ (w μ(T) - Ra T) dz,   T = (e^w - e^{wz})/(e^w - 1).
func TestThroughFlowWithViscosity(t *testing.T) {
	const rayleigh, drop = 1.0, 0.3
	law := exponential(1)
	mu := law.alone(true)
	pressure := func(w float64) float64 {
		const n = 20000
		sum := 0.0
		for i := range n {
			temperature := (math.Exp(w) - math.Exp(w*(float64(i)+0.5)/n)) / (math.Exp(w) - 1)
			sum += (w*mu(temperature) - rayleigh*temperature) / n
		}
		return sum
	}
	low, high := 0.1, 50.0
	for range 60 {
		if mid := (low + high) / 2; pressure(mid) < drop {
			low = mid
		} else {
			high = mid
		}
	}
	dev := openDevice(t, 0)
	var off [2]float64
	for r, n := range []int{16, 32} {
		p := heated(stencil.Extent{Cells: [3]int{4, 0, n}, Size: [3]float64{0.25, 0, 1}}, rayleigh)
		p.Viscosity = law
		for side, v := range map[kernels.Side]float64{kernels.Bottom: drop, kernels.Top: 0} {
			p.Walls[side].Flow, p.Walls[side].FlowValue = FixedPressure, Constant(v)
		}
		s := simulate(t, dev, p, Controls{End: 5, Courant: 10, MaxStep: 0.01})
		settle(t, s, 1e-7)
		off[r] = math.Abs(s.sample.SpeedMax/low - 1)
	}
	order := math.Log2(off[0] / off[1])
	t.Logf("w = %.6f, errors %.2e, order %.2f", low, off, order)
	if !(order >= 1.9 && off[1] < 2e-3) {
		t.Errorf("the velocity is off by %.2e, with order %.2f", off, order)
	}
}

// TestGrowthRateWithViscosity compares the growth of a roll cos(ax) on the conduction state 1 - z with the largest
// eigenvalue σ of the linear problem, by a Galerkin method in sin(nπz):
//
//	-(μ S')' + a² μ S = a Ra Θ,   σ Θ = Θ” - a² Θ + a S,   μ = exp(-c (1 - z)),
//
// S(z) sin(ax) the streamfunction and Θ(z) cos(ax) the temperature.
func TestGrowthRateWithViscosity(t *testing.T) {
	const c, rayleigh = 3.0, 20.0
	want := rollGrowth(rayleigh, math.Pi, exponential(c).alone(true))
	if free := rollGrowth(50, math.Pi, exponential(0).alone(true)); math.Abs(free-(25-2*math.Pi*math.Pi)) > 1e-9 {
		t.Fatalf("the reference gives %g without viscosity", free)
	}
	p := seeded(plane(64), rayleigh, [3]int{1, 0, 1})
	p.Viscosity = exponential(c)
	within(t, "growth rate", growthRate(t, openDevice(t, 0), p, 0.2, 1e-3), want, 0.005)
}

// rollGrowth returns the growth rate of rolls of wave number a.
func rollGrowth(rayleigh, a float64, mu func(float64) float64) float64 {
	const modes, points = 12, 2000
	var m [modes][modes]float64
	for i := range points {
		z := (float64(i) + 0.5) / points
		for r := range modes {
			for c := range modes {
				x, y := math.Pi*float64(r+1), math.Pi*float64(c+1)
				m[r][c] += 2 * mu(1-z) * (x*y*math.Cos(x*z)*math.Cos(y*z) + a*a*math.Sin(x*z)*math.Sin(y*z)) / points
			}
		}
	}
	decay := func(n int) float64 { return math.Pow(math.Pi*float64(n+1), 2) + a*a }
	theta, rate := [modes]float64{1, 0.5, 0.25}, 0.0
	for range 2000 { // power iteration on the problem shifted to positive rates
		s := eliminate(m, theta)
		size, next := 0.0, theta
		for n := range next {
			next[n] = a*a*rayleigh*s[n] + (decay(modes-1)-decay(n))*theta[n]
			size += next[n] * next[n]
		}
		size = math.Sqrt(size)
		rate = size - decay(modes-1)
		for n := range next {
			theta[n] = next[n] / size
		}
	}
	return rate
}

// eliminate solves m x = b, m positive definite.
func eliminate(m [12][12]float64, b [12]float64) [12]float64 {
	for p := range b {
		for r := p + 1; r < len(b); r++ {
			f := m[r][p] / m[p][p]
			for c := p; c < len(b); c++ {
				m[r][c] -= f * m[p][c]
			}
			b[r] -= f * b[p]
		}
	}
	for p := len(b) - 1; p >= 0; p-- {
		for c := p + 1; c < len(b); c++ {
			b[p] -= m[p][c] * b[c]
		}
		b[p] /= m[p][p]
	}
	return b
}

// TestStratificationRestsWithViscosity: a stable layer stays at rest to rounding whatever its viscosity.
func TestStratificationRestsWithViscosity(t *testing.T) {
	for _, e := range []kernels.Elem{kernels.Float64, kernels.Float32} {
		p := heated(cube(8), -500)
		p.Viscosity, p.Precision, p.Pressure.Tolerance = exponential(4), e, 0
		s := simulate(t, openDevice(t, 0), p, Controls{End: 0.01, Courant: 0.5})
		run(t, s)
		if v := s.sample.SpeedMax; v > 500*e.Epsilon() {
			t.Errorf("%v: speed %g", e, v)
		}
	}
}

// TestViscosityTable: the table is widened as the temperature leaves its range, keeps the last value where the viscosity
// is not a positive number, and a viscosity that is none at the temperatures of the start is refused.
func TestViscosityTable(t *testing.T) {
	p := heated(plane(8), 10)
	p.Viscosity = ByTemperature(func(t float64) float64 { return 2.5 - t })
	p.Walls[kernels.Bottom] = Wall{Heat: FixedTemperature, Varies: true,
		HeatValue: func(_, _, _, t float64) float64 { return 1 + 10*t }}
	s := simulate(t, openDevice(t, 0), p, Controls{End: 0.1, Courant: 0.5, MaxStep: 0.005})
	v := s.model.flow.viscosity.alone
	if v.centre != 0.5 || v.reach != 1 || v.values[0] != 1/3.0 || v.values[viscosityEntries-1] != 1 {
		t.Errorf("table of %g ± %g from %g to %g", v.centre, v.reach, v.values[0], v.values[viscosityEntries-1])
	}
	run(t, s)
	if v.reach < 1.4 || math.Abs(v.excursion-1.5) > 1e-12 {
		t.Errorf("at T = 2 the table reaches %g from its centre, the temperature %g", v.reach, v.excursion)
	}
	if last := v.values[viscosityEntries-1]; !(last > 1/(2.5-2) && !math.IsInf(last, 0)) {
		t.Errorf("the table ends with %g", last)
	}
	p.Viscosity = ByTemperature(func(t float64) float64 { return 0.5 - t })
	if _, err := New(openDevice(t, 0), p, Controls{End: 1, Courant: 0.5}); err == nil || !strings.Contains(err.Error(), "viscosity") {
		t.Errorf("error %v", err)
	}
}
