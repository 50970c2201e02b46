package devicetest

import "convect/kernels"

func (d *hostDevice) Corrects(a *kernels.Elliptic) bool { return a.Cells[0] == nil }

func (d *hostDevice) TakesRatios() bool { return true }

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
