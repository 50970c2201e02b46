package stencil

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
)

// flows yields flows on closed, open and periodic boxes, constant and variable, 2-D and 3-D, of both stencils.
func flows(t *testing.T, check func(t *testing.T, f *Flow)) {
	dev := device(t)
	cases := []struct {
		name     string
		periodic [3]bool
		fixed    []kernels.Side
	}{
		{"closed", [3]bool{}, nil},
		{"pressure walls", [3]bool{}, []kernels.Side{kernels.Left, kernels.Top}},
		{"periodic", [3]bool{true, true, false}, []kernels.Side{kernels.Bottom}},
		{"all periodic", [3]bool{true, true, true}, nil},
	}
	for _, c := range cases {
		for _, flat := range []bool{false, true} {
			for n := range 4 {
				variable, stencil := n%2 == 1, bothStencils[n/2]
				t.Run(fmt.Sprintf("%s/flat=%v/variable=%v/%d", c.name, flat, variable, stencil.Points()), func(t *testing.T) {
					e := Extent{Cells: [3]int{9, 5, 7}, Size: [3]float64{1.3, 0.8, 1}, Periodic: c.periodic}
					if flat {
						e.Cells[1], e.Periodic[1] = 0, false
					}
					g := must[*Grid](t)(NewGrid(dev, kernels.Float64, e))
					b := must[*Boundary](t)(NewBoundary(g, walls(g, c.fixed...)))
					co := Coefficients{Stencil: stencil, Constant: [3]float64{1.5, 0.7, 2.5}}
					if variable {
						k := lognormal(cellCount(g), 2, 1)
						co.Cells = [3][]float64{k, k, lognormal(cellCount(g), 2, 3)}
					}
					o := must[*Operator](t)(NewOperator(b, co))
					check(t, must[*Flow](t)(NewFlow(o)))
				})
			}
		}
	}
}

// imbalance returns the inflow into every node: the advective gain of T = 1.
func imbalance(t *testing.T, f *Flow) []float64 {
	t.Helper()
	g := f.Operator.Grid
	ones := make([]float64, g.Nodes())
	for n := range ones {
		ones[n] = 1
	}
	out := must[*Field](t)(g.NewField("imbalance", nil))
	transport := Transport{Flow: f, Scheme: kernels.Central}
	transport.Advect(out, field(t, g, ones))
	return download(t, out)
}

func TestMassBalanceClosesToTheResidual(t *testing.T) {
	const rayleigh = 37
	flows(t, func(t *testing.T, f *Flow) {
		o, g := f.Operator, f.Operator.Grid
		for s := range 6 { // through-flow of any kind
			side := kernels.Side(s)
			if g.Wall(side) && !o.Boundary.Fixed(side) {
				if err := f.SetWallVelocity(side, noise(g.Box.WallNodes(side), uint64(s))); err != nil {
					t.Fatal(err)
				}
			}
		}
		p, temperature := field(t, g, noise(g.Nodes(), 11)), field(t, g, noise(g.Nodes(), 12))
		source, r := field(t, g, make([]float64, g.Nodes())), field(t, g, make([]float64, g.Nodes()))
		f.Average(temperature)
		f.Source(source, temperature, rayleigh)
		o.Residual(r, source, p)
		f.Update(p, temperature, rayleigh)
		residual, gain := download(t, r), imbalance(t, f)
		for n := range gain { // zero at nodes of fixed pressure, where fluid passes the wall
			near(t, fmt.Sprintf("node %d", n), gain[n], residual[n], 1e-12, rayleigh)
		}
	})
}

func TestStratificationHasNoSource(t *testing.T) {
	flows(t, func(t *testing.T, f *Flow) {
		g := f.Operator.Grid
		if g.Periodic[2] {
			return
		}
		levels := noise(g.Box.N[2], 4)
		v := make([]float64, g.Nodes())
		for n := range v {
			v[n] = levels[n/(g.Box.N[0]*g.Box.N[1])]
		}
		temperature, source := field(t, g, v), field(t, g, noise(len(v), 5))
		f.Average(temperature)
		f.Source(source, temperature, 1e6)
		if m := maxAbs(download(t, source)); m != 0 {
			t.Errorf("source up to %g", m)
		}
		p := field(t, g, make([]float64, len(v)))
		f.Update(p, temperature, 1e6)
		if m := maxAbs(imbalance(t, f)); m != 0 {
			t.Errorf("imbalance up to %g", m)
		}
		for d, u := range f.Velocity {
			if m := maxAbs(download(t, u)); m != 0 {
				t.Errorf("velocity along %s up to %g", AxisName(d), m)
			}
		}
	})
}

func TestMeanIsHorizontal(t *testing.T) {
	flows(t, func(t *testing.T, f *Flow) {
		g := f.Operator.Grid
		temperature := field(t, g, nodes(g, func(x, _, z float64) float64 { return 3 - 2*z }))
		f.Average(temperature)
		mean := must[[]float64](t)(f.Mean())
		for k, z := range g.Coordinates(2) {
			near(t, fmt.Sprintf("level %d", k), mean[k], 3-2*z, rounding, 3)
		}
	})
}

func TestPrescribedVelocityEntersTheSource(t *testing.T) {
	flows(t, func(t *testing.T, f *Flow) {
		o, g := f.Operator, f.Operator.Grid
		want := 0.0
		for s := range 6 {
			side := kernels.Side(s)
			if g.Wall(side) && !o.Boundary.Fixed(side) {
				v := noise(g.Box.WallNodes(side), uint64(20+s))
				if err := f.SetWallVelocity(side, v); err != nil {
					t.Fatal(err)
				}
				for n := range v {
					want += v[n] * g.WallArea(side, n)
				}
			}
		}
		zero, source := field(t, g, make([]float64, g.Nodes())), field(t, g, make([]float64, g.Nodes()))
		f.Average(zero)
		f.Source(source, zero, 10)
		near(t, "Σ source", sum(download(t, source)), want, rounding, 10)
	})
}

// uniformFlow returns a 2-D flow through the box with the velocity (u, w) everywhere: fixed pressure left and right,
// prescribed velocity below and above.
func uniformFlow(t *testing.T, u, w float64) *Flow {
	t.Helper()
	g := uniform(t, device(t), [3]int{8, 0, 6}, [3]float64{2, 0, 1}, [3]bool{})
	b := must[*Boundary](t)(NewBoundary(g, walls(g, kernels.Left, kernels.Right)))
	o := must[*Operator](t)(NewOperator(b, Coefficients{Constant: [3]float64{2, 1, 4}}))
	f := must[*Flow](t)(NewFlow(o))
	through := make([]float64, g.Box.WallNodes(kernels.Bottom))
	for sign, side := range map[float64]kernels.Side{1: kernels.Bottom, -1: kernels.Top} {
		for n := range through {
			through[n] = sign * w
		}
		if err := f.SetWallVelocity(side, through); err != nil {
			t.Fatal(err)
		}
	}
	p := field(t, g, nodes(g, func(x, _, z float64) float64 { return -u/2*x - w/4*z }))
	zero := field(t, g, make([]float64, g.Nodes()))
	f.Average(zero)
	f.Update(p, zero, 0)
	return f
}

func TestUniformFlow(t *testing.T) {
	const u, w = 3, -2
	f := uniformFlow(t, u, w)
	g := f.Operator.Grid
	out := field(t, g, make([]float64, g.Nodes()))
	for d, want := range [3]float64{u, 0, w} {
		f.NodeVelocity(out, d)
		for n, v := range download(t, out) {
			if inner(g, n) {
				near(t, fmt.Sprintf("velocity along %s at node %d", AxisName(d), n), v, want, rounding*100, 3)
			}
		}
	}
	f.Statistics(0)
	f.Streamfunction(out, StatisticsSlots)
	v := must[[]float64](t)(g.Device.Scalars())
	near(t, "largest divergence", v[DivergenceMax], 0, 1e-11, 1)
	near(t, "Σ of imbalances", v[ImbalanceSum], 0, 1e-11, 1)
	// ψ = w x - u z, and at the centre (1, 1/2)
	near(t, "ψ at the centre", v[StatisticsSlots+1], w*1-u*0.5, 1e-11, 1)
	psi := download(t, out)
	for n, want := range nodes(g, func(x, _, z float64) float64 { return w*x - u*z }) {
		if inner(g, n) {
			near(t, fmt.Sprintf("ψ at node %d", n), psi[n], want, 1e-11, 1)
		}
	}
}

// Velocities that AdvectMeasured has on its way are those that are computed when somebody asks for them, and those of the pressure of the last Update.
func TestVelocitiesArePutOff(t *testing.T) {
	g := uniform(t, device(t), [3]int{6, 5, 7}, [3]float64{1, 2, 1}, [3]bool{false, true, false})
	o := must[*Operator](t)(NewOperator(must[*Boundary](t)(NewBoundary(g, [6][]bool{})), Coefficients{Constant: [3]float64{2, 1, 4}}))
	f := must[*Flow](t)(NewFlow(o))
	transport := Transport{Flow: f, Scheme: kernels.TVD}
	temperature := field(t, g, nodes(g, func(x, _, z float64) float64 { return 1 - z + 0.1*x*x }))
	out := field(t, g, make([]float64, g.Nodes()))
	f.Average(temperature)
	for _, slope := range []float64{1, 3} {
		f.Update(field(t, g, nodes(g, func(x, _, z float64) float64 { return slope * x * (1 - z*z) })), temperature, 10)
		transport.AdvectMeasured(o, out, temperature, kernels.Z, false, 0)
		f.Statistics(kernels.MeasuredSlots)
		v := must[[]float64](t)(g.Device.Scalars())
		if v[SpeedMax] == 0 {
			t.Fatal("nothing flows")
		}
		for n := range StatisticsSlots {
			near(t, fmt.Sprintf("statistic %d", n), v[n], v[kernels.MeasuredSlots+n], 1e-12, math.Abs(v[n])+1)
		}
		q := must[[]float64](t)(f.Velocities()[kernels.X].Download())
		near(t, "velocity between the first nodes below", q[0], -2*slope, 1e-12, 1)
	}
}

func TestConductionFluxAndDissipation(t *testing.T) {
	// T = 1 - z at rest: the mean flux is k, the dissipation k per volume.
	f := uniformFlow(t, 0, 0)
	g, o := f.Operator.Grid, f.Operator
	temperature := field(t, g, nodes(g, func(_, _, z float64) float64 { return 1 - z }))
	transport := Transport{Flow: f, Scheme: kernels.TVD}
	transport.HeatFlux(o, temperature, 2, 0)
	o.Dissipation(temperature, 1)
	weights := make([]float64, g.Box.WallNodes(kernels.Bottom))
	for n := range weights {
		weights[n] = g.WallArea(kernels.Bottom, n)
	}
	temperature.WallSum(kernels.Bottom, must[kernels.Buffer](t)(g.NewWall(weights)), 2)
	v := must[[]float64](t)(g.Device.Scalars())
	near(t, "heat flux", v[0]/g.Volume(), 4, rounding, 4)
	near(t, "dissipation", v[1]/g.Volume(), 4, rounding, 4)
	near(t, "mean of the bottom", v[2], 2, rounding, 2)
}
