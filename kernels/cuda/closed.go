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

// closedSurvey tells whether the passes of a survey compute the velocities on their way.
func closedSurvey(a *kernels.SurveyArgs) bool {
	return !a.Box.Flat() && a.Axis == kernels.Z && a.Scheme != kernels.WENO5 && alongTheWay(a.A) && alongTheWay(a.Flow.A)
}

// surveyClosed computes the heat gain and all sums of a survey in two passes, from pressure and temperature.
func (d *Device) surveyClosed(c *call.Call, a kernels.SurveyArgs, survey call.Survey) {
	s := c.Closed(a, survey)
	statistics, advect := closedStatistics.over(c), closedAdvect.over(c)
	own := kernels.SurveySlots * statistics.blocks()
	partial := d.partial(c, own+2*advect.blocks())
	s.Survey.Flow.Partial = partial
	d.launch(c, "closed_statistics", statistics, unsafe.Pointer(&s), unsafe.Sizeof(s))
	d.gatherSurvey(c, &a, statistics.blocks())
	s.Survey.Flow.Partial = partial + uintptr(8*own)
	d.launch(c, "closed_advect_"+schemeName(a.Scheme), advect, unsafe.Pointer(&s), unsafe.Sizeof(s))
	d.gather(c, a.Slot+kernels.SurveyGain, own, advect.blocks(), false)
	d.gather(c, a.Slot+kernels.SurveyHeatFlux, own+advect.blocks(), advect.blocks(), false)
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
