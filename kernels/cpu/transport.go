package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// advectRowsUsed is the number of scratch rows of advect_scratch in transport.h beside those of the strip.
const advectRowsUsed = 6

// AdvectMeasured computes the heat gain by advection and the sums of a step, one after the other.
func (d *Device) AdvectMeasured(a kernels.AdvectMeasuredArgs) {
	c := d.beginElliptic("AdvectMeasured", a.Out, a.A)
	if c.AdvectMeasured(a); !c.OK() {
		return
	}
	if a.Flow.A != nil {
		d.DarcyFlux(a.Flow)
		if a.Periodic != [3]bool{} {
			for _, q := range a.Q {
				if q != nil {
					d.Halo(kernels.HaloArgs{Box: a.Box, X: q, Periodic: a.Periodic, Width: 1})
				}
			}
		}
	}
	d.Advect(a.AdvectArgs)
	d.FlowStatistics(kernels.FlowStatisticsArgs{Box: a.Box, W: a.W, Q: a.Q, Periodic: a.Periodic, Slot: a.Slot})
	d.HeatFlux(kernels.HeatFluxArgs{A: a.A, Axis: a.Axis, Q: a.Q[a.Axis], T: a.T, Periodic: a.Periodic, Scheme: a.Scheme,
		Slot: a.Slot + kernels.MeasuredHeatFlux})
	if a.Enclosed {
		d.Dissipation(kernels.DissipationArgs{A: a.A, T: a.T, Periodic: a.Periodic, Slot: a.Slot + kernels.MeasuredDissipation})
	}
	content := kernels.ReduceArgs{Kind: kernels.VolumeSum, Box: a.Box, X: a.T, W: a.W, Slot: a.Slot + kernels.MeasuredContent}
	if a.A.Mass != nil {
		content.Kind, content.Y = kernels.Dot, a.A.Mass
	}
	d.Reduce(content)
	d.Reduce(kernels.ReduceArgs{Kind: kernels.Sum, Box: a.Box, X: a.Out, Slot: a.Slot + kernels.MeasuredGain})
}

// Advect computes the integrated heat gain by advection.
func (d *Device) Advect(a kernels.AdvectArgs) {
	c := d.begin("Advect", a.Out)
	s := hold(c, c.Advect(a))
	s.Stream, s.Strip = c.stream(), c.strip(8, d.l2)
	c.reserveRows(advectRowsUsed + 2*int(s.Strip))
	c.runRows(C.cv_advect, unsafe.Pointer(s))
}
