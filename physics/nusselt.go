package physics

import (
	"math"
	"slices"

	"convect/kernels"
)

// thermalAxis is the axis along which heat crosses the domain: the one whose two walls are held at a temperature or
// at a flux; z before x before y where several qualify; an axis with one such wall if none has two.
type thermalAxis struct {
	axis      int
	active    [2]bool // low, high wall
	fixed     [2]bool // held at a temperature
	low, high float64 // mean fixed temperature at time 0, 0 where not fixed
	area      float64 // of the cross-section
	k         float64 // mean diffusivity along the axis
	enclosed  bool    // no other wall conducts or lets fluid pass, and there is no source
	hot       int     // 0: low wall is the hot one
}

func (m *model) findThermalAxis() thermalAxis {
	best, score := thermalAxis{axis: kernels.Z}, 0
	for _, axis := range []int{kernels.Z, kernels.X, kernels.Y} {
		if m.grid.Periodic[axis] || m.grid.Cells[axis] == 0 {
			continue
		}
		t := thermalAxis{axis: axis}
		s := 0
		for end := range 2 {
			side := kernels.Side(2*axis + end)
			t.fixed[end] = m.heatBoundary.Fixed(side)
			t.active[end] = m.conducts(side)
			if t.active[end] {
				s++
			}
		}
		if s > score {
			best, score = t, s
		}
	}
	t := &best
	t.low, t.high = m.meanFixed(kernels.Side(2*t.axis)), m.meanFixed(kernels.Side(2*t.axis+1))
	if !t.active[0] || !t.active[1] { // one-sided: the guess of the conduction state is uniform
		t.low = t.low + t.high
		t.high = t.low
	}
	t.area = m.grid.Volume() / m.grid.Size[t.axis]
	t.k = m.meanDiffusivity(t.axis)
	if m.highIsHot(t) {
		t.hot = 1
	}
	t.enclosed = m.enclosed(t)
	return best
}

// conducts tells whether heat may be conducted through a side: fixed temperature or a flux that is not zero.
func (m *model) conducts(s kernels.Side) bool {
	if m.heatBoundary.Fixed(s) || m.walls.anyOn(s, func(c Wall) bool { return c.Varies && c.HeatValue != nil }) {
		return true
	}
	return slices.ContainsFunc(m.walls.heatFluxes(s, 0), func(q float64) bool { return q != 0 })
}

// highIsHot tells whether heat enters at the high wall: by the temperatures of both walls, by a prescribed flux, or
// because it is the only wall that conducts.
func (m *model) highIsHot(t *thermalAxis) bool {
	switch {
	case t.fixed[0] && t.fixed[1]:
		return t.high > t.low
	case t.active[0] && !t.fixed[0]:
		return !m.heats(kernels.Side(2 * t.axis))
	case t.active[1] && !t.fixed[1]:
		return m.heats(kernels.Side(2*t.axis + 1))
	}
	return t.fixed[1]
}

// heats tells whether the net prescribed flux of a side enters the domain.
func (m *model) heats(s kernels.Side) bool {
	sum := 0.0
	for _, q := range m.walls.heatFluxes(s, 0) {
		sum += q
	}
	return sum > 0
}

// meanFixed returns the area mean of the fixed temperatures of a side at time 0.
func (m *model) meanFixed(s kernels.Side) float64 {
	if !m.heatBoundary.Fixed(s) {
		return 0
	}
	sum, area := 0.0, 0.0
	share := m.heatBoundary.Share(s)
	for n, t := range m.walls.temperatures(s, 0) {
		if share[n] > 0 {
			a := m.grid.WallArea(s, n)
			sum += a * t
			area += a
		}
	}
	return sum / area
}

// meanDiffusivity returns the mean over the volume of the diffusivity along d.
func (m *model) meanDiffusivity(d int) float64 {
	if !m.p.Diffusivity.Varies() {
		return m.p.Diffusivity.Constant[d]
	}
	sum, n := 0.0, m.grid.CellShape()
	for c, k := range m.p.Diffusivity.Cells[d] {
		sum += k * m.grid.CellVolume(c%n[0], c/n[0]%n[1], c/(n[0]*n[1]))
	}
	return sum / m.grid.Volume()
}

// enclosed tells whether <D|∇T|²> measures the heat that crosses: both walls at one temperature each, the others
// insulated, all closed, no source.
func (m *model) enclosed(t *thermalAxis) bool {
	if !t.fixed[0] || !t.fixed[1] || m.p.HeatSource != nil || len(m.p.Patches) > 0 {
		return false
	}
	for _, s := range m.walls.sides {
		c := m.walls.base[s]
		if c.Flow != Closed || c.Varies || (s.Axis() != t.axis && m.conducts(s)) {
			return false
		}
		if s.Axis() == t.axis {
			v := m.walls.temperatures(s, 0)
			for _, x := range v {
				if x != v[0] {
					return false
				}
			}
		}
	}
	return true
}

// heatBudget holds the heat flows of one step: into the domain, integrated.
type heatBudget struct {
	wall [6]float64 // through each side, conservative
	mean [6]float64 // area-mean temperature of each side on the thermal axis
}

// nusselt fills in the Nusselt numbers of a sample from the wall flows, the mean flux along the axis (integral over
// the volume) and the dissipation.
func (t *thermalAxis) nusselt(s *Sample, b *heatBudget, length, flux, dissipation float64) {
	lo, hi := kernels.Side(2*t.axis), kernels.Side(2*t.axis+1)
	s.NusseltHot, s.NusseltCold = math.NaN(), math.NaN()
	s.NusseltVolume, s.NusseltDissipation = math.NaN(), math.NaN()
	difference := 1.0
	both := t.active[0] && t.active[1]
	if both {
		difference = math.Abs(b.mean[lo] - b.mean[hi])
	}
	if difference == 0 || !(t.active[0] || t.active[1]) {
		return
	}
	unit := t.k * difference * t.area / length // conductive heat flow
	hot, cold := lo, hi
	if t.hot == 1 {
		hot, cold = hi, lo
	}
	if t.active[int(hot)%2] {
		s.NusseltHot = b.wall[hot] / unit
	}
	if t.active[int(cold)%2] {
		s.NusseltCold = -b.wall[cold] / unit
	}
	if both {
		sign := 1.0
		if t.hot == 1 {
			sign = -1
		}
		s.NusseltVolume = sign * flux / length / unit
	}
	if t.enclosed {
		s.NusseltDissipation = dissipation / (unit * difference)
	}
}
