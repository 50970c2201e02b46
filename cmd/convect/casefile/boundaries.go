package casefile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"convect/io/series"
	"convect/kernels"
	"convect/physics"
)

// wall is what the case says about a wall or a patch.
type wall struct {
	value    value // the section; not given: insulated and closed
	periodic bool
	scalars  []scalarHalf
	flow     half[physics.FlowKind]
}

// patch is a part of a wall.
type patch struct {
	wall
	name   string // "": none
	called value  // the key of the name
	side   kernels.Side
	spans  [3][2]float64 // nondimensional; ±Inf where not given
}

// sides lists the six walls.
func sides() [6]kernels.Side {
	return [6]kernels.Side{kernels.Left, kernels.Right, kernels.Front, kernels.Back, kernels.Bottom, kernels.Top}
}

// decodeBoundaries reads the six walls and the patches.
func (c *Case) decodeBoundaries(v value) {
	s, _ := v.section()
	shared := s.get("sides")
	for _, side := range sides() {
		own := s.get(side.String())
		absent := c.flat() && side.Axis() == kernels.Y
		switch {
		case own.given() && absent:
			own.refuse("left, right, bottom, top, sides", "a 2-D case has no y axis, so no %s", side)
		case own.given():
			c.plan.walls[side] = c.decodeWall(own)
		case shared.given() && side.Axis() != kernels.Z && !absent:
			before := len(c.d.errors)
			c.plan.walls[side] = c.decodeWall(shared)
			if len(c.d.errors) > before { // the same for every side
				shared = value{}
			}
		}
	}
	c.pairPeriodic(s)
	if patches := s.get("patches"); patches.given() {
		c.decodePatches(patches)
	}
}

// pairPeriodic checks that periodic walls come in pairs and tells the grid.
func (c *Case) pairPeriodic(s section) {
	for d := range 3 {
		low, high := kernels.Side(2*d), kernels.Side(2*d+1)
		a, b := &c.plan.walls[low], &c.plan.walls[high]
		if a.periodic != b.periodic {
			if b.periodic {
				a, low, high = b, high, low
			}
			a.value.refuse(low.String()+" and "+high.String()+" both periodic, or neither", "%s is not periodic", high)
		}
		c.Parameters.Extent.Periodic[d] = a.periodic && b.periodic
	}
}

// decodeWall reads the condition of a wall: "periodic" or a section.
func (c *Case) decodeWall(v value) wall {
	if v.node.kind == scalar && v.node.text == "periodic" {
		return wall{value: v, periodic: true}
	}
	if v.node.kind == scalar {
		v.noneOf([]string{"periodic"}, "periodic, or a section with "+eitherScalar(" and "))
		return wall{value: v}
	}
	s, _ := v.section()
	w := c.decodeCondition(s)
	if p := s.get("periodic"); p.truth() {
		w.periodic = true
		if held := s.holds(wallKeys()...); len(held) > 0 {
			p.refuse("periodic alone", "a periodic wall has no %s", held[0])
		}
	}
	if !w.flow.of.kind.Rule().Passes {
		w.refuseInflows()
	}
	return w
}

// decodeCondition reads the conditions that walls and patches have in common.
func (c *Case) decodeCondition(s section) wall {
	w := wall{value: s.value, scalars: c.decodeScalars(s)}
	if flow := s.get("flow"); flow.given() {
		w.flow = c.decodeFlow(flow)
	}
	return w
}

// takeHalf reads the values of a condition.
func takeHalf[K any](c *Case, kind wallKind[K], v value) half[K] {
	h := half[K]{of: kind, given: true, values: make([]field, len(kind.values))}
	sectioned := len(kind.keys()) > 0
	s, ok := section{v}, true
	if sectioned {
		s, ok = v.section()
	}
	for i, of := range kind.values {
		if sectioned {
			v = s.get(of.key)
		}
		switch {
		case v.given():
			h.values[i] = c.variable(v, of.limit)
		case ok:
			v.missing(of.limit.words)
		}
	}
	return h
}

func (c *Case) decodeFlow(v value) half[physics.FlowKind] {
	kinds, none := flowKinds(), half[physics.FlowKind]{given: true}
	words, keys := kindKeys(kinds, true), kindKeys(kinds, false)
	accepted := joined(words) + ", {" + strings.Join(keys, ": …}, {") + ": …}"
	take := func(key string, v value) half[physics.FlowKind] {
		return takeHalf(c, kinds[slices.IndexFunc(kinds, func(k wallKind[physics.FlowKind]) bool { return k.key == key })], v)
	}
	switch {
	case v.node.kind == scalar && slices.Contains(words, v.node.text):
		return take(v.node.text, v)
	case v.node.kind != mapping:
		v.noneOf(words, accepted)
		return none
	}
	v.shape = "boundaries.patches[].flow"
	s, ok := v.section()
	if !ok {
		return none
	}
	held := s.holds(keys...)
	if len(held) != 1 {
		v.refuse(accepted, "%s", clash(held, keys...))
		return none
	}
	return take(held[0], s.get(held[0]))
}

// decodePatches reads the list of patches.
func (c *Case) decodePatches(v value) {
	items, ok := v.list("a list of {wall: …, x: […], …}")
	if !ok {
		return
	}
	for _, item := range items {
		s, ok := item.section()
		if !ok {
			continue
		}
		if p, ok := c.decodePatch(s); ok {
			c.plan.patches = append(c.plan.patches, p)
		}
	}
}

func (c *Case) decodePatch(s section) (patch, bool) {
	var names []string
	for _, side := range sides() {
		if !(c.flat() && side.Axis() == kernels.Y) {
			names = append(names, side.String())
		}
	}
	on := s.get("wall")
	before := len(c.d.errors)
	if !on.given() {
		on.missing("one of the walls")
		return patch{}, false
	}
	name := on.choice(names)
	if len(c.d.errors) > before {
		return patch{}, false
	}
	p := patch{wall: c.decodeCondition(s)}
	for _, side := range sides() {
		if side.String() == name {
			p.side = side
		}
	}
	if c.plan.walls[p.side].periodic {
		on.refuse("a wall that is not periodic", "%s is periodic", name)
	}
	p.called = s.get("name")
	p.name = c.decodePatchName(p.called)
	c.decodeSpans(s, &p)
	flow := c.plan.walls[p.side].flow
	if p.flow.given {
		flow = p.flow
	}
	switch {
	case !p.saysOfScalars() && !p.flow.given:
		s.refuse(eitherScalar(", "), "the patch changes nothing")
	case !flow.of.kind.Rule().Passes:
		p.refuseInflows()
	}
	return p, true
}

// decodePatchName reads the name of a patch, which no other has.
func (c *Case) decodePatchName(v value) string {
	if !v.given() {
		return ""
	}
	name := v.text()
	switch {
	case v.node.kind == scalar && !wellName.MatchString(name):
		v.refuse(acceptedName, "%s is no name of a patch", v.node.describe())
	case slices.ContainsFunc(c.plan.patches, func(p patch) bool { return p.name == name && name != "" }):
		v.refuse("a name for each patch", "another patch is called %s", name)
	}
	return name
}

// SurfaceNames lists what the columns of the walls and patches begin with, by the order of physics.Parameters.Surfaces: wall_left, and patch_ with the name of the patch, else with
// the wall and the place of the patch among those of the wall, from 1 on.
func (c *Case) SurfaceNames() (all []string) {
	for _, side := range sides() {
		if c.isWall(side) {
			all = append(all, "wall_"+side.String())
		}
	}
	of := map[kernels.Side]int{}
	for i := range c.plan.patches {
		p := &c.plan.patches[i]
		of[p.side]++
		name := p.name
		if name == "" {
			name = fmt.Sprintf("%s_%d", p.side, of[p.side])
		}
		all = append(all, "patch_"+name)
	}
	return all
}

// checkSurfaceNames refuses names of patches that make two columns of one name.
func (c *Case) checkSurfaceNames() {
	taken, names := map[string]int{}, c.SurfaceNames()
	scalars := c.Parameters.Transported()
	first := len(names) - len(c.plan.patches)
	for n, name := range names {
		for _, column := range series.SurfaceColumns(name, scalars) {
			other, clashes := taken[column]
			if taken[column] = n; !clashes {
				continue
			}
			for _, i := range []int{n - first, other - first} {
				if i >= 0 && c.plan.patches[i].name != "" {
					c.plan.patches[i].called.refuse("another name", "both %s and %s would have the column %s", strings.TrimPrefix(names[other], "patch_"), strings.TrimPrefix(name, "patch_"), column)
					return
				}
			}
		}
	}
}

// decodeSpans reads the part of the wall that a patch covers.
func (c *Case) decodeSpans(s section, p *patch) {
	for d, axis := range []string{"x", "y", "z"} {
		p.spans[d] = [2]float64{math.Inf(-1), math.Inf(1)}
		v := s.get(axis)
		if !v.given() {
			continue
		}
		if d == p.side.Axis() {
			v.refuse("ranges along the wall", "%s is normal to %s", axis, p.side)
			continue
		}
		if c.flat() && d == kernels.Y {
			v.refuse("x or z", "a 2-D case has no y axis")
			continue
		}
		size := c.Parameters.Extent.Size[d] * c.Scales.Length
		items, ok := v.list("[from, to]")
		if ok && len(items) != 2 {
			v.refuse("[from, to]", "a list of %d", len(items))
		}
		if !ok || len(items) != 2 {
			continue
		}
		from, okFrom := items[0].number(anyNumber())
		to, okTo := items[1].number(anyNumber())
		slack := 1e-9 * size
		switch {
		case !okFrom || !okTo || size == 0:
		case from >= to:
			v.refuse("[from, to] with from below to", "from %g to %g is no range", from, to)
		case from < -slack || to > size+slack:
			v.refuse("a range within the wall, from 0 to "+plain(size), "the patch reaches beyond the wall")
		}
		p.spans[d] = [2]float64{from / c.Scales.Length, to / c.Scales.Length}
	}
}

// buildWalls turns walls and patches into those of the model.
func (c *Case) buildWalls() {
	p := &c.Parameters
	p.Patches = nil
	for _, side := range sides() {
		p.Walls[side] = c.buildWall(&c.plan.walls[side])
	}
	for i := range c.plan.patches {
		patch := &c.plan.patches[i]
		built := physics.Patch{Side: patch.side, Range: patch.spans, Wall: c.buildWall(&patch.wall), Flow: patch.flow.given}
		for _, h := range patch.scalars {
			if h.given {
				h.carried.replaces(&built)
			}
		}
		p.Patches = append(p.Patches, built)
	}
}

func (c *Case) buildWall(w *wall) physics.Wall {
	s := &c.Scales
	out := physics.Wall{Flow: w.flow.of.kind, Course: course(*s, w.fields()...), Alike: true}
	for _, f := range w.fields() {
		out.Varies = out.Varies || f.inTime
		out.Alike = out.Alike && !f.inSpace && f.file == nil
	}
	for i := range w.scalars {
		w.scalars[i].build(&out, s)
	}
	w.flow.build(&out, s)
	return out
}

// Warnings says which patches lie between nodes: a temperature, an open patch and a pressure are held on nodes, so that there
// they hold nothing. Fluxes and velocities count with the part of the wall that they cover, however small. It also says what is said of wells to no effect.
func (c *Case) Warnings() []string {
	var out []string
	for i := range c.plan.patches {
		p := &c.plan.patches[i]
		var held []string
		for _, h := range p.scalars {
			held = append(held, h.of.held)
		}
		held = slices.DeleteFunc(append(held, p.flow.of.held), func(name string) bool { return name == "" })
		if len(held) > 0 && c.onWall(p.side, p.spans, func([3]float64) bool { return false }) {
			out = append(out, fmt.Sprintf("boundaries.patches[%d] lies between the nodes of the %s: its %s has no effect on this grid", i, p.side,
				strings.Join(held, " and ")))
		}
	}
	return append(out, c.wellWarnings()...)
}

// prescribes tells whether a condition holds on a wall or one of its patches.
func (c *Case) prescribes(is func(w *wall) bool) bool {
	for _, side := range sides() {
		if c.isWall(side) && is(&c.plan.walls[side]) {
			return true
		}
	}
	return slices.ContainsFunc(c.plan.patches, func(p patch) bool { return is(&p.wall) })
}

// isWall tells whether a side is a wall of the case.
func (c *Case) isWall(side kernels.Side) bool {
	e := &c.Parameters.Extent
	return e.Cells[side.Axis()] > 0 && !e.Periodic[side.Axis()]
}
