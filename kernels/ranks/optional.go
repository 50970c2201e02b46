package ranks

import (
	"reflect"

	"convect/kernels"
)

// Queued is a Device of GPUs, which has what GPUs have besides the common kernels.
type Queued struct{ *Device }

var (
	_ kernels.DirectSolver      = Queued{}
	_ kernels.FlowComputer      = Queued{}
	_ kernels.Corrector         = Queued{}
	_ kernels.Conductor         = Queued{}
	_ kernels.MeasuredConserver = Queued{}
)

// gpu is what a rank that queues kernels can do besides.
type gpu interface {
	kernels.DirectSolver
	kernels.FlowComputer
	kernels.Corrector
	kernels.Conductor
	kernels.MeasuredConserver
}

// Whole returns the device with all that it can do.
func (d *Device) Whole() kernels.Device {
	if _, ok := d.any().device.(gpu); ok && d.queued {
		return Queued{d}
	}
	return d
}

// asked returns what a rank that is here can do besides; all are alike.
func (d *Device) asked() gpu { return d.any().device.(gpu) }

// SolvesDirectly tells whether SolveCoarse is fast for an operator, of which every rank has all.
func (q Queued) SolvesDirectly(a *kernels.Elliptic) bool {
	return !q.layoutOf(a.Box).split && q.asked().SolvesDirectly(a)
}

// ComputesFlow tells whether AdvectMeasured computes velocities on its way.
func (q Queued) ComputesFlow(a kernels.AdvectMeasuredArgs) bool { return q.asked().ComputesFlow(a) }

// Corrects tells whether Correct knows an operator; with 27 points it sums up all rows, which are those of one rank.
func (q Queued) Corrects(a *kernels.Elliptic) bool {
	return a.Stencil == kernels.SevenPoint && q.asked().Corrects(a)
}

// Conducts tells whether cycles on an operator are faster where the conductances of faces are kept.
func (q Queued) Conducts(a *kernels.Elliptic) bool { return q.asked().Conducts(a) }

// ConservesMeasured tells whether ConserveMeasured knows an operator.
func (q Queued) ConservesMeasured(a *kernels.Elliptic) bool { return q.asked().ConservesMeasured(a) }

// Correct corrects a solution and measures what it leaves.
func (q Queued) Correct(a kernels.CorrectArgs) { q.correct(a) }

// Conductance computes the conductances of faces.
func (q Queued) Conductance(a kernels.ConductanceArgs) { q.conductance(a) }

// ConserveMeasured ends a step and measures what it leaves.
func (q Queued) ConserveMeasured(a kernels.ConserveMeasuredArgs) { q.conserveMeasured(a) }

func (d *Device) correct(a kernels.CorrectArgs) {
	if a.A == nil {
		d.fail("Correct: the operator is missing")
		return
	}
	c := d.begin("Correct", a.A.Box, a.A.Shape.Periodic[kernels.Y])
	c.readOperator(a.A)
	c.read(a.U, 1)
	c.read(a.E, 1)
	c.read(a.F, 0)
	c.write(1, a.R)
	c.write(1, a.Out)
	c.run(func(r *rank) {
		l := a
		l.A, l.Out, l.U, l.F, l.E, l.R = c.operator(r, a.A), c.nodes(r, a.Out), c.nodes(r, a.U), c.nodes(r, a.F), c.nodes(r, a.E), c.nodes(r, a.R)
		r.device.(gpu).Correct(l)
	})
	d.reduced(a.Slot, c.layout, rows{0, d.size}, addUp, addUp, addUp, addUp, addUp)
}

func (d *Device) conductance(a kernels.ConductanceArgs) {
	if a.A == nil {
		d.fail("Conductance: the operator is missing")
		return
	}
	c := d.begin("Conductance", a.A.Box, a.A.Shape.Periodic[kernels.Y])
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
		r.device.(gpu).Conductance(l)
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
		own.wall()
	}
}

// wall makes the last row that a rank computes of a shared array zero, if it is not that of the whole, unless it is so.
func (b *Buffer) wall() {
	if b.walled || b.device.throughHost() {
		return
	}
	l := b.layout
	b.device.each(func(r *rank) {
		if last := l.view(r.number, false)[1]; last < l.box.N[kernels.Y] {
			box := l.boxOf(r.number, rows{last - 1, last})
			r.device.UploadBox(b.local[r.number], box, make([]float64, box.Nodes()))
		}
	})
	b.walled = true
}

func (d *Device) conserveMeasured(a kernels.ConserveMeasuredArgs) {
	if a.A == nil {
		d.fail("ConserveMeasured: the operator is missing")
		return
	}
	c := d.begin("ConserveMeasured", a.A.Box, a.A.Shape.Periodic[kernels.Y])
	c.readOperator(a.A)
	c.read(a.E, 1)
	c.read(a.X, 0)
	c.read(a.F, 0)
	c.write(1, a.Out)
	c.write(d.options.Ghosts, a.R) // it is written at fixed nodes alone
	c.run(func(r *rank) {
		l := a
		l.A, l.Out, l.X, l.E, l.F, l.R = c.operator(r, a.A), c.nodes(r, a.Out), c.nodes(r, a.X), c.nodes(r, a.E), c.nodes(r, a.F), c.nodes(r, a.R)
		r.device.(gpu).ConserveMeasured(l)
	})
	d.reduced(a.Slot, c.layout, rows{0, d.size}, addUp)
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
