package physics

import (
	"math"
	"slices"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

var everywhere = [2]float64{math.Inf(-1), math.Inf(1)}

// wallsOf makes the walls of a heated box with patches.
func wallsOf(t *testing.T, e stencil.Extent, base [6]Wall, patches ...Patch) *walls {
	t.Helper()
	p := heated(e, 1)
	p.Walls, p.Patches = base, patches
	g, err := stencil.NewGrid(openDevice(t, 1), kernels.Float64, e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Free)
	return newWalls(g, &p)
}

// top is a patch of the top between two x, over the whole of y.
func top(lo, hi float64, w Wall) Patch {
	return Patch{Side: kernels.Top, Range: [3][2]float64{{lo, hi}, everywhere, everywhere}, Wall: w, Heat: true, Flow: true}
}

// heatOf is the temperature as the walls alone know it.
func heatOf(w *walls) *scalar {
	return &scalar{domain: &domain{grid: w.grid, walls: w}, of: (&Parameters{}).heat(), met: newPermitted()}
}

func total(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum
}

// TestPatchFluxIsExact checks the integral of the flux through patches whose edges lie anywhere between nodes.
func TestPatchFluxIsExact(t *testing.T) {
	flux := func(q float64) Wall { return Wall{HeatValue: Constant(q)} }
	for _, e := range []stencil.Extent{plane(10), cube(7), {Cells: [3]int{10, 0, 4}, Size: [3]float64{1, 0, 1}, Periodic: [3]bool{true, false, false}}} {
		for _, edge := range [][2]float64{{0.25, 0.75}, {0.2, 0.6}, {0.231, 0.2315}, {0, 0.37}, {0.03, 0.99}} {
			w := wallsOf(t, e, [6]Wall{}, top(edge[0], edge[1], flux(3)))
			within(t, "flux", total(heatOf(w).fluxes(kernels.Top, 0, nil)), 3*(edge[1]-edge[0]), 1e-12)
		}
		w := wallsOf(t, e, [6]Wall{kernels.Top: flux(1)}, top(0.1, 0.63, flux(2)), top(0.5, 0.77, flux(-4)))
		within(t, "overlapping patches", total(heatOf(w).fluxes(kernels.Top, 0, nil)), 1*(0.1+0.23)+2*0.4-4*0.27, 1e-12)
	}
}

// TestPatchVelocityIsExact checks the flow that enters through a patch, as the simulation has it.
func TestPatchVelocityIsExact(t *testing.T) {
	p := heated(plane(16), 50)
	p.Walls[kernels.Bottom] = Wall{Flow: FixedPressure, Inflow: Constant(1)}
	inlet := Wall{Flow: FixedVelocity, FlowValue: Constant(2), Inflow: Constant(0)}
	p.Patches = []Patch{top(0.313, 0.57, inlet)}
	s := simulate(t, openDevice(t, 0), p, Controls{End: 0.01, Courant: 0.5})
	run(t, s)
	for _, side := range []kernels.Side{kernels.Top, kernels.Bottom} {
		q := downloadFaces(t, s, kernels.Z)
		k := 0
		if side.High() {
			k = s.Grid().Box.N[2]
		}
		through := 0.0
		for i := range s.Grid().Box.N[0] {
			through -= q.at(i, 0, k) * s.Grid().DualWidth(0, i)
		}
		within(t, "flow through "+side.String(), through, 2*(0.57-0.313), 1e-8)
	}
}

// TestLaterPatchesWin checks which condition holds where patches overlap, edges included, and that a patch may replace
// only the heat or only the flow.
func TestLaterPatchesWin(t *testing.T) {
	heat := func(v, lo, hi float64) Patch {
		p := top(lo, hi, fixedAt(v))
		p.Flow = false
		return p
	}
	flow := Patch{Side: kernels.Top, Range: [3][2]float64{{0.5, 1}, everywhere, everywhere}, Flow: true,
		Wall: Wall{Flow: FixedPressure, FlowValue: Constant(7)}}
	w := wallsOf(t, plane(8), [6]Wall{}, heat(1, 0.25, 0.75), heat(2, 0.5, 0.625), flow)
	temperatures := []float64{0, 0, 1, 1, 2, 2, 1, 0, 0}
	pressures := []float64{0, 0, 0, 0, 7, 7, 7, 7, 7}
	fixed := w.fixed(func(c Wall) bool { return c.Heat == FixedTemperature })[kernels.Top]
	for n, v := range heatOf(w).fixed(kernels.Top, 0) {
		if v != temperatures[n] || fixed[n] != (v != 0) {
			t.Errorf("node %d is held at %v (%v), want %v", n, v, fixed[n], temperatures[n])
		}
	}
	for n, v := range w.pressures(kernels.Top, &buoyancy{factor: 100, terms: []buoyant{{heatOf(w), 1}}}, 0) {
		if v != pressures[n] {
			t.Errorf("node %d has pressure %v, want %v", n, v, pressures[n])
		}
	}
}

// TestPatchAroundPeriodicEnd checks that a patch holds the nodes at both of its edges where one is the end of a periodic axis, which
// is its start too.
func TestPatchAroundPeriodicEnd(t *testing.T) {
	e := plane(8)
	e.Periodic[kernels.X] = true
	for lo, want := range map[float64][]float64{0: {1, 1, 1, 0, 0, 0, 0, 0}, 0.25: {0, 0, 1, 1, 1, 0, 0, 0}, 0.75: {1, 0, 0, 0, 0, 0, 1, 1}} {
		w := wallsOf(t, e, [6]Wall{}, top(lo, lo+0.25, fixedAt(1)))
		if got := heatOf(w).fixed(kernels.Top, 0); !slices.Equal(got, want) {
			t.Errorf("a patch from %g holds %v, want %v", lo, got, want)
		}
	}
}

// TestHeatFluxFillsTheBox checks the heat content under a flux that varies in time: its integral, to second order.
func TestHeatFluxFillsTheBox(t *testing.T) {
	p := heated(plane(8), 0)
	p.Walls = [6]Wall{}
	p.Walls[kernels.Left] = Wall{Varies: true, HeatValue: func(_, _, z, t float64) float64 { return math.Cos(3*t) * 2 * z }}
	p.Initial = Initial{Temperature: Constant(0)}
	dev := openDevice(t, 0)
	var off [2]float64
	for i, dt := range []float64{0.02, 0.01} {
		s := simulate(t, dev, p, Controls{End: 0.5, Courant: 1, FirstStep: dt, MaxStep: dt, WallTolerance: 1})
		run(t, s)
		off[i] = s.Sample().Heat().Mean - math.Sin(1.5)/3
	}
	if order := math.Log2(off[0] / off[1]); !(order > 1.8) || math.Abs(off[1]) > 1e-3 {
		t.Errorf("heat content is off by %g and %g: order %.2f", off[0], off[1], order)
	}
}

// TestOpenColumnRests checks that the column behind an open side balances an interior at the same temperature, so that
// nothing flows: the outside is integrated as the inside is.
func TestOpenColumnRests(t *testing.T) {
	profile := func(_, _, z, _ float64) float64 { return z * z }
	for _, e := range []stencil.Extent{plane(12), cube(6)} {
		p := heated(e, 500)
		p.Walls[kernels.Bottom], p.Walls[kernels.Top] = fixedAt(0), fixedAt(1)
		for s := kernels.Left; s <= kernels.Back; s++ {
			p.Walls[s] = Wall{Flow: Open, Inflow: profile}
		}
		p.Walls[kernels.Top].Flow = Open
		p.HeatSource = Constant(-2) // of T = z²
		p.Initial = Initial{Temperature: profile}
		for _, p.Stencil = range bothStencils {
			s := simulate(t, openDevice(t, 0), p, Controls{End: 0.02, Courant: 0.5})
			run(t, s)
			if v := s.Sample().SpeedMax; v > 1e-10 {
				t.Errorf("%s, %v: max |u| = %g", stencilName(p.Stencil), e.Cells, v)
			}
		}
	}
}
