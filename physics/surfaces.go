package physics

import (
	"fmt"
	"strconv"

	"convect/kernels"
	"convect/stencil"
)

// Surface is what flows are measured through: all of a wall, its patches included, or a patch, which is its rectangle, whatever other patches lie on it.
type Surface struct {
	Side  kernels.Side
	Patch int // its place among Parameters.Patches; -1: all of the wall
}

// Surfaces lists the walls that are not periodic, and then the patches.
func (p *Parameters) Surfaces() (all []Surface) {
	for s := kernels.Left; s <= kernels.Top; s++ {
		if d := s.Axis(); p.Extent.Cells[d] > 0 && !p.Extent.Periodic[d] {
			all = append(all, Surface{s, -1})
		}
	}
	for n := range p.Patches {
		all = append(all, Surface{p.Patches[n].Side, n})
	}
	return all
}

// SurfaceSample is what crosses a surface at a step, inward, in a unit of time. Nondimensional: in units of κH, in 2-D of κ.
type SurfaceSample struct {
	// Fluid is ∫ -n·u of the state, n outward.
	Fluid float64
	// Scalars are ∫ -n·(u s - (D + E) ∇s) in the step, by the order of Parameters.Transported, as the balance of the discrete domain has them: over all walls, with terms of the
	// volume and wells, they add up to ScalarSample.In. At the start they are those of the initial state. NaN in the first step after a state that does not tell what
	// the flow carried one step before.
	Scalars []float64
}

// surface is a surface on the grid.
type surface struct {
	Surface
	patch   *Patch         // nil: the wall
	passes  bool           // fluid may pass somewhere
	weights kernels.Buffer // the area of each node's wall face through which what passes it passes the surface; of a wall that of domain
	fluid   float64        // as measured last
	name    string         // in a state
}

// mostTallied is the number of slots that sums over surfaces take at once: more are read in turns.
const mostTallied = 128

// placeSurfaces finds the surfaces and takes slots for what is summed over them. Walls sum what their nodes hold by themselves.
func (d *domain) placeSurfaces() (err error) {
	names, sums := map[string]int{}, false
	for _, of := range d.p.Surfaces() {
		s := &surface{Surface: of, name: of.Side.String()}
		if of.Patch >= 0 {
			s.patch = &d.p.Patches[of.Patch]
			s.name = s.patch.place(&d.p.Extent)
			sums = true
		}
		if names[s.name]++; names[s.name] > 1 {
			s.name += "_" + strconv.Itoa(names[s.name])
		}
		s.passes = d.walls.anyOn(of.Side, func(w Wall) bool { return w.Flow.Rule().Passes })
		sums = sums || s.passes
		d.surfaces = append(d.surfaces, s)
	}
	if !sums {
		return nil
	}
	d.tally = tally{dev: d.dev, most: mostTallied}
	d.tally.first, err = d.dev.Reserve("surfaces", mostTallied)
	return err
}

// place names the rectangle of a patch.
func (p *Patch) place(e *stencil.Extent) string {
	name := p.Side.String()
	for d, span := range p.Range {
		if d != p.Side.Axis() && e.Cells[d] > 0 {
			low, high := max(span[0], 0), min(span[1], e.Size[d])
			name += fmt.Sprintf("_%s_%s_%s", stencil.AxisName(d), strconv.FormatFloat(low, 'g', -1, 64), strconv.FormatFloat(high, 'g', -1, 64))
		}
	}
	return name
}

// patchesOn lists the patches among the surfaces of a side.
func (d *domain) patchesOn(s kernels.Side) (all []int) {
	for n, on := range d.surfaces {
		if on.Side == s && on.patch != nil {
			all = append(all, n)
		}
	}
	return all
}

// shareFlow finds through which part of their wall faces the fluid of a side passes its surfaces, at a time. What passes a node of fixed pressure is shared out by
// the area where the pressure holds, what is prescribed by the velocity there.
func (f *flow) shareFlow(s kernels.Side, t float64) (err error) {
	var held []float64
	for _, on := range f.surfaces {
		switch {
		case on.Side != s || !on.passes:
			continue
		case on.patch == nil:
			on.weights = f.wallArea[s]
			continue
		}
		if held == nil {
			held = f.boundary.Share(s)
		}
		share := f.walls.within(s, on.patch, func(n int) bool { return held[n] > 0 }, func(node bool, w Wall, x [3]float64) float64 {
			switch rule := w.Flow.Rule(); {
			case node && rule.Holds:
				return 1
			case !node && rule.Gives:
				return value(w.FlowValue, x, t)
			}
			return 0
		})
		for n := range share {
			share[n] *= f.grid.WallArea(s, n)
		}
		if on.weights != nil {
			f.dev.Upload(on.weights, share)
		} else if on.weights, err = f.grid.NewWall(share); err != nil {
			return err
		}
	}
	return nil
}

// within returns for each node of a side the part that a patch has in the integral of a measure over the node's dual face. The measure knows whether the node holds a value. Where
// it adds up to nothing although the node holds one, the patch has all or nothing, as it holds the node.
func (w *walls) within(s kernels.Side, patch *Patch, holds func(n int) bool, measure func(node bool, c Wall, x [3]float64) float64) []float64 {
	part, all := make([]float64, w.grid.Box.WallNodes(s)), make([]float64, w.grid.Box.WallNodes(s))
	w.parts(s, func(p *wallPart, c *Wall) float64 { return measure(holds(p.node), *c, p.x) }, func(p *wallPart, v float64) {
		all[p.node] += v
		if patch.Holds(&w.p.Extent, p.x) {
			part[p.node] += v
		}
	})
	for n := range part {
		switch {
		case all[n] != 0:
			part[n] /= all[n]
		case holds(n) && patch.Holds(&w.p.Extent, w.point(s, n)):
			part[n] = 1
		default:
			part[n] = 0
		}
	}
	return part
}

// newSurfaceSamples makes room for what is measured of the surfaces.
func (m *model) newSurfaceSamples() []SurfaceSample {
	all := make([]SurfaceSample, len(m.surfaces))
	for n := range all {
		all[n].Scalars = make([]float64, len(m.scalars))
	}
	return all
}

// tally hands out slots to sums that are read together.
type tally struct {
	dev         kernels.Device
	first, most int
	into        []*float64
}

// take returns the first slot of sums that go to some places when they are read. Where no slots are left those before are read first.
func (t *tally) take(into ...*float64) int {
	if len(t.into)+len(into) > t.most {
		if v, err := t.dev.Scalars(); err == nil { // else kept by the device, returned by what reads the balance
			t.read(v)
		}
		t.into = t.into[:0]
	}
	t.into = append(t.into, into...)
	return t.first + len(t.into) - len(into)
}

// read takes what has been summed out of all slots.
func (t *tally) read(v []float64) {
	for n, p := range t.into {
		*p = v[t.first+n]
	}
	t.into = t.into[:0]
}
