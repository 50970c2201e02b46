package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// How the passes of closed_advect.cu and closed_statistics.cu march.
var (
	closedAdvect     = march{help: 1, seen: advectHalo, rows: marchRows, each: 1, blocks: heavySlabs, planes: closedPlanes}
	closedStatistics = march{help: 1, seen: 1, rows: marchRows, each: 1, blocks: longSlabs, planes: closedPlanes}
)

// notClosed tells why the passes of AdvectMeasured do not compute the velocities on their way; "": they do, with 7 points, or with 27 where
// widths are even.
func notClosed(a *kernels.AdvectMeasuredArgs) string {
	switch {
	case a.Box.Flat():
		return isFlat
	case a.Axis != kernels.Z:
		return "the heat does not go along z"
	case a.Scheme == kernels.WENO5:
		return "WENO5"
	case a.A.Conductivity() != kernels.Constant || a.Flow.A.Conductivity() != kernels.Constant:
		return call.OnCells
	case a.A.Stencil != a.Flow.A.Stencil:
		return "two stencils"
	case a.A.Stencil == kernels.SevenPoint:
		return ""
	case a.Flow.T != a.T:
		return "27 points, and what drives the flow is another field"
	}
	return notEvenTrilinear(a.A)
}

// ComputesFlow tells whether AdvectMeasured computes the velocities of Flow on its way: see [kernels.FlowComputer].
func (d *Device) ComputesFlow(a kernels.AdvectMeasuredArgs) bool {
	why := notClosed(&a)
	if d.plan != nil {
		d.plan.Because("AdvectMeasured", why)
	}
	return why == ""
}

// advectMeasuredClosed computes the heat gain and all sums of AdvectMeasured in two passes, from pressure and temperature.
func (d *Device) advectMeasuredClosed(c *call.Call, a kernels.AdvectMeasuredArgs, measured call.AdvectMeasured) {
	s := call.ClosedTrilinear{Closed: c.Closed(a, measured)}
	name, size := "closed_", unsafe.Sizeof(s.Closed)
	statistics, advect := closedStatistics, closedAdvect
	if h, ok := evenTrilinear(a.A); ok {
		weighClosed(&s, c.Elem, h)
		name, size = "closed_trilinear_", unsafe.Sizeof(s)
		statistics, advect = trilinearStatistics, trilinearAdvect
	}
	measures, carries := statistics.over(c), advect.over(c)
	own := kernels.MeasuredSlots * measures.blocks()
	partial := d.partial(c, own+2*carries.blocks())
	s.Closed.AdvectMeasured.Partial = partial
	d.launch(c, name+"statistics", measures, unsafe.Pointer(&s), size)
	d.gatherAdvectMeasured(c, &a, measures.blocks())
	s.Closed.AdvectMeasured.Partial = partial + uintptr(8*own)
	d.launch(c, name+"advect", carries, unsafe.Pointer(&s), size)
	d.gather(c, a.Slot+kernels.MeasuredGain, own, carries.blocks(), addUp)
	d.gather(c, a.Slot+kernels.MeasuredHeatFlux, own+carries.blocks(), carries.blocks(), addUp)
}

// gatherAdvectMeasured gathers the sums of AdvectMeasured from n partial results of each.
func (d *Device) gatherAdvectMeasured(c *call.Call, a *kernels.AdvectMeasuredArgs, n int) {
	ways := [...]gathering{addUp, rootOfLargest, largest, largest, addUp, addUp, addUp, addUp, addUp, addUp}
	slots := len(ways)
	if !a.Enclosed {
		slots--
	}
	d.gatherAll(c, a.Slot, n, ways[:slots]...)
}
