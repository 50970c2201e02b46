package physics

import (
	"fmt"
	"math"
	"sync"

	"convect/kernels"
	"convect/kernels/parallel"
	"convect/stencil"
)

// buildWalls uploads what the walls prescribe and the weights of the wall sums.
func (m *model) buildWalls() error {
	m.thermal = m.findThermalAxis()
	sources := m.p.HeatSource != nil
	for _, s := range m.walls.sides {
		if err := m.wallWeights(s); err != nil {
			return err
		}
		flux := m.walls.anyOn(s, func(c Wall) bool { return c.Heat == HeatFlux && c.HeatValue != nil })
		sources = sources || flux
		open := m.walls.anyOn(s, func(c Wall) bool { return c.Flow != Closed })
		if open {
			var err error
			if m.transport.Inflow[s], err = m.grid.NewWall(m.walls.outside(s, 0)); err != nil {
				return err
			}
		}
	}
	if sources {
		var err error
		if m.source, err = m.grid.NewField("source", nil); err != nil {
			return err
		}
	}
	m.room = m.body()
	return m.setWalls(0, true)
}

// wallWeights uploads the shares of fixed nodes and the areas of a side.
func (m *model) wallWeights(s kernels.Side) (err error) {
	area := make([]float64, m.grid.Box.WallNodes(s))
	for n := range area {
		area[n] = m.grid.WallArea(s, n)
	}
	if m.wallArea[s], err = m.grid.NewWall(area); err != nil {
		return err
	}
	if m.heatBoundary.Fixed(s) {
		m.wallShare[s], err = m.grid.NewWall(m.heatBoundary.Share(s))
	}
	return err
}

// setWalls uploads the prescribed temperatures, fluxes, velocities and inflow temperatures at time t: all of them,
// or those that depend on time.
func (m *model) setWalls(t float64, all bool) error {
	changed, moved := all || m.p.SourceVaries, false // the sources, the velocities
	for _, s := range m.walls.sides {
		if !all && !m.walls.anyOn(s, func(c Wall) bool { return c.Varies }) {
			continue
		}
		changed = changed || m.walls.anyOn(s, func(c Wall) bool { return c.Varies && c.Heat == HeatFlux && c.HeatValue != nil })
		if err := m.heatBoundary.SetValues(s, m.walls.temperatures(s, t)); err != nil {
			return err
		}
		if m.walls.anyOn(s, func(c Wall) bool { return c.Flow == FixedVelocity }) {
			inward := m.walls.velocities(s, t)
			if err := m.flow.SetWallVelocity(s, inward); err != nil {
				return fmt.Errorf("%s: velocity: %w", s, err)
			}
			m.through[s], moved = m.walls.through(s, inward), true
		}
		if b := m.transport.Inflow[s]; b != nil {
			m.dev.Upload(b, m.walls.outside(s, t))
		}
	}
	if changed && m.source != nil {
		m.source.Upload(m.sources(t))
	}
	if all || !moved {
		return nil
	}
	return m.checkThrough()
}

// throughTolerance is the largest imbalance of prescribed velocities, relative to what flows, that counts as rounding.
const throughTolerance = 1e-8

// checkThrough fails where velocities that vary in time do not add up to nothing, and no other wall lets fluid pass.
func (m *model) checkThrough() error {
	in, out := 0.0, 0.0
	for _, flow := range m.through {
		in, out = in+flow[0], out+flow[1]
	}
	if !m.hasPressed && math.Abs(in-out) > throughTolerance*(in+out) {
		return fmt.Errorf("the velocities of the walls do not balance: %.6g flows in, %.6g out, and nothing else can leave or enter", in, out)
	}
	return nil
}

// sources returns the integrated heat source and wall flux of every node, [z][y][x], and notes their sums.
func (m *model) sources(t float64) []float64 {
	g := m.grid
	v := make([]float64, g.Nodes())
	n := g.Box.N
	if q := m.p.HeatSource; q != nil {
		var both sync.Mutex
		var widths [3][]float64
		for d := range widths {
			for i := range n[d] {
				widths[d] = append(widths[d], g.DualWidth(d, i))
			}
		}
		parallel.Ranges(n[1]*n[2], func(first, last int) {
			least, most := 0.0, 0.0
			for row := first; row < last; row++ {
				j, k := row%n[1], row/n[1]
				for i, width := range widths[0] {
					here := q(m.walls.x[0][i], m.walls.x[1][j], m.walls.x[2][k], t)
					v[i+n[0]*row] = width * widths[1][j] * widths[2][k] * here
					least, most = min(least, here), max(most, here)
				}
			}
			both.Lock()
			defer both.Unlock()
			m.met.sources(least, most)
		})
	}
	in, out := 0.0, 0.0
	for _, s := range m.walls.sides {
		if !m.walls.anyOn(s, func(c Wall) bool { return c.Heat == HeatFlux && c.HeatValue != nil }) {
			continue
		}
		m.prescribed[s] = 0
		for e, q := range m.walls.heatFluxes(s, t) {
			i, j, k := g.WallIndex(s, e)
			v[i+n[0]*(j+n[1]*k)] += q
			m.prescribed[s] += q
			in, out = in+math.Max(q, 0), out+math.Max(-q, 0)
		}
	}
	m.met.total(in, out)
	m.sourceSum = 0
	for _, q := range v {
		m.sourceSum += q
	}
	return v
}

// pressWalls sets the fixed values of p' at time t: the prescribed pressure less that of the column of mean
// temperature.
func (m *model) pressWalls(t float64) error {
	if !m.hasPressed {
		return nil
	}
	column, err := m.column()
	if err != nil {
		return err
	}
	for _, s := range m.walls.sides {
		if !m.flowBoundary.Fixed(s) {
			continue
		}
		p := m.walls.pressures(s, m.p.Rayleigh, t)
		for n := range p {
			_, _, k := m.grid.WallIndex(s, n)
			p[n] -= column[k]
		}
		if err := m.flowBoundary.SetValues(s, p); err != nil {
			return err
		}
	}
	return nil
}

// column returns p_h at the z nodes: ∂p_h/∂z = Ra T̄ by the trapezoidal rule, zero at the top.
func (m *model) column() ([]float64, error) {
	mean, err := m.flow.Mean()
	if err != nil {
		return nil, fmt.Errorf("mean column: %w", err)
	}
	p := make([]float64, len(mean))
	z := m.walls.x[kernels.Z]
	for k := len(p) - 2; k >= 0; k-- {
		p[k] = p[k+1] - m.p.Rayleigh*(mean[k]+mean[k+1])/2*(z[k+1]-z[k])
	}
	return p, nil
}

// impose sets the fixed nodes of the temperature.
func (m *model) impose(f *stencil.Field) { m.heatBoundary.Impose(f) }
