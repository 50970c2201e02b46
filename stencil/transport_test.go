package stencil

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
)

// drift returns transport by the velocity (u, w), the same everywhere, in a flat periodic box of length 1.
func drift(t *testing.T, dev kernels.Device, cells int, scheme kernels.Scheme, u, w float64) *Transport {
	t.Helper()
	g := uniform(t, dev, [3]int{cells, 0, cells}, [3]float64{1, 0, 1}, [3]bool{true, false, true})
	b := must[*Boundary](t)(NewBoundary(g, [6][]bool{}))
	o := must[*Operator](t)(NewOperator(b, Coefficients{Constant: [3]float64{1, 1, 1}}))
	f := must[*Flow](t)(NewFlow(o))
	for d, v := range map[int]float64{kernels.X: u, kernels.Z: w} {
		f.Velocity[d].Fill(v)
	}
	return &Transport{Flow: f, Scheme: scheme}
}

// carry advances a field by steps of dt with the third-order Runge–Kutta scheme of Shu & Osher (J. Comput. Phys. 77, 439, 1988).
func (t *Transport) carry(test *testing.T, x *Field, dt float64, steps int) {
	g := x.Grid
	stage, gain := must[*Field](test)(g.NewField("stage", nil)), must[*Field](test)(g.NewField("gain", nil))
	per := dt / (g.DualWidth(0, 0) * g.DualWidth(2, 0))
	for range steps {
		t.Advect(gain, x)
		stage.Combine(Sum{C: 1, X: x}, Sum{C: per, X: gain})
		t.Advect(gain, stage)
		stage.Combine(Sum{C: 3. / 4, X: x}, Sum{C: 1. / 4, X: stage}, Sum{C: per / 4, X: gain})
		t.Advect(gain, stage)
		x.Combine(Sum{C: 1. / 3, X: x}, Sum{C: 2. / 3, X: stage}, Sum{C: 2 * per / 3, X: gain})
	}
}

// A wave that drifts through the box for one period comes back with an error of fifth order in space.
func TestWENO5IsOfFifthOrder(t *testing.T) {
	dev := device(t)
	var errors []float64
	for _, cells := range []int{16, 32, 64} {
		transport := drift(t, dev, cells, kernels.WENO5, 1, 1)
		wave := nodes(transport.Flow.Operator.Grid, func(x, _, z float64) float64 { return math.Sin(2 * math.Pi * (x + 2*z)) })
		x := field(t, transport.Flow.Operator.Grid, wave)
		steps := int(math.Ceil(4 * math.Pow(float64(cells), 5./3))) // so that the error in time is of fifth order, and small
		transport.carry(t, x, 1/float64(steps), steps)
		sum := 0.0
		for n, v := range download(t, x) {
			sum += math.Abs(v - wave[n])
		}
		errors = append(errors, sum/float64(len(wave)))
	}
	for r := 1; r < len(errors); r++ {
		if order := math.Log2(errors[r-1] / errors[r]); !(order >= 4.5) {
			t.Errorf("errors %.3g, order %.2f", errors, order)
		}
	}
}

// A block of T = 1 keeps within 1e-4 of its values and its edges sharper than with TVD, and heat is kept to rounding.
func TestWENO5CarriesASharpFront(t *testing.T) {
	dev := device(t)
	const cells, allowed = 64, 1e-4
	distance := map[kernels.Scheme]float64{}
	for _, scheme := range []kernels.Scheme{kernels.TVD, kernels.WENO5} {
		transport := drift(t, dev, cells, scheme, 1, -0.5)
		block := nodes(transport.Flow.Operator.Grid, func(x, _, _ float64) float64 {
			if x > 0.3 && x < 0.7 {
				return 1
			}
			return 0
		})
		x := field(t, transport.Flow.Operator.Grid, block)
		transport.carry(t, x, 0.25/cells, 4*cells)
		after := download(t, x)
		for n, v := range after {
			distance[scheme] += math.Abs(v - block[n])
			if v < -allowed || v > 1+allowed {
				t.Fatalf("scheme %d: %g at node %d", scheme, v, n)
			}
		}
		near(t, "heat", sum(after), sum(block), 1e-12, sum(block))
	}
	if !(distance[kernels.WENO5] < distance[kernels.TVD]) {
		t.Errorf("distance from the block %g with WENO5, %g with TVD", distance[kernels.WENO5], distance[kernels.TVD])
	}
}

// What a constant gains is what its nodes gain of fluid, to the bit of the imbalance, with every scheme: near walls too.
func TestConstantStaysConstant(t *testing.T) {
	flows(t, func(t *testing.T, f *Flow) {
		g := f.Operator.Grid
		for d, v := range f.Velocity {
			if g.Cells[d] > 0 {
				v.Upload(noise(g.Nodes(), uint64(d)))
				v.Exchange(1)
			}
		}
		want := imbalance(t, f)
		constant, out := field(t, g, nodes(g, func(_, _, _ float64) float64 { return 3 })), field(t, g, want)
		for _, scheme := range []kernels.Scheme{kernels.Central, kernels.TVD, kernels.WENO5} {
			transport := Transport{Flow: f, Scheme: scheme}
			transport.Advect(out, constant)
			for n, v := range download(t, out) {
				near(t, fmt.Sprintf("scheme %d, node %d", scheme, n), v, 3*want[n], 1e-14, 3)
			}
		}
	})
}
