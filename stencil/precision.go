package stencil

import "convect/kernels"

// InType returns the same operator, with the boundary of corrections, on the same grid with fields of another element
// type, for instance the float32 copy on which mixed precision solves its corrections. Refresh copies conductivities that
// have changed. The new operator owns its grid and boundary; FreeAll releases them.
func (o *Operator) InType(elem kernels.Elem) (*Operator, error) {
	grid, err := newGrid(o.Grid.Device, elem, o.Grid.Widths, o.Grid.Periodic)
	if err != nil {
		return nil, err
	}
	grid.Offset, grid.Global = o.Grid.Offset, o.Grid.Global
	boundary, err := NewBoundary(grid, o.Boundary.fixed)
	if err != nil {
		grid.Free()
		return nil, err
	}
	c := Coefficients{Stencil: o.Stencil(), Constant: o.elliptic.K, Mass: o.mass}
	if o.ties != nil {
		c.Ties = o.ties.values
	}
	other, err := NewOperator(boundary, c)
	if err != nil {
		boundary.Free()
		grid.Free()
		return nil, err
	}
	other.inheritTies(o)
	if err = other.adopt(o); err != nil {
		other.FreeAll()
		return nil, err
	}
	other.SetMassScale(o.MassScale())
	return other, nil
}

// adopt allocates the conductivities of an operator that is a copy of another and copies them.
func (o *Operator) adopt(original *Operator) (err error) {
	if !original.Variable() {
		return nil
	}
	o.original, o.contrast, o.layers = original, original.contrast, original.layers
	from, cells := original.elliptic.Cells, &o.elliptic.Cells
	for d := range 3 {
		for p := 0; p < d && cells[d] == nil; p++ {
			if from[p] == from[d] {
				cells[d] = cells[p]
			}
		}
		if cells[d] != nil {
			continue
		}
		if cells[d], err = o.alloc(); err != nil {
			return err
		}
	}
	o.Refresh()
	o.couplings = original.couplings
	return nil
}

// copyCells copies the conductivities of the original.
func (o *Operator) copyCells() {
	for d, b := range o.elliptic.Cells {
		if d == 0 || b != o.elliptic.Cells[d-1] {
			o.Grid.Device.Copy(kernels.CopyArgs{Dst: b, Src: o.original.elliptic.Cells[d]})
		}
	}
}

// ResidualSingle computes r = scale (f - A u), zero at fixed nodes, for an r of float32 where A, f and u are float64.
func (o *Operator) ResidualSingle(r, f, u *Field, scale float64) {
	u.Exchange(1)
	o.Grid.Device.Residual(kernels.ResidualArgs{A: &o.elliptic, R: r.Buffer, F: f.Buffer, U: u.Buffer, Scale: scale})
}

// Corrects tells whether the device has Correct for the operator.
func (o *Operator) Corrects() bool {
	return kernels.Optional{Device: o.Grid.Device}.Corrects(&o.elliptic)
}

// Factor is a number times the quotient of two reduction slots.
type Factor struct {
	C  float64
	By kernels.Ratio
}

// Correct computes out = u + scale e + shift, the residual r = inverse (f - A out) of float32, zero at fixed nodes, and queues Σ r², Σ V out, Σ V out², Σ f and Σ f² into
// kernels.CorrectSlots slots; u nil: zero; e nil: for out = u, which is not written. In float32 e and r are nil. See kernels.CorrectArgs.
func (o *Operator) Correct(out, u, f, e, r *Field, scale Factor, shift, inverse float64, slot int) {
	d := kernels.Optional{Device: o.Grid.Device}
	by, factor := d.Quotient(scale.By)
	a := kernels.CorrectArgs{A: &o.elliptic, F: f.Buffer, Scale: scale.C * factor, Shift: shift, By: by, Inverse: inverse, Slot: slot}
	if u != nil {
		u.Exchange(1)
		a.U = u.Buffer
	}
	if e != nil {
		e.Exchange(1)
		a.E, a.Out = e.Buffer, out.Buffer
	}
	if r != nil {
		a.R = r.Buffer
	}
	d.Correct(a)
}
