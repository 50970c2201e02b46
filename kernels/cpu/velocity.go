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
	*s = c.NodeVelocity(a)
	s.Stream = c.stream()
	c.reserveRows(1)
	c.runRows(C.cv_node_velocity, unsafe.Pointer(s))
}

// FlowStatistics reduces the face velocities to six slots.
func (d *Device) FlowStatistics(a kernels.FlowStatisticsArgs) {
	c := d.begin("FlowStatistics", a.Q[0])
	s := &d.state.flow
	*s = c.FlowStatistics(a)
	c.reserveRows(6)
	rows := c.Rows()
	s.Partial, s.Rows = c.partials(6*rows), int64(rows)
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
	*s = c.Streamfunction(a)
	c.reserveRows(2)
	s.Partial = c.partials(2)
	c.run(C.cv_streamfunction, unsafe.Pointer(s), 1, 0)
	if c.OK() {
		c.store(a.Slot, d.partials[0])
		c.store(a.Slot+1, d.partials[1])
	}
}
