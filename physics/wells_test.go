package physics

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// idle is a closed, insulated box at temperature 0 without buoyancy.
func idle(e stencil.Extent) Parameters {
	p := heated(e, 0)
	p.Walls, p.Initial = [6]Wall{}, Initial{Temperature: Constant(0)}
	return p
}

// point returns a well at a point; of an injector a temperature may be given.
func point(name string, rate float64, at [3]float64, temperature ...float64) Well {
	w := Well{Name: name, At: at, Rate: Constant(rate)}
	for n, v := range temperature {
		*w.Bring(n) = Constant(v)
	}
	return w
}

// line returns a well along a vertical line.
func lineWell(name string, rate float64, at [3]float64, from, to float64, temperature ...float64) Well {
	w := point(name, rate, at, temperature...)
	w.Line, w.From, w.To = true, from, to
	return w
}

// doublet is a closed 2 × 1 box of n cells to a unit of length with an injector and a producer half way up.
func doublet(n int) Parameters {
	p := idle(stencil.Extent{Cells: [3]int{2 * n, 0, n}, Size: [3]float64{2, 0, 1}})
	p.Wells = []Well{point("injector", 1, [3]float64{0.5, 0, 0.5}, 1), point("producer", -1, [3]float64{1.5, 0, 0.5})}
	return p
}

// images is the flow of the doublet by images: u - iw = Σ (±q/4L) cot(π(ζ - ζ_j)/2L) with the sources of both signs at ±x₀ and heights z₀ + n, L = 2.
func images(x, z float64) (u, w float64) {
	sum := complex(0, 0)
	for n := -40; n <= 40; n++ {
		for _, source := range []struct{ sign, x float64 }{{1, 0.5}, {1, -0.5}, {-1, 1.5}, {-1, -1.5}} {
			arg := complex(math.Pi/4, 0) * complex(x-source.x, z-0.5-float64(n))
			sum += complex(source.sign/8, 0) / cmplx.Tan(arg)
		}
	}
	return real(sum), -imag(sum)
}

// nodeAt returns the number of the node at a place in a host array.
func nodeAt(t testing.TB, g *stencil.Grid, x [3]float64) int {
	t.Helper()
	found := -1
	c := [3][]float64{g.Coordinates(0), g.Coordinates(1), g.Coordinates(2)}
	eachNode(g, func(n int, ijk [3]int) {
		if math.Abs(c[0][ijk[0]]-x[0])+math.Abs(c[2][ijk[2]]-x[2]) < 1e-9 && (g.Flat() || math.Abs(c[1][ijk[1]]-x[1]) < 1e-9) {
			found = n
		}
	})
	if found < 0 {
		t.Fatalf("no node at %v", x)
	}
	return found
}

// The doublet in a closed box has the speed half way, the flow through the middle part of the plane there and the pressure between far corners of potential flow
// (the sum over images), of second order.
func TestDoubletInClosedBox(t *testing.T) {
	const speed, flow, drop = 1.090493, 0.216783, 0.973118
	if u, w := images(1, 0.5); math.Abs(u-speed) > 1e-6 || math.Abs(w) > 1e-9 {
		t.Fatalf("the images give %g, %g", u, w)
	}
	dev := openDevice(t, 0)
	for _, points := range bothStencils {
		t.Run(stencilName(points), func(t *testing.T) {
			var off [2][3]float64
			for r, n := range []int{40, 80} {
				p := doublet(n)
				p.Stencil = points
				s := simulate(t, dev, p, Controls{End: 1, Courant: 0.5})
				g := s.Grid()
				velocity, pressure := download(t, s, "velocity")[:g.Nodes()], download(t, s, "pressure")
				through, z := 0.0, g.Coordinates(kernels.Z)
				for k := range z {
					weight := 1 / float64(n)
					if at := math.Abs(z[k] - 0.5); at > 0.1+1e-9 {
						continue
					} else if at > 0.1-1e-9 {
						weight /= 2
					}
					through += weight * velocity[nodeAt(t, g, [3]float64{1, 0, z[k]})]
				}
				got := [3]float64{velocity[nodeAt(t, g, [3]float64{1, 0, 0.5})], through,
					pressure[nodeAt(t, g, [3]float64{0, 0, 0})] - pressure[nodeAt(t, g, [3]float64{2, 0, 0})]}
				for i, want := range [3]float64{speed, flow, drop} {
					off[r][i] = math.Abs(got[i] - want)
				}
				if v := s.Sample().Divergence; v > 1e-6 {
					t.Errorf("the divergence less the wells is %g", v)
				}
				t.Logf("%d cells: %v, off by %v", n, got, off[r])
			}
			for i := range off[0] {
				if order := math.Log2(off[0][i] / off[1][i]); order < 1.9 {
					t.Errorf("number %d: order %.2f, errors %g and %g", i, order, off[0][i], off[1][i])
				}
			}
		})
	}
}

// travel is the time in which fluid moves along the straight line from a well at x = from to one at x = to, at the speed u: from the velocities on nodes, and within six cells of each
// well, where those are of the grid, from those of the well and what is left of u there.
func travel(x, u []float64, from, to, rate float64) float64 {
	near := 6 * (x[1] - x[0])
	background := func(i int, sign float64) float64 { return u[i] - rate/(2*math.Pi*sign*(x[i]-from)) }
	at := func(v float64) int { return int(math.Round(v / (x[1] - x[0]))) }
	first, last := at(from+near), at(to-near)
	sum := 0.0
	for i := first; i < last; i += 2 { // Simpson's rule
		sum += (x[1] - x[0]) / 3 * (1/u[i] + 4/u[i+1] + 1/u[i+2])
	}
	b := background(first, 1) // dx/(q/2πr + b) within near
	const parts = 400
	ends := 0.0
	for i := range parts {
		r := near * (float64(i) + 0.5) / parts
		ends += near / parts / (rate/(2*math.Pi*r) + b)
	}
	return sum + 2*ends
}

// Injected water breaks through along the straight line: in the closed box at t q = 0.685244, in an infinite layer at t q = π/3 d² (Gringarten & Sauty, J. Geophys. Res. 80, 4956, 1975).
func TestBreakthrough(t *testing.T) {
	dev := openDevice(t, 0)
	for _, points := range bothStencils {
		p := doublet(128)
		p.Stencil = points
		infinite := idle(stencil.Extent{Cells: [3]int{384, 0, 256}, Size: [3]float64{3, 0, 2}})
		infinite.Stencil = points
		infinite.Wells = []Well{point("injector", 1, [3]float64{1, 0, 1}, 1), point("producer", -1, [3]float64{2, 0, 1})}
		outside := func(x, _, z, _ float64) float64 {
			return -math.Log(math.Hypot(x-1, z-1)/math.Hypot(x-2, z-1)) / (2 * math.Pi)
		}
		for _, s := range []kernels.Side{kernels.Left, kernels.Right, kernels.Bottom, kernels.Top} {
			infinite.Walls[s] = Wall{Flow: FixedPressure, FlowValue: outside}
		}
		for name, of := range map[string]struct {
			p          Parameters
			from, want float64
		}{"closed box": {p, 0.5, 0.685244}, "infinite layer": {infinite, 1, math.Pi / 3}} {
			s := simulate(t, dev, of.p, Controls{End: 1, Courant: 0.5})
			g := s.Grid()
			u, x := download(t, s, "velocity"), g.Coordinates(0)
			row := g.Cells[2] / 2 * g.Box.N[0]
			within(t, fmt.Sprintf("%s, %s: breakthrough", stencilName(points), name), travel(x, u[row:], of.from, of.from+1, 1), of.want, 1e-3)
		}
	}
}
