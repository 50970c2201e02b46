package cpu

import "convect/kernels"

// Predict extrapolates the temperature and computes the residual of the heat equation there, one sum after the other.
func (d *Device) Predict(a kernels.PredictArgs) {
	c := d.beginElliptic("Predict", a.G, a.A)
	c.Predict(a)
	if c.OK() && a.Single != nil {
		c.Fail("there is no right side in single precision")
	}
	if !c.OK() {
		return
	}
	extrapolated := kernels.CombineArgs{Out: a.G, C: [4]float64{1, a.Omega, -a.Omega}, X: [4]kernels.Buffer{a.T, a.T, a.TPrev}}
	if a.TOlder != nil && a.Bend != 0 {
		extrapolated.C[2], extrapolated.C[3], extrapolated.X[3] = a.Bend-a.Omega, -a.Bend, a.TOlder
	}
	d.Combine(extrapolated)
	for _, w := range a.Walls {
		if w.Where != nil {
			d.SetWall(w)
		}
	}
	d.Combine(kernels.CombineArgs{Out: a.Work, C: [4]float64{a.A0, -a.A0, -a.A2, a.A2}, X: [4]kernels.Buffer{a.G, a.T, a.T, a.TPrev}})
	d.Combine(kernels.CombineArgs{Out: a.F, C: [4]float64{a.E1, a.E2}, X: [4]kernels.Buffer{a.N, a.NPrev}})
	if a.Source != nil {
		d.Combine(kernels.CombineArgs{Out: a.F, C: [4]float64{1, 1}, X: [4]kernels.Buffer{a.F, a.Source}})
	}
	part := &d.part
	*part = *a.A
	part.Mask, part.Stencil, part.K, part.Cells = nil, kernels.SevenPoint, [3]float64{}, [3]kernels.Buffer{}
	d.Residual(kernels.ResidualArgs{A: part, R: a.F, F: a.F, U: a.Work})
	if a.Periodic != [3]bool{} {
		d.Halo(kernels.HaloArgs{Box: a.A.Box, X: a.G, Periodic: a.Periodic, Width: 1})
	}
	*part = *a.A
	part.Mask, part.MassScale = nil, 0
	d.Residual(kernels.ResidualArgs{A: part, R: a.F, F: a.F, U: a.G})
	if a.Norms {
		d.Combine(kernels.CombineArgs{Out: a.Work, C: [4]float64{1, -1}, X: [4]kernels.Buffer{a.G, a.T}})
		for n, x := range [...]kernels.Buffer{a.Work, a.F} {
			if n > 0 && a.OnlyChange {
				break
			}
			d.Reduce(kernels.ReduceArgs{Kind: kernels.Dot, Box: a.A.Box, X: x, Y: x, Mask: a.A.Mask, Slot: a.Slot + n})
		}
	}
}

// Conserve updates the temperature from the fluxes of the increment.
func (d *Device) Conserve(a kernels.ConserveArgs) {
	c := d.beginElliptic("Conserve", a.X, a.A)
	if c.Conserve(a); !c.OK() {
		return
	}
	d.part = *a.A
	d.part.Mask = nil
	d.Residual(kernels.ResidualArgs{A: &d.part, R: a.R, F: a.F, U: a.U})
	d.MassUpdate(kernels.MassUpdateArgs{A: a.A, U: a.U, R: a.R})
	d.Combine(kernels.CombineArgs{Out: a.X, C: [4]float64{1, 1}, X: [4]kernels.Buffer{a.X, a.U}})
}
