package cpu

// #include "cpu.h"
import "C"

import (
	"math"
	"unsafe"

	"convect/kernels"
)

// NodeVelocity computes one velocity component on nodes.
func (d *Device) NodeVelocity(a kernels.NodeVelocityArgs) {
	c := d.begin("NodeVelocity", a.Out)
	s := &d.state.flow
	*s = C.cv_flow_args{box: c.setBox(a.Box), axis: C.int64_t(a.Axis), out: c.nodes(a.Out, "Out")}
	c.axis(a.Axis)
	if c.ok() {
		s.q[a.Axis], s.periodic[a.Axis] = c.nodes(a.Q, "Q"), flag(a.Periodic)
		if a.Q == a.Out {
			c.fail("Out is Q")
		}
	}
	s.stream = c.stream()
	c.reserveRows(1)
	c.runRows(C.cv_node_velocity, unsafe.Pointer(s))
}

// FlowStatistics reduces the face velocities to six slots.
func (d *Device) FlowStatistics(a kernels.FlowStatisticsArgs) {
	c := d.begin("FlowStatistics", a.Q[0])
	s := &d.state.flow
	*s = C.cv_flow_args{box: c.setBox(a.Box), w: c.axes(a.W, "W"), q: c.faces(a.Q), periodic: flags(a.Periodic)}
	c.slot(a.Slot, 6)
	c.reserveRows(6)
	rows := c.rows()
	s.partial, s.rows = c.partials(6*rows), C.int64_t(rows)
	c.runRows(C.cv_flow_statistics, unsafe.Pointer(s))
	c.store(a.Slot, c.sum(0, rows))
	c.store(a.Slot+1, math.Sqrt(c.max(rows, rows)))
	c.store(a.Slot+2, c.max(2*rows, rows))
	c.store(a.Slot+3, c.max(3*rows, rows))
	c.store(a.Slot+4, c.sum(4*rows, rows))
	c.store(a.Slot+5, c.sum(5*rows, rows))
}

// Streamfunction computes the streamfunction on a flat box.
func (d *Device) Streamfunction(a kernels.StreamfunctionArgs) {
	c := d.begin("Streamfunction", a.Out)
	s := &d.state.flow
	*s = C.cv_flow_args{box: c.setBox(a.Box), w: c.axes(a.W, "W"), q: c.faces(a.Q), periodic: flags(a.Periodic),
		out: c.nodes(a.Out, "Out")}
	if c.ok() && !a.Box.Flat() {
		c.fail("the box is not flat")
	}
	s.centre = ints(a.Centre)
	for d, p := range a.Part {
		s.part[d] = C.double(p)
		if n := a.Box.N[d]; a.Centre[d] < 0 || a.Centre[d] >= n || !(p >= 0 && p <= 1) || (p > 0 && a.Centre[d] == n-1) {
			c.fail("the centre is not within the nodes along axis %d", d)
		}
	}
	c.slot(a.Slot, 2)
	c.reserveRows(2)
	s.partial = c.partials(2)
	c.run(C.cv_streamfunction, unsafe.Pointer(s), 1, 0)
	if c.ok() {
		c.store(a.Slot, d.partials[0])
		c.store(a.Slot+1, d.partials[1])
	}
}
