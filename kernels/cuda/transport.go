package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// advectHalo is the number of nodes beyond the last that the transport of advect_measured.cu sees.
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
		m := call.AdvectMeasured{Flow: *s}
		d.launch(c, "advect_weno5", overSlabs(c.Box), unsafe.Pointer(&m), unsafe.Sizeof(m))
	default:
		d.launch(c, "advect", overMarch(c, advectHalo, heavySlabs), unsafe.Pointer(s), unsafe.Sizeof(*s))
	}
}

// AdvectMeasured computes the heat gain by advection and the sums of a step: in one pass, but for those that depend on coefficients of their own in each cell or
// node.
func (d *Device) AdvectMeasured(a kernels.AdvectMeasuredArgs) {
	c := d.begin("AdvectMeasured", a.Out)
	s := c.AdvectMeasured(a)
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
		d.advectMeasuredClosed(&c, a, s)
	} else {
		name, g := "advect_measured", march{help: 1, seen: advectHalo, rows: measuredRows, each: 1, blocks: heavySlabs}.over(&c)
		if a.Scheme == kernels.WENO5 {
			name, g = "advect_weno5", overSlabs(c.Box)
		}
		if a.A.Cells[0] != nil {
			s.K = [3]float64{}
		}
		s.Partial = d.partial(&c, kernels.MeasuredSlots*g.blocks())
		d.launch(&c, name, g, unsafe.Pointer(&s), unsafe.Sizeof(s))
		d.gatherAdvectMeasured(&c, &a, g.blocks())
	}
	d.measureRest(a)
}

// measureRest reduces what the pass of AdvectMeasured has not, or not with the coefficients of cells and nodes.
func (d *Device) measureRest(a kernels.AdvectMeasuredArgs) {
	if a.A.Mass != nil {
		d.Reduce(kernels.ReduceArgs{Kind: kernels.Dot, Box: a.Box, X: a.T, Y: a.A.Mass, W: a.W, Slot: a.Slot + kernels.MeasuredContent})
	}
	if a.A.Cells[0] != nil && a.A.Stencil == kernels.SevenPoint { // the pass has what is carried
		d.addConduction(a)
		return
	}
	if a.A.Cells[0] != nil {
		d.HeatFlux(kernels.HeatFluxArgs{A: a.A, Axis: a.Axis, Q: a.Q[a.Axis], T: a.T, Periodic: a.Periodic, Scheme: a.Scheme,
			Slot: a.Slot + kernels.MeasuredHeatFlux})
	}
	if a.Enclosed && a.Flow.A == nil && (a.A.Cells[0] != nil || a.A.Stencil != kernels.SevenPoint) {
		d.Dissipation(kernels.DissipationArgs{A: a.A, T: a.T, Periodic: a.Periodic, Slot: a.Slot + kernels.MeasuredDissipation})
	}
}

// disperseKernels are those of each form.
var disperseKernels = [...]string{kernels.SpreadEdges: "disperse_edges", kernels.SpreadTrilinear: "disperse_trilinear", kernels.SpreadLimited: "disperse_limited"}

// Disperse adds what dispersion brings to every node, by the kernel of the form.
func (d *Device) Disperse(a kernels.DisperseArgs) {
	c := d.begin("Disperse", a.Q[0])
	s := c.Disperse(a)
	if !c.OK() {
		return
	}
	g := overRims(c.Box)
	s.Partial, s.Parts = d.partial(&c, 3*g.blocks()), int64(g.blocks())
	d.launch(&c, disperseKernels[a.Form], g, unsafe.Pointer(&s), unsafe.Sizeof(s))
	d.gatherAll(&c, a.Slot, g.blocks(), addUp, addUp, largest)
}
