package casefile

import (
	"math"
	"slices"

	"convect/kernels"
)

// holding is what the case says of a well that holds a pressure.
type holding struct {
	pressure     field // not given: the well has a rate
	radius, skin float64
	limits       [2]float64 // of the rate, in the units of the case; both 0: none
}

// holding tells whether the well holds a pressure.
func (w *well) holding() bool { return w.holds.pressure.value.given() }

// mayInject says in messages what the well does.
func (w *well) mayInject() string {
	if w.holding() {
		return "holds a pressure and may inject"
	}
	return "injects"
}

// decodeHolding reads the pressure that a well holds, and what belongs to it.
func (c *Case) decodeHolding(s section, w *well) {
	h := &w.holds
	h.pressure = c.timed(s.get("pressure"), anyNumber())
	if radius := s.get("radius"); radius.given() {
		h.radius, _ = radius.number(positive())
	} else {
		radius.missing("the radius of the well, a number above 0")
	}
	h.skin = s.get("skin").numberOr(anyNumber(), 0)
	limits := s.get("limits")
	if !limits.given() {
		return
	}
	const accepted = "[from, to], the least and the greatest rate, below 0 where it produces; not both 0"
	items, ok := limits.list(accepted)
	if ok && len(items) != 2 {
		limits.refuse(accepted, "a list of %d", len(items))
	}
	if !ok || len(items) != 2 {
		return
	}
	from, okFrom := items[0].number(anyNumber())
	to, okTo := items[1].number(anyNumber())
	if okFrom && okTo && (from > to || from == 0 && to == 0) {
		limits.refuse(accepted, "from %s to %s there is no rate", items[0].node.text, items[1].node.text)
	}
	h.limits = [2]float64{from, to}
}

// checkHolding refuses wells that cannot hold a pressure: the well index is that of a line across which the flow is radial.
func (c *Case) checkHolding(w *well) {
	v := w.value.get("pressure")
	if c.flat() == w.line {
		v.refuse("a rate; or a line (at: [x, y] with from and to) in 3-D, a point (at: [x, z]) in 2-D", "the well index is that of a vertical line in 3-D, or of a point in 2-D")
		return
	}
	least := math.Inf(1)
	for _, d := range [2]int{kernels.X, map[bool]int{true: kernels.Z, false: kernels.Y}[c.flat()]} {
		e := c.Extent()
		least = math.Min(least, slices.Min(e.Widths(d)))
		if size := e.Size[d]; !e.Periodic[d] && (w.at[d] < 1e-9*size || w.at[d] > size*(1-1e-9)) {
			w.value.get("at").refuse("a place away from walls, or a rate", "%s holds a pressure and lies on a wall", w.name)
		}
	}
	if largest := least * c.Scales.Length / 10; w.holds.radius > largest {
		w.value.get("radius").refuse("a radius of at most a tenth of the narrowest cells, "+plain(largest), "the well is too wide for the grid")
	}
}
