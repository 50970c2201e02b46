package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// How the passes of closed_advect.cu and closed_statistics.cu march; closed.cuh has closed_planes.
var (
	closedAdvect     = march{help: 1, seen: advectHalo, rows: marchRows, each: 1, blocks: heavySlabs, planes: closedPlanes}
	closedStatistics = march{help: 1, seen: 1, rows: marchRows, each: 1, blocks: longSlabs, planes: closedPlanes}
)

const closedPlanes = 64

// notClosed tells why the passes of a survey do not compute the velocities on their way; "": they do, with 7 points, or with 27 where
// widths are even.
func notClosed(a *kernels.SurveyArgs) string {
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
	}
	return notEvenTrilinear(a.A)
}

// surveyClosed computes the heat gain and all sums of a survey in two passes, from pressure and temperature.
func (d *Device) surveyClosed(c *call.Call, a kernels.SurveyArgs, survey call.Survey) {
	s := call.ClosedTrilinear{Closed: c.Closed(a, survey)}
	name, size := "closed_", unsafe.Sizeof(s.Closed)
	statistics, advect := closedStatistics, closedAdvect
	if h, ok := evenTrilinear(a.A); ok {
		weighClosed(&s, c.Elem, h)
		name, size = "closed_trilinear_", unsafe.Sizeof(s)
		statistics, advect = trilinearStatistics, trilinearAdvect
	}
	measures, carries := statistics.over(c), advect.over(c)
	own := kernels.SurveySlots * measures.blocks()
	partial := d.partial(c, own+2*carries.blocks())
	s.Closed.Survey.Partial = partial
	d.launch(c, name+"statistics", measures, unsafe.Pointer(&s), size)
	d.gatherSurvey(c, &a, measures.blocks())
	s.Closed.Survey.Partial = partial + uintptr(8*own)
	d.launch(c, name+"advect_"+schemeName(a.Scheme), carries, unsafe.Pointer(&s), size)
	d.gather(c, a.Slot+kernels.SurveyGain, own, carries.blocks(), false)
	d.gather(c, a.Slot+kernels.SurveyHeatFlux, own+carries.blocks(), carries.blocks(), false)
}

// gatherSurvey gathers the sums of a survey from n partial results of each.
func (d *Device) gatherSurvey(c *call.Call, a *kernels.SurveyArgs, n int) {
	ways := [...]gathering{addUp, rootOfLargest, largest, largest, addUp, addUp, addUp, addUp, addUp, addUp}
	slots := len(ways)
	if !a.Enclosed {
		slots--
	}
	d.gatherAll(c, a.Slot, n, ways[:slots]...)
}
