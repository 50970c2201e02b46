package physics

import (
	"math"
	"slices"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// gradient is ∂s/∂x_d of a scalar.
type gradient func(d int, p place) float64

// spread is (E ∇s)_d of a scalar.
func (m *manufactured) spread(of gradient, d int, p place) float64 {
	if !m.lengths.any() {
		return 0
	}
	u := m.velocityAt(p)
	speed := math.Sqrt(u[0]*u[0] + u[1]*u[1] + u[2]*u[2])
	own, along := 0.0, 0.0
	for e := range 3 {
		if m.extent.Cells[e] == 0 {
			continue
		}
		slope := of(e, p)
		along += u[e] * slope
		if e == d {
			own = slope
		}
	}
	return m.lengths.Transverse*speed*own + (m.lengths.Longitudinal-m.lengths.Transverse)*u[d]*along/speed
}

// spreading is ∂(E ∇s)_d/∂x_d by sixth-order differences.
func (m *manufactured) spreading(of gradient, d int, x [3]float64) float64 {
	if !m.lengths.any() {
		return 0
	}
	h, at, sum := 0.01*m.extent.Size[d], m.place(x), 0.0
	for i, c := range [3]float64{0.75, -0.15, 1.0 / 60} {
		step := float64(i+1) * h
		sum += c * (m.spread(of, d, m.shifted(at, d, step)) - m.spread(of, d, m.shifted(at, d, -step)))
	}
	return sum / h
}

// The whole system with dispersion converges with second order, where the flow rests nowhere: there E has a kink.
func TestObservedOrderWithDispersion(t *testing.T) {
	t.Parallel()
	drawn := devicetest.Draw(t, 3)
	square := stencil.Extent{Cells: [3]int{1, 0, 1}, Size: [3]float64{1, 0, 1}}
	box := stencil.Extent{Cells: [3]int{1, 1, 1}, Size: [3]float64{1, 1, 1}}
	for _, l := range []struct {
		name    string
		extent  stencil.Extent
		varying float64
		points  kernels.Stencil
		cells   [2]int
	}{
		{"square", square, 1, kernels.SevenPoint, [2]int{24, 48}},
		{"square, 27 points", square, 1, kernels.TwentySevenPoint, [2]int{24, 48}},
		{"square, graded", graded(square), 0, kernels.SevenPoint, [2]int{24, 48}},
		{"square, graded, 27 points", graded(square), 0, kernels.TwentySevenPoint, [2]int{24, 48}},
		{"cube", box, 0.5, kernels.SevenPoint, [2]int{10, 20}},
		{"cube, 27 points", box, 0.5, kernels.TwentySevenPoint, [2]int{18, 36}}, // fluxes at walls: 1.88 from 10 to 20 cells, 1.90 from 16 to 32, 1.92 from 20 to 40
	} {
		for _, c := range manufacturedCases {
			moves := slices.Contains([]string{"velocity on all walls", "pressure on all walls", "periodic sides, pressure below, velocity above"}, c.name)
			if !moves || !drawn() || testing.Short() && l.extent.Cells[1] > 0 {
				continue
			}
			t.Run(l.name+", "+c.name, func(t *testing.T) {
				t.Parallel()
				dev := openDevice(t, 1)
				var e [2]solutionErrors
				for r, n := range l.cells {
					m := c.make(l.varying, l.extent)
					m.upflow, m.lengths = 4, Dispersion{0.3, 0.03}
					if c.periodic[0] { // where waves are shorter, and would make it rest
						m.gx.amp /= 4
					}
					e[r] = steadyErrors(t, dev, m, n, c.walls, kernels.Central, l.points)
				}
				p, temperature, flux := math.Log2(e[0].pressure/e[1].pressure), math.Log2(e[0].temperature/e[1].temperature), math.Log2(e[0].flux/e[1].flux)
				t.Logf("order p %.2f T %.2f flux %.2f, error of T %.2e", p, temperature, flux, e[1].temperature)
				if !(min(p, temperature, flux) >= 1.9) {
					t.Errorf("order p %.2f T %.2f flux %.2f", p, temperature, flux)
				}
			})
		}
	}
}
