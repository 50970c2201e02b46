package devicetest

import "convect/kernels"

func (d *hostDevice) Corrects(a *kernels.Elliptic) bool { return a.Cells[0] == nil }

func (d *hostDevice) TakesRatios() bool { return true }

func (d *hostDevice) MeasuresCycles() bool { return true }

func (d *hostDevice) Conjugates(a *kernels.Elliptic) bool { return a.Cells[0] != nil }

func (d *hostDevice) Conjugate(a kernels.ConjugateArgs) {
	scale := a.Scale * d.quotient(a.By)
	d.reduceTo("Conjugate", a.Slot, 1, func() []sum {
		o, p := operatorOf(a.A, [3]bool{}), fieldOf(a.A.Box, a.P)
		x := fieldOf(a.A.Box, a.X).Clone()
		for n, v := range p.V {
			x.V[n] += scale * v
		}
		write(a.Out, compute(o.Box, func(n Node) sum { return sum{x.At(n), 0} }))
		return []sum{o.energy(x)}
	}, operands(a.A, a.Out, a.X, a.P)...)
}

func (d *brokenDevice) Conjugate(a kernels.ConjugateArgs) {
	switch d.defect {
	case "Conjugate/forgets the last direction":
		a.Scale = 0
	case "Conjugate/forgets the ratio":
		a.By = kernels.Ratio{}
	}
	d.hostDevice.Conjugate(a)
	if d.defect == "Conjugate/takes the energy of what it began with" {
		d.hostDevice.Energy(kernels.EnergyArgs{A: a.A, X: a.X, Slot: a.Slot})
	}
}

// quotient returns a ratio of slots.
func (d *hostDevice) quotient(r kernels.Ratio) float64 {
	if r.Of == r.Over {
		return 1
	}
	return d.slots[r.Of] / d.slots[r.Over]
}

func (d *hostDevice) Correct(a kernels.CorrectArgs) {
	a.Scale *= d.quotient(a.By)
	d.reduceTo("Correct", a.Slot, kernels.CorrectSlots, func() []sum {
		o := operatorOf(a.A, [3]bool{})
		u := Field{o.Box, make([]float64, o.Box.Len)}
		if a.U != nil {
			u = fieldOf(o.Box, a.U).Clone()
		}
		if a.E != nil {
			for n, v := range fieldOf(o.Box, a.E).V {
				u.V[n] += a.Scale*v + a.Shift
			}
			write(a.Out, compute(o.Box, func(n Node) sum { return sum{u.At(n), 0} }))
		}
		f := fieldOf(o.Box, a.F)
		left := o.residual(f, u)
		r := left.value
		if a.R != nil {
			write(a.R, scaled(a.Inverse, left))
			r = fieldOf(o.Box, a.R)
		}
		return append([]sum{reduce(kernels.Dot, o.Grid, r, r, 0, nil)}, o.moments(u, f)...)
	}, operands(a.A, a.U, a.F)...)
}

func (d *brokenDevice) Correct(a kernels.CorrectArgs) {
	if d.defect == "Correct/takes zero for another field" && a.U == nil {
		a.U = a.F
	}
	if d.defect == "Correct/forgets the correction" && a.E != nil {
		a.Scale = 0
	}
	if d.defect == "Correct/forgets the ratio" {
		a.By = kernels.Ratio{}
	}
	if d.defect == "Correct/forgets the shift" {
		a.Shift = 0
	}
	d.hostDevice.Correct(a)
	if d.defect == "Correct/sums fixed nodes" && a.A.Mask != nil {
		d.slots[a.Slot+1]++
	}
}
