package physics

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// modes is the pressure of a source of rate 1 at a point of a closed box of size 1 × 1 × 1 (2-D: 1 × 1) but for what balances it, by cosines along x (and y) and the exact
// profile cosh(kz<) cosh(k(1-z>))/(k sinh k) along z, which decays: it is for |z - z₀| ≥ 0.2.
func modes(x, source [3]float64, flat bool) float64 {
	low, high := min(x[2], source[2]), max(x[2], source[2])
	const most = 30
	sum := -math.Abs(x[2]-source[2])/2 + (x[2]*x[2]+source[2]*source[2])/2 - max(x[2], source[2]) + math.Abs(x[2]-source[2])/2
	last := most
	if flat {
		last = 0
	}
	for m := range most + 1 {
		for n := range last + 1 {
			if m+n == 0 {
				continue
			}
			weight := 1.0
			for d, i := range [2]int{m, n} {
				if i > 0 {
					weight *= 2 * math.Cos(float64(i)*math.Pi*x[d]) * math.Cos(float64(i)*math.Pi*source[d])
				}
			}
			k := math.Pi * math.Hypot(float64(m), float64(n))
			sum += weight * math.Cosh(k*low) * math.Cosh(k*(1-high)) / (k * math.Sinh(k))
		}
	}
	return sum
}

// linedModes is the mean of modes along a vertical line, by Gauss's rule of three points on parts.
func linedModes(x, source [3]float64, from, to float64, flat bool) float64 {
	const parts = 8
	sum, h := 0.0, (to-from)/parts
	for i := range parts {
		for _, of := range [3][2]float64{{-math.Sqrt(0.6), 5. / 18}, {0, 8. / 18}, {math.Sqrt(0.6), 5. / 18}} {
			source[2] = from + h*(float64(i)+0.5+of[0]/2)
			sum += of[1] / parts * modes(x, source, flat)
		}
	}
	return sum
}

// third is the place nearest to x, a third of a cell above a node: as far from nodes on any grid.
func third(c []float64, x float64) float64 {
	i := 0
	for c[i+2] < x {
		i++
	}
	return c[i] + (c[i+1]-c[i])/3
}

// placed moves a well to thirds of cells.
func placed(e stencil.Extent, w Well) Well {
	for d := range 3 {
		if e.Cells[d] > 0 && w.At[d] > 0 {
			w.At[d] = third(e.Coordinates(d), w.At[d])
		}
	}
	if w.Line {
		w.From, w.To = third(e.Coordinates(2), w.From), third(e.Coordinates(2), w.To)
	}
	return w
}

// Wells anywhere between nodes, points and lines, have the pressure of potential flow away from them, of second order: in 2-D and 3-D, on equal and graded cells, with
// both stencils.
func TestWellsBetweenNodes(t *testing.T) {
	t.Parallel()
	dev := openDevice(t, 0)
	for name, of := range devicetest.Part(t, 2, map[string]func(n int) stencil.Extent{
		"plane": plane, "graded plane": func(n int) stencil.Extent { return graded(plane(n)) },
		"cube": func(n int) stencil.Extent { return cube(n * 3 / 4) }, "graded cube": func(n int) stencil.Extent { return graded(cube(n / 2)) },
	}) {
		if testing.Short() && strings.Contains(name, "cube") {
			continue
		}
		for _, points := range bothStencils {
			t.Run(name+", "+stencilName(points), func(t *testing.T) {
				var off [2]float64
				for r, n := range []int{32, 64} {
					p := idle(of(n))
					p.Stencil, p.Pressure.Tolerance = points, 1e-11
					p.Wells = []Well{placed(p.Extent, point("injector", 1, [3]float64{0.317, 0.442, 0.231}, 1)),
						placed(p.Extent, lineWell("producer", -1, [3]float64{0.713, 0.587}, 0.08, 0.287))}
					off[r] = potentialError(t, simulate(t, dev, p, Controls{End: 1, Courant: 0.5}))
				}
				if order := math.Log2(off[0] / off[1]); order < 1.9 {
					t.Errorf("order %.2f, errors %v", order, off)
				}
				t.Logf("errors %v", off)
			})
		}
	}
}

// potentialError is the L2 norm of the error of the pressure in the upper half, less its mean there, at the same places of all grids.
func potentialError(t *testing.T, s *Simulation) float64 {
	t.Helper()
	g, v, wells := s.Grid(), download(t, s, "pressure"), s.Parameters().Wells
	x := [3][]float64{g.Coordinates(0), g.Coordinates(1), g.Coordinates(2)}
	var volumes, off []float64
	mean, volume := 0.0, 0.0
	eachNode(g, func(n int, ijk [3]int) {
		at := [3]float64{x[0][ijk[0]], x[1][ijk[1]], x[2][ijk[2]]}
		if every := g.Cells[2] / 8; at[2] < 0.45 || ijk[0]%every+ijk[1]%every+ijk[2]%every > 0 {
			return
		}
		want := modes(at, wells[0].At, g.Flat()) - linedModes(at, wells[1].At, wells[1].From, wells[1].To, g.Flat())
		w := nodeVolume(g, ijk)
		volumes, off = append(volumes, w), append(off, v[n]-want)
		mean, volume = mean+w*(v[n]-want), volume+w
	})
	sum := 0.0
	for n := range off {
		sum += volumes[n] / volume * math.Pow(off[n]-mean/volume, 2)
	}
	return math.Sqrt(sum)
}

// Lines over the whole height of two layers share their rates out by permeability, so that nothing flows up or down, and each layer has its part of the flow; in 2-D, where
// the flow between them is one-dimensional, that is exact.
func TestLinesShareByPermeability(t *testing.T) {
	dev := openDevice(t, 0)
	for name, e := range map[string]stencil.Extent{"plane": plane(16), "graded cube": graded(cube(8))} {
		for _, points := range bothStencils {
			t.Run(fmt.Sprintf("%s, %s", name, stencilName(points)), func(t *testing.T) {
				p := idle(e)
				interface_ := p.Extent.Coordinates(kernels.Z)[3]
				layers, err := Layered(e, []Layer{{Top: interface_, Value: [3]float64{1, 1, 0.1}}, {Top: 1, Value: [3]float64{4, 4, 0.4}}})
				if err != nil {
					t.Fatal(err)
				}
				p.Permeability, p.Stencil = layers, points
				p.Wells = []Well{lineWell("in", 2, [3]float64{0.21, 0.3}, 0, 1, 1), lineWell("out", -2, [3]float64{0.83, 0.6}, 0, 1)}
				s := simulate(t, dev, p, Controls{End: 1, Courant: 0.5})
				g := s.Grid()
				v := download(t, s, "velocity")
				eachNode(g, func(n int, ijk [3]int) {
					if w := v[2*g.Nodes()+n]; math.Abs(w) > 1e-7 {
						t.Fatalf("it flows at %g up at %v", w, ijk)
					}
				})
				if !g.Flat() {
					return
				}
				mean := interface_ + 4*(1-interface_)
				n := nodeAt(t, g, [3]float64{0.5, 0, g.Coordinates(2)[1]})
				within(t, "speed in the lower layer", v[n], 2/mean, 1e-7)
				within(t, "speed in the upper layer", v[nodeAt(t, g, [3]float64{0.5, 0, 1})], 8/mean, 1e-7)
			})
		}
	}
}

// A well at the end of a periodic axis is that of any other place, shifted.
func TestWellAcrossPeriodicEnd(t *testing.T) {
	dev := openDevice(t, 0)
	speeds := func(x float64) []float64 {
		p := idle(plane(16))
		p.Extent.Periodic[0] = true
		p.Wells = []Well{point("in", 1, [3]float64{x, 0, 0.25}, 1), point("out", -1, [3]float64{math.Mod(x+0.5, 1), 0, 0.75})}
		s := simulate(t, dev, p, Controls{End: 1, Courant: 0.5})
		return download(t, s, "velocity")
	}
	a, b := speeds(15.25/16), speeds(3.25/16)
	for k := range 17 {
		for i := range 16 {
			if x, y := a[k*16+(i+12)%16], b[k*16+i]; math.Abs(x-y) > 1e-7 {
				t.Fatalf("row %d: %g and %g", k, x, y)
			}
		}
	}
}
