package physics

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// The conditions of walls by what they prescribe: the manufactured values of it.
var (
	fluxClosed   = condition{HeatFlux, Closed}
	fluxOpen     = condition{HeatFlux, Open}
	fluxPressure = condition{HeatFlux, FixedPressure}
	fluxVelocity = condition{HeatFlux, FixedVelocity}
	tempClosed   = condition{FixedTemperature, Closed}
	tempOpen     = condition{FixedTemperature, Open}
	tempPressure = condition{FixedTemperature, FixedPressure}
	tempVelocity = condition{FixedTemperature, FixedVelocity}
	tiedClosed   = condition{HeatTransfer, Closed}
	tiedPressure = condition{HeatTransfer, FixedPressure}
	tiedVelocity = condition{HeatTransfer, FixedVelocity}
)

// manufacturedCase is a solution with the walls that it suits.
type manufacturedCase struct {
	name     string
	walls    [6]condition
	periodic [3]bool
	gx, gy   func(l float64) wave
	s        wave
	upflow   float64
	tau      [2]float64
	loss     float64
}

// around returns a function that makes a wave of n half periods over a length l.
func around(mean, amp, n, phase float64) func(l float64) wave {
	return func(l float64) wave { return wave{mean, amp, n * math.Pi / l, phase} }
}

// manufacturedCases cover every kind of wall; cos(πx/L) suits closed sides, sin(πz) closed plates, and S' = 0 at the top
// an open top or open sides, where the pressure is that of a column.
var manufacturedCases = []manufacturedCase{
	{name: "closed, plates isothermal, sides flux",
		walls: [6]condition{fluxClosed, fluxClosed, fluxClosed, fluxClosed, tempClosed, tempClosed},
		gx:    around(0, 1, 1, 0), gy: around(1, 0.5, 1, 0), s: wave{0, 0.4, math.Pi, -math.Pi / 2}, tau: [2]float64{0, 1}},
	{name: "closed, one plate isothermal, one flux, sides isothermal",
		walls: [6]condition{tempClosed, fluxClosed, fluxClosed, tempClosed, fluxClosed, tempClosed},
		gx:    around(0, 1, 1, 0), gy: around(1, 0.5, 1, 0), s: wave{0, 0.4, math.Pi, -math.Pi / 2}, tau: [2]float64{0, 1}},
	{name: "open top with flux, closed isothermal bottom",
		walls: [6]condition{fluxClosed, fluxClosed, fluxClosed, fluxClosed, tempClosed, fluxOpen},
		gx:    around(0, 1, 1, 0), gy: around(1, 0.5, 1, 0), s: wave{0, 0.4, math.Pi / 2, -math.Pi / 2}, tau: [2]float64{0, 1}},
	{name: "open isothermal sides and top, bottom flux",
		walls: [6]condition{tempOpen, tempOpen, tempOpen, tempOpen, fluxClosed, tempOpen},
		gx:    around(0, 1, 1, 0.4), gy: around(1, 0.5, 1, 0.3), s: wave{0, 0.4, math.Pi / 2, -math.Pi / 2}, tau: [2]float64{0, 1}},
	{name: "through-flow, velocity left, pressure right",
		walls: [6]condition{fluxVelocity, fluxPressure, fluxVelocity, fluxPressure, tempClosed, fluxClosed},
		gx:    around(0, 1, 0.5, 0.2), gy: around(1, 0.5, 1, 0.3), s: wave{0, 0.4, math.Pi, -math.Pi / 2}, tau: [2]float64{0, 1}},
	{name: "velocity on all walls",
		walls: [6]condition{tempVelocity, fluxVelocity, tempVelocity, fluxVelocity, tempVelocity, fluxVelocity},
		gx:    around(0, 1, 0.7, 0.2), gy: around(1, 0.5, 1, 0.3), s: wave{0.1, 0.3, 2, 0.3}, upflow: 0.5, tau: [2]float64{0, 1}},
	{name: "pressure on all walls",
		walls: [6]condition{fluxPressure, tempPressure, tempPressure, fluxPressure, fluxPressure, tempPressure},
		gx:    around(0, 1, 0.7, 0.2), gy: around(1, 0.5, 1, 0.3), s: wave{0.1, 0.3, 2, 0.3}, upflow: 0.5, tau: [2]float64{0, 1}},
	{name: "closed, tied all around",
		walls: [6]condition{tiedClosed, tiedClosed, tiedClosed, tiedClosed, tiedClosed, tiedClosed},
		gx:    around(0, 1, 1, 0), gy: around(1, 0.5, 1, 0), s: wave{0, 0.4, math.Pi, -math.Pi / 2}, tau: [2]float64{0, 1}},
	{name: "through-flow, losing heat",
		walls: [6]condition{tiedVelocity, fluxPressure, fluxVelocity, tempPressure, tempClosed, fluxClosed}, loss: 7,
		gx: around(0, 1, 0.5, 0.2), gy: around(1, 0.5, 1, 0.3), s: wave{0, 0.4, math.Pi, -math.Pi / 2}, tau: [2]float64{0, 1}},
	{name: "through-flow past tied walls",
		walls: [6]condition{tiedVelocity, tiedPressure, tiedVelocity, tempPressure, tempClosed, tiedClosed},
		gx:    around(0, 1, 0.5, 0.2), gy: around(1, 0.5, 1, 0.3), s: wave{0, 0.4, math.Pi, -math.Pi / 2}, tau: [2]float64{0, 1}},
	{name: "periodic sides, pressure below, velocity above",
		walls:    [6]condition{4: fluxPressure, 5: tempVelocity},
		periodic: [3]bool{true, true, false},
		gx:       around(0, 0.3, 2, 0.4), gy: around(1, 0.5, 2, 0.3), s: wave{0.1, 0.3, 2, 0.3}, upflow: 0.5, tau: [2]float64{0, 1}},
}

// make returns the manufactured solution of a case on an extent; K and D are constant or vary along all axes, along x and
// y with amplitudes times varying.
func (c *manufacturedCase) make(varying float64, e stencil.Extent) *manufactured {
	e.Periodic = c.periodic
	m := &manufactured{extent: e, rayleigh: 8, loss: c.loss, gx: c.gx(e.Size[0]), gy: one, s: c.s, cx: one, cy: one, m: one,
		kz: [3]wave{one, one, {mean: 0.8}}, r: 1.3, upflow: c.upflow, tau0: c.tau[0], tau1: c.tau[1],
		diffusivity: [3]float64{1.2, 0.9, 1}, shape: [3]wave{one, one, one}}
	if e.Cells[1] > 0 {
		m.gy = c.gy(e.Size[1])
	} else {
		m.extent.Periodic[1] = false
	}
	if varying > 0 {
		n := 1.0
		if c.periodic[0] {
			n = 2
		}
		along := func(d int, amp, phase float64) wave { return around(1, amp*varying, n, phase)(e.Size[d]) }
		m.cx, m.m = along(0, 0.3, 0.5), wave{1, 0.3, 3, 0.2}
		m.kz = [3]wave{along(0, 0.3, 0.1), one, {1, 0.3, 2.5, 0.7}}
		m.shape = [3]wave{along(0, 0.3, 0.3), one, {1, 0.2, 2, 0.1}}
		if e.Cells[1] > 0 {
			m.cy, m.kz[1], m.shape[1] = along(1, 0.2, 0.3), along(1, 0.2, 0.8), along(1, 0.2, 0.5)
		}
	}
	return m
}

// solutionErrors are the errors of a steady state: L2 of pressure, temperature and concentration, volume-weighted L1 of the flux.
type solutionErrors struct{ pressure, temperature, flux, concentration float64 }

// steadyErrors runs a manufactured problem to its steady state and compares.
func steadyErrors(t *testing.T, dev kernels.Device, m *manufactured, n int, walls [6]condition, scheme kernels.Scheme, points kernels.Stencil) solutionErrors {
	t.Helper()
	p := m.parameters(n, walls, scheme)
	p.Stencil = points
	p.Pressure.Tolerance, p.Diffusion.Tolerance = 1e-7, 1e-7
	step := 0.03
	if m.salt != 0 {
		step = 0.01 // the coupling is explicit, and a solute in its porosity is faster than heat
	}
	s, err := New(dev, p, Controls{End: 50, Courant: 100, FirstStep: 0.01, MaxStep: step})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	settle(t, s, 3e-5)
	pressure, temperature := download(t, s, "pressure"), download(t, s, "temperature")
	g := s.Grid()
	var shift float64
	eachNode(g, func(n int, ijk [3]int) {
		x := nodePoint(s, ijk)
		pressure[n] -= m.pressure(x)
		temperature[n] -= m.temperature(x)
		shift += nodeVolume(g, ijk) * pressure[n] / g.Volume()
	})
	if s.model.flow.hasPressed {
		shift = 0
	}
	var e solutionErrors
	eachNode(g, func(n int, ijk [3]int) {
		v := nodeVolume(g, ijk) / g.Volume()
		e.pressure += v * (pressure[n] - shift) * (pressure[n] - shift)
		e.temperature += v * temperature[n] * temperature[n]
	})
	e.pressure, e.temperature = math.Sqrt(e.pressure), math.Sqrt(e.temperature)
	e.concentration = m.concentrationError(t, s)
	for d := range 3 {
		if g.Cells[d] > 0 {
			e.flux += fluxError(t, s, m, d)
		}
	}
	return e
}

// settle steps until no scalar changes by more than a rate.
func settle(t *testing.T, s *Simulation, rate float64) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	scalars := func() (all []float64) {
		for _, u := range s.model.scalars {
			all = append(all, download(t, s, u.of.Name)...)
		}
		return all
	}
	before := scalars()
	outcome, err := s.Run(ctx, observe(func(s *Simulation, e Event) error {
		now := scalars()
		change := 0.0
		for n, v := range now {
			change = math.Max(change, math.Abs(v-before[n]))
		}
		before = now
		if !e.Start && change < rate*s.sample.Dt {
			stop()
		}
		return nil
	}))
	if err != nil || outcome != Interrupted {
		t.Fatalf("no steady state at t = %g: %v", s.Time(), err)
	}
}

func nodePoint(s *Simulation, ijk [3]int) [3]float64 {
	w := s.model.walls
	return [3]float64{w.x[0][ijk[0]], w.x[1][ijk[1]], w.x[2][ijk[2]]}
}

// fluxError is the L1 error of the normal velocities on the dual faces of an axis against the exact mean over each face,
// weighted by face area times the distance between its nodes (half a cell for wall faces, which lie on the node).
func fluxError(t *testing.T, s *Simulation, m *manufactured, d int) float64 {
	g := s.Grid()
	q := downloadFaces(t, s, d)
	sum := 0.0
	for n, v := range q.values {
		ijk := [3]int{n % q.shape[0], n / q.shape[0] % q.shape[1], n / (q.shape[0] * q.shape[1])}
		if g.Periodic[d] && ijk[d] == 0 {
			continue // the same face as the last
		}
		x, nodes := [3]float64{}, g.Coordinates(d)
		var weight float64
		switch {
		case ijk[d] == 0:
			weight = g.Widths[d][0] / 2
		case ijk[d] == g.Box.N[d] && !g.Periodic[d]:
			x[d], weight = g.Size[d], g.Widths[d][ijk[d]-2]/2
		default:
			weight = g.Widths[d][ijk[d]-1]
			x[d] = nodes[ijk[d]-1] + weight/2
		}
		for a := range 3 {
			if a != d {
				weight *= g.DualWidth(a, ijk[a])
			}
		}
		sum += weight * math.Abs(v-faceMean(s, m, d, ijk, x))
	}
	return sum / g.Volume()
}

// faceMean is the exact mean of u_d over the dual face at x[d] around the node's other coordinates, by Gauss points.
func faceMean(s *Simulation, m *manufactured, d int, ijk [3]int, x [3]float64) float64 {
	g := s.Grid()
	var points [3][2]float64
	for a := range 3 {
		points[a] = [2]float64{x[a], x[a]}
		if a == d || g.Cells[a] == 0 {
			continue
		}
		node, n := g.Coordinates(a)[ijk[a]], g.Cells[a]
		lo, hi := node, node
		if ijk[a] > 0 || g.Periodic[a] {
			lo -= g.Widths[a][(ijk[a]-1+n)%n] / 2
		}
		if ijk[a] < n {
			hi += g.Widths[a][ijk[a]] / 2
		}
		mid, arm := (lo+hi)/2, (hi-lo)/2/math.Sqrt(3)
		points[a] = [2]float64{mid - arm, mid + arm}
	}
	sum := 0.0
	for c := range 8 {
		sum += m.velocity([3]float64{points[0][c&1], points[1][c>>1&1], points[2][c>>2]})[d]
	}
	return sum / 8
}

// convergence is one line of the table of observed orders.
type convergence struct {
	name    string
	extent  stencil.Extent
	varying float64 // of the wave amplitudes of K and D along x and y
	scheme  kernels.Scheme
	cells   [2]int         // coarse and fine, in the extent's cells
	least   solutionErrors // orders
	salt    float64        // N of a solute; 0: none
}

// TestObservedOrder checks the order of accuracy of the whole steady system, with -short on one in six lines, if it is of 2-D: which, TEST_SEED says.
func TestObservedOrder(t *testing.T) {
	t.Parallel()
	drawn := devicetest.Draw(t, 6)
	square := stencil.Extent{Cells: [3]int{1, 0, 1}, Size: [3]float64{1, 0, 1}}
	slab := stencil.Extent{Cells: [3]int{1, 0, 5}, Size: [3]float64{2, 0, 1}} // cells 10 : 1 flat
	box := stencil.Extent{Cells: [3]int{1, 1, 1}, Size: [3]float64{1, 1, 1}}
	flatBox := stencil.Extent{Cells: [3]int{1, 1, 5}, Size: [3]float64{2, 2, 1}}
	second, oneAndHalf := solutionErrors{1.9, 1.9, 1.9, 1.9}, solutionErrors{1.5, 1.5, 1.5, 1.5}
	for _, l := range []convergence{
		{"square", square, 0, kernels.Central, [2]int{24, 48}, second, 0},
		{"square, variable K and D", square, 1, kernels.Central, [2]int{24, 48}, second, 0},
		{"square, tvd", square, 0, kernels.TVD, [2]int{24, 48}, oneAndHalf, 0},
		{"square, weno5", square, 0, kernels.WENO5, [2]int{24, 48}, second, 0},
		{"square, variable K and D, tvd", square, 1, kernels.TVD, [2]int{24, 48}, oneAndHalf, 0},
		{"2-D, 10:1 cells", slab, 0, kernels.Central, [2]int{12, 24}, second, 0},
		{"2-D, 10:1 cells, variable K and D", slab, 1, kernels.Central, [2]int{16, 32}, second, 0},
		{"2-D, 10:1 cells, tvd", slab, 0, kernels.TVD, [2]int{12, 24}, oneAndHalf, 0},
		{"2-D, 10:1 cells, variable K and D, tvd", slab, 1, kernels.TVD, [2]int{16, 32}, oneAndHalf, 0},
		{"square, graded", graded(square), 0, kernels.Central, [2]int{24, 48}, second, 0},
		{"square, graded, variable K and D, tvd", graded(square), 1, kernels.TVD, [2]int{24, 48}, oneAndHalf, 0},
		{"square, graded, weno5", graded(square), 0, kernels.WENO5, [2]int{24, 48}, second, 0},
		{"cube, graded, variable K and D", graded(box), 0.5, kernels.Central, [2]int{10, 20}, second, 0},
		{"cube", box, 0, kernels.Central, [2]int{10, 20}, second, 0},
		{"cube, variable K and D", box, 1, kernels.Central, [2]int{10, 20}, second, 0},
		{"cube, tvd", box, 0, kernels.TVD, [2]int{10, 20}, oneAndHalf, 0},
		{"cube, variable K and D, tvd", box, 1, kernels.TVD, [2]int{10, 20}, oneAndHalf, 0},
		{"3-D, 10:1 cells", flatBox, 0, kernels.Central, [2]int{8, 16}, second, 0},
		{"3-D, 10:1 cells, variable K and D", flatBox, 0.5, kernels.Central, [2]int{8, 16}, second, 0},
		{"3-D, 10:1 cells, tvd", flatBox, 0, kernels.TVD, [2]int{8, 16}, oneAndHalf, 0},
		{"3-D, 10:1 cells, variable K and D, tvd", flatBox, 1, kernels.TVD, [2]int{8, 16}, oneAndHalf, 0},
	} {
		if !drawn() || testing.Short() && l.extent.Cells[1] > 0 {
			continue
		}
		t.Run(l.name, func(t *testing.T) { l.check(t, kernels.SevenPoint) })
	}
}

// TestObservedOrderOf27Points is TestObservedOrder with trilinear elements.
func TestObservedOrderOf27Points(t *testing.T) {
	t.Parallel()
	drawn := devicetest.Draw(t, 3)
	square := stencil.Extent{Cells: [3]int{1, 0, 1}, Size: [3]float64{1, 0, 1}}
	slab := stencil.Extent{Cells: [3]int{1, 0, 5}, Size: [3]float64{2, 0, 1}} // cells 10 : 1 flat
	box := stencil.Extent{Cells: [3]int{1, 1, 1}, Size: [3]float64{1, 1, 1}}
	flatBox := stencil.Extent{Cells: [3]int{1, 1, 5}, Size: [3]float64{2, 2, 1}}
	second := solutionErrors{1.9, 1.9, 1.9, 1.9}
	for _, l := range []convergence{
		{"square, variable K and D", square, 1, kernels.Central, [2]int{24, 48}, second, 0},
		{"2-D, 10:1 cells, variable K and D", slab, 1, kernels.Central, [2]int{24, 48}, second, 0},
		{"square, graded, weno5", graded(square), 0, kernels.WENO5, [2]int{24, 48}, second, 0},
		{"cube, variable K and D", box, 0.5, kernels.Central, [2]int{18, 36}, second, 0}, // fluxes at walls: 1.88 from 12 to 24 cells
		{"3-D, 10:1 cells", flatBox, 0, kernels.Central, [2]int{8, 16}, second, 0},
	} {
		if !drawn() || testing.Short() && l.extent.Cells[1] > 0 {
			continue
		}
		t.Run(l.name, func(t *testing.T) { l.check(t, kernels.TwentySevenPoint) })
	}
}

// check runs the manufactured cases with a stencil, one of two, a short test one of four.
func (l *convergence) check(t *testing.T, points kernels.Stencil) {
	every := 2
	if testing.Short() {
		every = 4
	}
	drawn := devicetest.Draw(t, every)
	cases := slices.DeleteFunc(slices.Clone(manufacturedCases), func(manufacturedCase) bool { return !drawn() })
	l.checkCases(t, points, cases, func(*manufactured) {})
}

// checkCases runs manufactured cases, each solution changed.
func (l *convergence) checkCases(t *testing.T, points kernels.Stencil, cases []manufacturedCase, change func(m *manufactured)) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dev := openDevice(t, 1)
			var e [2]solutionErrors
			for r, n := range l.cells {
				m := c.make(l.varying, l.extent)
				m.salt = l.salt
				change(m)
				e[r] = steadyErrors(t, dev, m, n, c.walls, l.scheme, points)
			}
			ratio := math.Log(float64(l.cells[1]) / float64(l.cells[0]))
			order := func(a, b float64) float64 { return math.Log(a/b) / ratio }
			o := solutionErrors{order(e[0].pressure, e[1].pressure), order(e[0].temperature, e[1].temperature), order(e[0].flux, e[1].flux), order(e[0].concentration, e[1].concentration)}
			t.Logf("%s", l.row(e[1], o))
			for _, q := range []struct {
				name        string
				got, wanted float64
			}{{"pressure", o.pressure, l.least.pressure}, {"temperature", o.temperature, l.least.temperature}, {"flux", o.flux, l.least.flux}} {
				if !(q.got >= q.wanted) {
					t.Errorf("%s converges with order %.2f, want %.1f", q.name, q.got, q.wanted)
				}
			}
			if l.salt != 0 && !(o.concentration >= l.least.concentration) {
				t.Errorf("the concentration converges with order %.2f, want %.1f: errors %g and %g", o.concentration, l.least.concentration, e[0].concentration, e[1].concentration)
			}
		})
	}
}

func (l *convergence) row(e, o solutionErrors) string {
	return fmt.Sprintf("order p %.2f T %.2f flux %.2f S %.2f, error at %d: p %.2e T %.2e flux %.2e S %.2e",
		o.pressure, o.temperature, o.flux, o.concentration, l.cells[1], e.pressure, e.temperature, e.flux, e.concentration)
}
