package cuda

import (
	"unsafe"

	"convect/kernels"
)

// stepHalo is the number of nodes beyond the last that the passes of step.cu see.
const stepHalo = 1

// alongTheWay tells whether the passes of a step apply an operator themselves.
func alongTheWay(a *kernels.Elliptic) bool {
	return a.Stencil == kernels.SevenPoint && a.Cells[0] == nil
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
	g := overMarch(&c, stepHalo, heavySlabs)
	if a.Norms {
		s.Partial = d.partial(&c, 2*g.blocks())
	}
	kernel, norms := "predict_conducted", []gathering{addUp, addUp}
	if !alongTheWay(a.A) {
		kernel, norms = "predict_stored", norms[:1]
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
	if a.Norms {
		d.Reduce(kernels.ReduceArgs{Kind: kernels.Dot, Box: a.A.Box, X: a.F, Y: a.F, Mask: a.A.Mask, Slot: a.Slot + 1})
	}
}

// Settle updates the temperature from the fluxes of the increment.
func (d *Device) Settle(a kernels.SettleArgs) {
	c := d.begin("Settle", a.X)
	s := c.Settle(a)
	if !c.OK() {
		return
	}
	kernel := "settle_conducted"
	if !alongTheWay(a.A) {
		kernel = "settle_stored"
		free := *a.A
		free.Mask = nil
		d.Residual(kernels.ResidualArgs{A: &free, R: a.R, F: a.F, U: a.U})
	}
	d.launch(&c, kernel, overMarch(&c, stepHalo, heavySlabs), unsafe.Pointer(&s), unsafe.Sizeof(s))
}
