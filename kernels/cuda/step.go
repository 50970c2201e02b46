package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// stepHalo is the number of nodes beyond the last that the passes of step.cu see.
const stepHalo = 1

// alongTheWay tells whether the passes of a step apply an operator themselves.
func alongTheWay(a *kernels.Elliptic) bool {
	return a.Stencil == kernels.SevenPoint && a.Conductivity() == kernels.Constant
}

// How the passes of step_sides.cu march.
var (
	predictSides          = march{help: 1, seen: stepHalo, rows: 4, each: sidesRows, blocks: sidesSlabs}
	conserveSides         = march{help: 1, seen: stepHalo, rows: 4, each: sidesRows, blocks: lightSlabs}
	conserveMeasuredSides = march{help: 1, seen: stepHalo, rows: 4, each: sidesRows, blocks: sidesSlabs}
)

// notSides tells why the passes of step_sides.cu do not know an operator, whose mask must fix whole sides alone, and notes which; "": they do.
func notSides(a *kernels.Elliptic, s *call.Step) string {
	switch {
	case a.Stencil != kernels.SevenPoint:
		return "27 points"
	case a.Conductivity() != kernels.Constant:
		return call.OnCells
	case !sides(a.Mask, &s.Fixed):
		return notWholeSides
	}
	return ""
}

// PredictsSingle tells whether Predict makes a right side in single precision: with constant K, 7 points and whole sides fixed.
func (d *Device) PredictsSingle(a *kernels.Elliptic) bool { return notSides(a, &call.Step{}) == "" }

// ConservesMeasured tells whether ConserveMeasured knows an operator: one of which Predict makes a right side in single precision, or one with K on cells on a grid of
// even widths, with whole sides fixed.
func (d *Device) ConservesMeasured(a *kernels.Elliptic) bool {
	return d.PredictsSingle(a) || d.conservesStrips(a)
}

// conservesStrips tells whether ConserveMeasured is a sweep on strips.
func (d *Device) conservesStrips(a *kernels.Elliptic) bool {
	_, _, why := stripOperator(a, &call.EvenSweep{})
	return a.Conductivity() != kernels.Constant && a.Mass == nil && why == ""
}

// Predict extrapolates the temperature and computes the residual of the heat equation there.
func (d *Device) Predict(a kernels.PredictArgs) {
	c := d.begin("Predict", a.G)
	s := c.Predict(a)
	if !c.OK() {
		return
	}
	for _, w := range a.Walls {
		if w.Where != nil {
			d.SetWall(w)
		}
	}
	if s.TOlder == 0 { // then it has no weight
		s.TOlder = s.TPrev
	}
	g, why := overMarch(&c, stepHalo, heavySlabs), notSides(a.A, &s)
	d.because(&c, why)
	kernel, norms := "predict", []gathering{addUp, addUp}
	switch {
	case why == "":
		kernel, g = "predict_sides", predictSides.over(&c)
	case a.Single != nil:
		c.Fail("no right side in single precision is made for the operator")
		return
	case !alongTheWay(a.A):
		norms = norms[:1]
	}
	if a.Norms {
		s.Partial = d.partial(&c, 2*g.blocks())
	}
	d.launch(&c, kernel, g, unsafe.Pointer(&s), unsafe.Sizeof(s))
	if a.Norms {
		d.gatherAll(&c, a.Slot, g.blocks(), norms...)
	}
	if alongTheWay(a.A) {
		return
	}
	if a.Periodic != [3]bool{} {
		d.Halo(kernels.HaloArgs{Box: a.A.Box, X: a.G, Periodic: a.Periodic, Width: 1})
	}
	stiffness := *a.A
	stiffness.Mask, stiffness.MassScale = nil, 0
	d.Residual(kernels.ResidualArgs{A: &stiffness, R: a.F, F: a.F, U: a.G})
	if a.Norms && !a.OnlyChange {
		d.Reduce(kernels.ReduceArgs{Kind: kernels.Dot, Box: a.A.Box, X: a.F, Y: a.F, Mask: a.A.Mask, Slot: a.Slot + 1})
	}
}

// Conserve updates the temperature from the fluxes of the increment.
func (d *Device) Conserve(a kernels.ConserveArgs) {
	c := d.begin("Conserve", a.X)
	s := c.Conserve(a)
	if !c.OK() {
		return
	}
	g, why := overMarch(&c, stepHalo, heavySlabs), notSides(a.A, &s)
	d.because(&c, why)
	kernel := "conserve"
	switch {
	case why == "":
		kernel, g = "conserve_sides", conserveSides.over(&c)
	case !alongTheWay(a.A):
		free := *a.A
		free.Mask = nil
		d.Residual(kernels.ResidualArgs{A: &free, R: a.R, F: a.F, U: a.U})
	}
	d.launch(&c, kernel, g, unsafe.Pointer(&s), unsafe.Sizeof(s))
}

// Finish updates the temperature from the fluxes of the increment that a solve leaves in single precision, and measures what that leaves.
func (d *Device) ConserveMeasured(a kernels.ConserveMeasuredArgs) {
	c := d.begin("ConserveMeasured", a.X)
	s := c.ConserveMeasured(a)
	if !c.OK() {
		return
	}
	if d.conservesStrips(a.A) {
		d.conserveStrips(&c, a, &s)
		return
	}
	if notSides(a.A, &s) != "" {
		c.Fail("the operator is not one of whole sides fixed, of constant K and 7 points or of K on cells and even widths")
		return
	}
	g := conserveMeasuredSides.over(&c)
	s.Partial = d.partial(&c, g.blocks())
	d.launch(&c, "conserve_sides", g, unsafe.Pointer(&s), unsafe.Sizeof(s))
	d.gatherAll(&c, a.Slot, g.blocks(), addUp)
}
