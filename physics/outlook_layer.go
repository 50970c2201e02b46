package physics

import (
	"math"

	"convect/kernels"
)

// layer makes the layer of a case that singles out no place of a horizontal plane.
func (u *scalar) layer(t []float64) *layer {
	m, g := u.domain, u.grid
	n := len(t)
	l := &layer{h: g.Widths[kernels.Z], width: make([]float64, n), capacity: make([]float64, n), source: make([]float64, n), waves: m.waves()}
	sigma := m.layers(&u.of.capacity, kernels.X)
	for k, h := range l.h {
		l.width[k] += h / 2
		l.width[k+1] += h / 2
		l.capacity[k] += sigma[k] * h / 2
		l.capacity[k+1] += sigma[k] * h / 2
	}
	for d := range 3 {
		l.d[d], l.k[d] = m.layers(&u.of.diffusivity, d), m.layers(&m.p.Permeability, d)
	}
	for k := range t {
		l.source[k] = l.width[k] * u.gain([3]float64{m.walls.x[0][0], m.walls.x[1][0], m.walls.x[2][k]}, 0)
	}
	for end, s := range [2]kernels.Side{kernels.Bottom, kernels.Top} {
		if !g.Wall(s) {
			continue
		}
		x := m.walls.point(s, 0)
		w := m.walls.at(s, x)
		c, rule := u.of.at(&w), w.Flow.Rule()
		l.held[end], l.pressed[end] = c.Kind.Rule().Holds, rule.Holds
		switch {
		case l.held[end]:
			l.temperature[end] = value(c.Value, x, 0)
		case c.Kind.Rule().Ties:
			l.ties[end] = u.coefficient(s, c, x, 0)
			l.source[end*(n-1)] += l.ties[end] * value(c.Value, x, 0)
		default:
			l.source[end*(n-1)] += value(c.Value, x, 0)
		}
	}
	return l
}

// layers returns the mean of a material along a direction over each layer of cells.
func (m *domain) layers(of *Material, d int) []float64 {
	n := m.grid.CellShape()
	mean := make([]float64, n[2])
	for k := range mean {
		if !of.Varies() {
			mean[k] = of.Constant[d]
			continue
		}
		cells := of.Cells[d]
		if cells == nil {
			cells = of.Cells[0]
		}
		for _, v := range cells[k*n[0]*n[1]:][:n[0]*n[1]] {
			mean[k] += v / float64(n[0]*n[1])
		}
	}
	return mean
}

// setMobility makes the permeability K/μ of a profile.
func (l *layer) setMobility(u *scalar, t []float64) {
	if u.of.viscosity == nil {
		return
	}
	for d := range l.k {
		l.k[d] = u.layers(&u.p.Permeability, d)
		for k := range l.k[d] {
			l.k[d][k] /= u.of.viscosity((t[k] + t[k+1]) / 2)
		}
	}
}

// waves lists the squares of the wave numbers along x and y that a box has room for, down to two cells: all long ones, and of the others every tenth
// of themselves, in three dimensions every third.
func (m *domain) waves() [][2]float64 {
	next := 1.1
	if !m.grid.Flat() {
		next = 1.3
	}
	var along [2][]float64
	for d := range along {
		along[d] = []float64{0}
		a := math.Pi / m.grid.Size[d]
		for n := 1; n <= m.grid.Cells[d]; n = max(n+1, int(next*float64(n))) {
			if wave := float64(n) * a; !m.grid.Periodic[d] {
				along[d] = append(along[d], wave*wave)
			} else if 2*n <= m.grid.Cells[d] {
				along[d] = append(along[d], 4*wave*wave)
			}
		}
	}
	var waves [][2]float64
	for _, x := range along[0] {
		for _, y := range along[1] {
			if x+y > 0 {
				waves = append(waves, [2]float64{x, y})
			}
		}
	}
	return waves
}
