package ranks

import (
	"reflect"

	"convect/kernels"
)

// Queued is a Device of GPUs, which has what GPUs have besides the common kernels.
type Queued struct{ *Device }

// Whole returns the device with all that it can do.
func (d *Device) Whole() kernels.Device {
	if d.queued {
		return Queued{d}
	}
	return d
}

// asked returns a rank that is here; all are alike.
func (d *Device) asked() kernels.Optional { return kernels.Optional{Device: d.any().device} }

// Conductance computes the conductances of faces.
func (d *Device) Conductance(a kernels.ConductanceArgs) {
	if a.A == nil {
		d.fail("Conductance: the operator is missing")
		return
	}
	c := d.begin("Conductance", a.A.Box, a.A.Shape.Periodic[kernels.Y])
	c.wide = true
	c.readCoefficients(a.A)
	for _, b := range a.Out {
		c.write(1, b)
	}
	c.run(func(r *rank) {
		l := a
		l.A = c.operator(r, a.A)
		for axis, b := range a.Out {
			l.Out[axis] = c.nodes(r, b)
		}
		r.device.(kernels.Conductor).Conductance(l)
	})
	// Cycles find them as they need them, so that they can be recorded.
	for axis, b := range a.Out {
		own, _ := b.(*Buffer)
		if own == nil || !c.layout.split || !c.ok() {
			continue
		}
		if own.need(d.options.Ghosts-2, false); axis == kernels.Y {
			own.wall()
		}
	}
}

// wallFaces makes the outer ends of slabs walls for the conductances of an operator: nothing is conducted beyond the last row, from which passes also take what is
// conducted to the first.
func (p *pair) wallFaces(a *kernels.Elliptic) {
	if own, _ := a.Faces[kernels.Y].(*Buffer); own != nil && own.layout != nil && own.layout.split && p.fine.stands == nil && p.fine.ok() {
		p.fine.exchange()
		own.wall()
	}
}

// wall makes the last row that a rank computes of a shared array zero, if it is not that of the whole, unless it is so.
func (b *Buffer) wall() {
	if b.walled {
		return
	}
	d, l := b.device, b.layout
	zeros := d.zerosOf(standKind{l, b.elem})
	if zeros == nil {
		return
	}
	d.queue(func(r *rank) {
		s, last := l.slabs[r.number], l.view(r.number, false)[1]
		if last == l.box.N[kernels.Y] {
			return
		}
		n := [3]int{l.box.N[kernels.X], 1, l.box.N[kernels.Z]}
		r.device.CopyBlocks([]kernels.Copy{{
			To:   kernels.Block{Array: b.local[r.number], Box: s.box, First: [3]int{0, last - 1 - s.held[0], 0}, N: n},
			From: kernels.Block{Array: zeros[r.number], Box: l.rowBox(), N: n},
		}})
	})
	b.walled = true
}

// rowBox returns the box of an array of one row of y, as long and as high as the grid.
func (l *layout) rowBox() kernels.Box {
	return kernels.NewBox([3]int{l.box.N[kernels.X], 1, l.box.N[kernels.Z]}, false)
}

// zerosOf returns an array of zeros on each rank that is here, of one row of arrays of a kind; nil where there is none yet while kernels are recorded, or after a failure.
func (d *Device) zerosOf(of standKind) map[int]kernels.Buffer {
	if z := d.zeros[of]; z != nil || d.throughHost() || !d.ok() {
		return z
	}
	z := map[int]kernels.Buffer{}
	for _, r := range d.ranks {
		b, err := r.device.Alloc(of.elem, of.layout.rowBox().Len)
		if err != nil {
			d.fail("%w", err)
			return nil
		}
		z[r.number] = b
	}
	d.zeros[of] = z
	return z
}

// measuredWays are those of the slots of AdvectMeasured.
var measuredWays = [kernels.MeasuredSlots]way{addUp, largest, largest, largest, addUp, addUp, addUp, addUp, addUp, addUp}

// advectOnSlabs runs AdvectMeasured as one kernel of each rank: with velocities that are given, or computed on the way, which only sees what flows within a slab.
func (d *Device) advectOnSlabs(a kernels.AdvectMeasuredArgs) {
	c := d.begin("AdvectMeasured", a.Box, a.Periodic[kernels.Y])
	edge := max(a.Scheme.Halo(), 2)
	c.readOperator(a.A)
	c.read(a.T, edge)
	advect, flow := declared(reflect.TypeFor[kernels.AdvectArgs]()), declared(reflect.TypeFor[kernels.DarcyFluxArgs]())
	for _, q := range a.Q {
		if q != nil { // it may not have been used yet
			d.nodesOf(q, c.layout, "Q")
		}
	}
	if a.Flow.A != nil {
		c.readOperator(a.Flow.A)
		c.read(a.Flow.P, edge)
		c.read(a.Flow.T, edge)
		c.copy(a.Flow.TMean)
	} else {
		for _, q := range a.Q {
			c.read(q, edge)
		}
	}
	c.write(edge, a.Out)
	c.copy(a.W[:]...)
	c.copy(a.Inflow[:]...)
	c.run(func(r *rank) {
		l := a
		l.AdvectArgs, l.A = local(c, r, a.AdvectArgs, advect), c.operator(r, a.A)
		if a.Flow.A != nil {
			l.Flow = local(c, r, a.Flow, flow)
		}
		r.device.AdvectMeasured(l)
	})
	ways := measuredWays[:]
	if !a.Enclosed {
		ways = ways[:kernels.MeasuredDissipation]
	}
	d.reduced(a.Slot, c.layout, rows{0, d.size}, ways...)
}
