package physics

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// stream returns a box through which a uniform flow passes, that brings a temperature to all its walls, and holds it there.
func stream(e stencil.Extent, u [3]float64, l Dispersion, temperature func(x [3]float64) float64) Parameters {
	p := heated(e, 0)
	p.Dispersion = l
	for s := range p.Walls {
		inward := u[s/2]
		if kernels.Side(s).High() {
			inward = -inward
		}
		p.Walls[s] = Wall{Heat: FixedTemperature, HeatValue: spatial(temperature), Flow: FixedVelocity, FlowValue: Constant(inward)}
	}
	p.Initial = Initial{Temperature: spatial(temperature)}
	return p
}

// oblique is C = exp(p ξ) cos(q η) in a flow of speed U along ξ, where D_L = 1 + α_L U and D_T = 1 + α_T U.
type oblique struct {
	along, across [3]float64 // unit vectors of ξ and η
	speed, q      float64
	lengths       Dispersion
}

func (o *oblique) velocity() (u [3]float64) {
	for d, v := range o.along {
		u[d] = o.speed * v
	}
	return u
}

func (o *oblique) at(x [3]float64) float64 {
	l, t := 1+o.lengths.Longitudinal*o.speed, 1+o.lengths.Transverse*o.speed
	p := (o.speed - math.Sqrt(o.speed*o.speed+4*l*t*o.q*o.q)) / (2 * l)
	xi, eta := 0.0, 0.0
	for d, v := range x {
		xi, eta = xi+v*o.along[d], eta+v*o.across[d]
	}
	return math.Exp(p*xi) * math.Cos(o.q*eta)
}

// steadyErrorOf runs parameters to a steady state and returns the L2 distance from a temperature.
func steadyErrorOf(t *testing.T, dev kernels.Device, p Parameters, temperature func(x [3]float64) float64) float64 {
	t.Helper()
	s := simulate(t, dev, p, Controls{End: 50, Courant: 20, FirstStep: 1e-3, MaxStep: 0.05})
	settle(t, s, 1e-7)
	values, sum := download(t, s, "temperature"), 0.0
	eachNode(s.Grid(), func(n int, ijk [3]int) {
		off := values[n] - temperature(nodePoint(s, ijk))
		sum += nodeVolume(s.Grid(), ijk) * off * off
	})
	return math.Sqrt(sum / s.Grid().Volume())
}

// The smooth solution in oblique flow converges with second order, in the plane and in the cube, with both stencils, on even and on graded grids.
func TestObliqueDispersion(t *testing.T) {
	t.Parallel()
	flat := oblique{[3]float64{0.8, 0, 0.6}, [3]float64{-0.6, 0, 0.8}, 10, 2, Dispersion{0.5, 0.05}}
	deep := oblique{[3]float64{1. / 3, 2. / 3, 2. / 3}, [3]float64{2. / 3, 1. / 3, -2. / 3}, 10, 2, Dispersion{0.5, 0.05}}
	for _, c := range []struct {
		name   string
		of     oblique
		extent func(n int) stencil.Extent
		cells  [2]int
	}{
		{"plane", flat, plane, [2]int{16, 32}},
		{"plane, graded", flat, func(n int) stencil.Extent { return graded(plane(n)) }, [2]int{24, 48}},
		{"cube", deep, cube, [2]int{8, 16}},
		{"cube, graded", deep, func(n int) stencil.Extent { return graded(cube(n)) }, [2]int{12, 24}},
	} {
		for _, points := range bothStencils {
			t.Run(c.name+", "+stencilName(points), func(t *testing.T) {
				t.Parallel()
				dev := openDevice(t, 1)
				var off [2]float64
				for i, n := range c.cells {
					p := stream(c.extent(n), c.of.velocity(), c.of.lengths, c.of.at)
					p.Stencil = points
					off[i] = steadyErrorOf(t, dev, p, c.of.at)
				}
				order := math.Log2(off[0] / off[1])
				t.Logf("errors %.2e %.2e, order %.2f", off[0], off[1], order)
				if !(order >= 1.9) {
					t.Errorf("order %.2f", order)
				}
			})
		}
	}
}

// mixing returns the temperature of the layer between two streams that meet in the origin, along ξ and across it.
func mixing(xi, eta float64, speed float64, l Dispersion) float64 {
	dl, dt := 1+l.Longitudinal*speed, 1+l.Transverse*speed
	r := math.Sqrt(xi*xi/dl + eta*eta/dt)
	return 0.5 * (1 + math.Copysign(math.Erf(math.Sqrt(math.Max(0, speed/(2*math.Sqrt(dl))*(r-xi/math.Sqrt(dl))))), eta))
}

// The layer between two streams of different temperatures that flow obliquely to the grid has the width that the tensor gives it, with all transports.
func TestObliqueMixingLayer(t *testing.T) {
	t.Parallel()
	const speed, angle = 100.0, math.Pi / 6
	l := Dispersion{0.1, 0.01}
	along, across := [3]float64{math.Cos(angle), 0, math.Sin(angle)}, [3]float64{-math.Sin(angle), 0, math.Cos(angle)}
	exact := func(x [3]float64) float64 {
		x[0], x[2] = x[0]+0.2, x[2]-0.2
		return mixing(x[0]*along[0]+x[2]*along[2], x[0]*across[0]+x[2]*across[2], speed, l)
	}
	drawn := devicetest.Draw(t, 3)
	for _, points := range bothStencils {
		for _, scheme := range []kernels.Scheme{kernels.Central, kernels.TVD, kernels.WENO5} {
			if !drawn() {
				continue
			}
			t.Run(fmt.Sprintf("%s, scheme %d", stencilName(points), scheme), func(t *testing.T) {
				t.Parallel()
				dev := openDevice(t, 1)
				var off [2]float64
				for i, n := range []int{32, 64} {
					p := stream(plane(n), [3]float64{speed * along[0], 0, speed * along[2]}, l, exact)
					p.Stencil, p.Transport = points, scheme
					off[i] = steadyErrorOf(t, dev, p, exact)
				}
				t.Logf("errors %.2e %.2e, order %.2f", off[0], off[1], math.Log2(off[0]/off[1]))
				if !(off[1] < 2e-3) || !(math.Log2(off[0]/off[1]) > 1.5) {
					t.Errorf("errors %.2e %.2e", off[0], off[1])
				}
			})
		}
	}
}

// A front that a flow carries into a column spreads as Ogata and Banks have it (U = 20, D = 3, t = 0.02).
func TestOgataBanks(t *testing.T) {
	t.Parallel()
	for _, points := range bothStencils {
		for _, scheme := range []kernels.Scheme{kernels.Central, kernels.TVD} {
			dev := openDevice(t, 1)
			p := heated(stencil.Extent{Cells: [3]int{512, 0, 4}, Size: [3]float64{2, 0, 0.1}}, 0)
			p.Stencil, p.Transport, p.Dispersion = points, scheme, Dispersion{0.1, 0.01}
			p.Walls = [6]Wall{
				kernels.Left:  {Heat: FixedTemperature, HeatValue: Constant(1), Flow: FixedVelocity, FlowValue: Constant(20)},
				kernels.Right: {Heat: HeatFlux, Flow: FixedPressure},
			}
			p.Initial = Initial{Temperature: Constant(0)}
			s := simulate(t, dev, p, Controls{End: 0.02, Courant: 0.5})
			run(t, s)
			values := download(t, s, "temperature")
			for i, want := range []float64{0.827925, 0.517810, 0.223016} {
				within(t, fmt.Sprintf("%s, scheme %d, x = %g", stencilName(points), scheme, 0.25*float64(i+1)), values[64*(i+1)], want, 0.002)
			}
		}
	}
}

// Where a sharp front is carried obliquely and spreads ten times as much along the flow as across it, transports with limiters make no new extremes beyond 1 %.
func TestDispersionMakesNoExtremes(t *testing.T) {
	t.Parallel()
	drawn := devicetest.Draw(t, 4)
	for _, c := range []struct {
		extent stencil.Extent
		u      [3]float64
	}{{plane(48), [3]float64{80, 0, 60}}, {plane(48), [3]float64{30, 0, 95}}, {graded(plane(48)), [3]float64{70, 0, 70}},
		{stencil.Extent{Cells: [3]int{48, 0, 24}, Size: [3]float64{1, 0, 1}}, [3]float64{70, 0, 70}}, {cube(16), [3]float64{60, 50, 60}}} {
		for _, points := range bothStencils {
			for _, scheme := range []kernels.Scheme{kernels.Central, kernels.TVD, kernels.WENO5} {
				if testing.Short() && (scheme == kernels.Central || c.extent.Cells[1] > 0) {
					continue
				}
				for _, l := range []Dispersion{{0.1, 0.01}, {0.02, 0.002}} {
					if !drawn() {
						continue
					}
					t.Run(fmt.Sprintf("%v, %v, %s, scheme %d", c.u, l, stencilName(points), scheme), func(t *testing.T) {
						t.Parallel()
						step := func(x [3]float64) float64 {
							if x[2] > 0.3 && x[2] < 0.6 && x[0] < 0.3 {
								return 1
							}
							return 0
						}
						p := stream(c.extent, c.u, l, step)
						p.Stencil, p.Transport = points, scheme
						s := simulate(t, openDevice(t, 1), p, Controls{End: 0.02, Courant: 0.5})
						low, high := 0.0, 1.0
						run(t, s, observe(func(s *Simulation, _ Event) error {
							v := download(t, s, "temperature")
							low, high = math.Min(low, slices.Min(v)), math.Max(high, slices.Max(v))
							return nil
						}))
						t.Logf("from %.4f to %.4f above 1 in %d steps", low, high-1, s.Step())
						if scheme != kernels.Central && (low < -0.01 || high > 1.01) {
							t.Errorf("new extremes: from %.4f to %.4f", low, high)
						}
					})
				}
			}
		}
	}
}
