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
	warm      [2]bool // held at a temperature or tied to one
	low, high float64 // mean of that temperature at time 0, 0 where there is none; then of the walls in conduction
	area      float64 // of the cross-section
	k         float64 // mean diffusivity along the axis
	enclosed  bool    // no other wall conducts or lets fluid pass, and there is no source
	hot       int     // 0: low wall is the hot one
}

func (u *scalar) findAxis() thermalAxis {
	best, score := thermalAxis{axis: kernels.Z}, 0
	for _, axis := range []int{kernels.Z, kernels.X, kernels.Y} {
		if u.grid.Periodic[axis] || u.grid.Cells[axis] == 0 {
			continue
		}
		t := thermalAxis{axis: axis}
		s := 0
		for end := range 2 {
			side := kernels.Side(2*axis + end)
			t.fixed[end] = u.boundary.Fixed(side)
			t.warm[end] = t.fixed[end] || u.tied(side) > 0
			t.active[end] = u.conducts(side)
			if t.active[end] {
				s++
			}
		}
		if s > score {
			best, score = t, s
		}
	}
	t := &best
	t.low, t.high = u.meanWarmth(kernels.Side(2*t.axis)), u.meanWarmth(kernels.Side(2*t.axis+1))
	if !t.active[0] || !t.active[1] { // one-sided: the guess of the conduction state is uniform
		t.low = t.low + t.high
		t.high = t.low
	}
	t.area = u.grid.Volume() / u.grid.Size[t.axis]
	t.k = u.meanDiffusivity(t.axis)
	if u.highIsHot(t) {
		t.hot = 1
	}
	t.enclosed = u.enclosed(t)
	u.lessFilms(t)
	return best
}

// conducts tells whether heat may be conducted through a side: fixed temperature, ties, or a flux that is not zero.
func (u *scalar) conducts(s kernels.Side) bool {
	if u.boundary.Fixed(s) || u.walls.anyOn(s, func(c Wall) bool { return c.Varies && u.of.at(&c).Value != nil }) {
		return true
	}
	return u.tied(s) > 0 || slices.ContainsFunc(u.fluxes(s, 0, nil), func(q float64) bool { return q != 0 })
}

// highIsHot tells whether heat enters at the high wall: by the temperatures of both walls, by a prescribed flux, or
// because it is the only wall that conducts.
func (u *scalar) highIsHot(t *thermalAxis) bool {
	switch {
	case t.warm[0] && t.warm[1]:
		return t.high > t.low
	case t.active[0] && !t.warm[0]:
		return !u.heats(kernels.Side(2 * t.axis))
	case t.active[1] && !t.warm[1]:
		return u.heats(kernels.Side(2*t.axis + 1))
	}
	return t.warm[1]
}

// heats tells whether the net prescribed flux of a side enters the domain.
func (u *scalar) heats(s kernels.Side) bool {
	sum := 0.0
	for _, q := range u.fluxes(s, 0, nil) {
		sum += q
	}
	return sum > 0
}

// tied returns the sum of a side's ties.
func (u *scalar) tied(s kernels.Side) float64 {
	sum := 0.0
	for _, v := range u.ties.sides[s] {
		sum += v
	}
	return sum
}

// lessFilms turns the temperatures outside of tied walls into those of the walls in the conduction of a layer between them.
func (u *scalar) lessFilms(t *thermalAxis) {
	if !t.warm[0] || !t.warm[1] {
		return
	}
	var film [2]float64
	for end, s := range t.sides() {
		if !t.fixed[end] {
			film[end] = t.area / u.tied(s)
		}
	}
	flux := (t.low - t.high) / (film[0] + u.grid.Size[t.axis]/t.k + film[1])
	if film[0] > 0 {
		t.low -= flux * film[0]
	}
	if film[1] > 0 {
		t.high += flux * film[1]
	}
}

// meanWarmth returns the area mean of the fixed temperatures of a side at time 0, or, where there is none, of that which it is tied to.
func (u *scalar) meanWarmth(s kernels.Side) float64 {
	if !u.boundary.Fixed(s) {
		sum, ties := 0.0, u.tied(s)
		if ties == 0 {
			return 0
		}
		for _, q := range u.surroundings(s, 0, func([3]float64, float64) {}) {
			sum += q
		}
		return sum / ties
	}
	sum, area := 0.0, 0.0
	share := u.boundary.Share(s)
	for n, t := range u.fixed(s, 0) {
		if share[n] > 0 {
			a := u.grid.WallArea(s, n)
			sum += a * t
			area += a
		}
	}
	return sum / area
}

// meanDiffusivity returns the mean over the volume of the diffusivity along d.
func (u *scalar) meanDiffusivity(d int) float64 {
	if !u.of.diffusivity.Varies() {
		return u.of.diffusivity.Constant[d]
	}
	sum, n := 0.0, u.grid.CellShape()
	for c, k := range u.of.diffusivity.Cells[d] {
		sum += k * u.grid.CellVolume(c%n[0], c/n[0]%n[1], c/(n[0]*n[1]))
	}
	return sum / u.grid.Volume()
}

// enclosed tells whether <D|∇T|²> measures the heat that crosses: both walls at one temperature each, the others
// insulated, all closed, no source and no well.
func (u *scalar) enclosed(t *thermalAxis) bool {
	if !t.fixed[0] || !t.fixed[1] || u.anyTerm(given) || len(u.p.Patches) > 0 || len(u.wells.all) > 0 {
		return false
	}
	for _, s := range u.walls.sides {
		c := u.p.Walls[s]
		if c.Flow.Rule().Passes || c.Varies || (s.Axis() != t.axis && u.conducts(s)) {
			return false
		}
		if s.Axis() == t.axis {
			v := u.fixed(s, 0)
			for _, x := range v {
				if x != v[0] {
					return false
				}
			}
		}
	}
	return true
}

// numbers are Nusselt numbers, or their like for another scalar; NaN where undefined. See ScalarSample.
type numbers struct{ hot, cold, mean, dissipation float64 }

// sides returns the low and the high wall of the axis; both exist, or neither is active.
func (t *thermalAxis) sides() [2]kernels.Side {
	return [2]kernels.Side{kernels.Side(2 * t.axis), kernels.Side(2*t.axis + 1)}
}

// nusselt makes numbers of what flows in through the walls of the axis, their means, the mean flux along the axis (integral over
// the volume) and the dissipation.
func (t *thermalAxis) nusselt(wall, wallMean *[6]float64, length, flux, dissipation float64) numbers {
	lo, hi := kernels.Side(2*t.axis), kernels.Side(2*t.axis+1)
	n := numbers{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	difference := 1.0
	both := t.active[0] && t.active[1]
	if both {
		difference = math.Abs(wallMean[lo] - wallMean[hi])
	}
	if difference == 0 || !(t.active[0] || t.active[1]) {
		return n
	}
	unit := t.k * difference * t.area / length // conductive flow
	hot, cold := lo, hi
	if t.hot == 1 {
		hot, cold = hi, lo
	}
	if t.active[int(hot)%2] {
		n.hot = wall[hot] / unit
	}
	if t.active[int(cold)%2] {
		n.cold = -wall[cold] / unit
	}
	if both {
		sign := 1.0
		if t.hot == 1 {
			sign = -1
		}
		n.mean = sign * flux / length / unit
	}
	if t.enclosed {
		n.dissipation = dissipation / (unit * difference)
	}
	return n
}
