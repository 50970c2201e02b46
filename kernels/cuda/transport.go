package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// advectHalo is the number of nodes beyond the last that the transport of survey.cu sees.
const advectHalo = 2

// Advect computes the integrated heat gain by advection.
func (d *Device) Advect(a kernels.AdvectArgs) {
	c := d.begin("Advect", a.Out)
	s := c.Advect(a)
	d.advect(&c, &s, a.Scheme)
}

func (d *Device) advect(c *call.Call, s *call.Advect, scheme kernels.Scheme) {
	switch {
	case !c.OK():
	case scheme == kernels.WENO5:
		d.launch(c, "advect_weno5", overSlabs(c.Box), unsafe.Pointer(s), unsafe.Sizeof(*s))
	default:
		d.launch(c, "advect_"+schemeName(scheme), overMarch(c, advectHalo, heavySlabs), unsafe.Pointer(s), unsafe.Sizeof(*s))
	}
}

// schemeName ends the names of kernels for a scheme.
func schemeName(s kernels.Scheme) string { return [...]string{"central", "tvd", "weno5"}[s] }

// Survey computes the heat gain by advection and the sums of a step: in one pass where the scheme is not WENO5, but for those that
// depend on coefficients of their own in each cell or node.
func (d *Device) Survey(a kernels.SurveyArgs) {
	c := d.begin("Survey", a.Out)
	s := c.Survey(a)
	if !c.OK() {
		return
	}
	why := ""
	if a.Flow.A != nil {
		why = notClosed(&a)
	}
	if why != "" {
		d.because(&c, why)
		d.DarcyFlux(a.Flow)
		for _, q := range a.Q {
			if q != nil && a.Periodic != [3]bool{} {
				d.Halo(kernels.HaloArgs{Box: a.Box, X: q, Periodic: a.Periodic, Width: 1})
			}
		}
		a.Flow.A = nil
	}
	if a.Flow.A != nil {
		d.surveyClosed(&c, a, s)
	} else if a.Scheme == kernels.WENO5 {
		d.advect(&c, &s.Flow, a.Scheme)
		d.FlowStatistics(kernels.FlowStatisticsArgs{Box: a.Box, W: a.W, Q: a.Q, Periodic: a.Periodic, Slot: a.Slot})
		d.Reduce(kernels.ReduceArgs{Kind: kernels.Sum, Box: a.Box, X: a.Out, Slot: a.Slot + kernels.SurveyGain})
	} else {
		g := overMarch(&c, advectHalo, heavySlabs)
		s.Partial = d.partial(&c, kernels.SurveySlots*g.blocks())
		d.launch(&c, "survey_"+schemeName(a.Scheme), g, unsafe.Pointer(&s), unsafe.Sizeof(s))
		d.gatherSurvey(&c, &a, g.blocks())
	}
	d.surveyRest(a)
}

// surveyRest reduces what the pass of Survey has not, or not with the coefficients of cells and nodes.
func (d *Device) surveyRest(a kernels.SurveyArgs) {
	composed := a.Scheme == kernels.WENO5
	switch content := (kernels.ReduceArgs{Box: a.Box, X: a.T, W: a.W, Slot: a.Slot + kernels.SurveyContent}); {
	case a.A.Mass != nil:
		content.Kind, content.Y = kernels.Dot, a.A.Mass
		d.Reduce(content)
	case composed:
		content.Kind = kernels.VolumeSum
		d.Reduce(content)
	}
	if composed || a.A.Cells[0] != nil {
		d.HeatFlux(kernels.HeatFluxArgs{A: a.A, Axis: a.Axis, Q: a.Q[a.Axis], T: a.T, Periodic: a.Periodic, Scheme: a.Scheme,
			Slot: a.Slot + kernels.SurveyHeatFlux})
	}
	if a.Enclosed && a.Flow.A == nil && (composed || a.A.Cells[0] != nil || a.A.Stencil != kernels.SevenPoint) {
		d.Dissipation(kernels.DissipationArgs{A: a.A, T: a.T, Periodic: a.Periodic, Slot: a.Slot + kernels.SurveyDissipation})
	}
}
