package stencil

import "convect/kernels"

// ties is what an operator has on its diagonal beside the mass, t_n u_n. It stands in the nodal mass that kernels know,
//
//	1 · (s m + t),
//
// which is made anew where s or t changes, so that no kernel needs to know of it.
type ties struct {
	values []float64 // t, [z][y][x]
	mass   *Field    // m
	tied   *Field    // t
	sum    *Field    // s m + t
	scale  float64   // s

	from *Operator // that this one was coarsened or copied from; nil: neither
}

// tie gives an operator ties. It comes after its mass.
func (o *Operator) tie(values []float64) (err error) {
	t := &ties{values: values}
	o.ties = t
	for _, f := range []struct {
		into **Field
		name string
	}{{&t.mass, "mass"}, {&t.tied, "ties"}, {&t.sum, "mass and ties"}} {
		if *f.into, err = o.Grid.NewField(f.name, nil); err != nil {
			return err
		}
	}
	mass := o.mass
	if mass == nil {
		mass = o.Grid.volumes()
	}
	t.mass.Upload(mass)
	t.tied.Upload(values)
	o.elliptic.Mass, o.elliptic.MassScale = t.sum.Buffer, 1
	o.mixTies()
	return nil
}

// volumes returns the dual volumes, [z][y][x].
func (g *Grid) volumes() []float64 {
	v, n := make([]float64, g.Nodes()), g.Box.N
	for c := range v {
		v[c] = g.DualWidth(0, c%n[0]) * g.DualWidth(1, c/n[0]%n[1]) * g.DualWidth(2, c/(n[0]*n[1]))
	}
	return v
}

// mixTies makes the diagonal anew.
func (o *Operator) mixTies() {
	o.ties.sum.Combine(Sum{C: o.ties.scale, X: o.ties.mass}, Sum{C: 1, X: o.ties.tied})
}

// inheritTies notes where the ties come from, for Refresh.
func (o *Operator) inheritTies(from *Operator) {
	if o.ties != nil {
		o.ties.from = from
	}
}

// Tied tells whether the operator has ties.
func (o *Operator) Tied() bool { return o.ties != nil }

// SetTies changes the ties of an operator that was made with some. Operators coarsened or copied from this one have to be refreshed then.
func (o *Operator) SetTies(values []float64) {
	o.ties.values = values
	o.ties.tied.Upload(values)
	o.mixTies()
}

// refreshTies takes the ties of the operator that this one was made from.
func (o *Operator) refreshTies() {
	t := o.ties
	switch {
	case t == nil || t.from == nil:
	case t.from.Grid.Cells == o.Grid.Cells:
		o.SetTies(t.from.ties.values)
	default:
		o.SetTies(restrictMass(t.from.ties.values, t.from.Grid, o.Grid))
	}
}

// Untied returns the same operator without its ties. It shares the coefficients; its mass scale is set on its own. Do not free it.
func (o *Operator) Untied() *Operator {
	u := &Operator{Grid: o.Grid, Boundary: o.Boundary, mass: o.mass, elliptic: o.elliptic, couplings: o.couplings}
	if o.ties != nil {
		u.elliptic.Mass, u.elliptic.MassScale = o.massBuffer(), o.ties.scale
	}
	return u
}

// massBuffer returns the nodal mass without ties; nil: the dual volume.
func (o *Operator) massBuffer() kernels.Buffer {
	switch {
	case o.ties == nil:
		return o.elliptic.Mass
	case o.mass == nil:
		return nil
	}
	return o.ties.mass.Buffer
}

// Mass returns the nodal mass m as a field that belongs to the operator; nil: the dual volume.
func (o *Operator) Mass() *Field {
	if b := o.massBuffer(); b != nil {
		return &Field{Grid: o.Grid, Buffer: b}
	}
	return nil
}

// Release computes r -= t u at all nodes, fixed ones too: what ties carry away. Without ties it does nothing.
func (o *Operator) Release(r, u *Field) {
	if o.ties == nil {
		return
	}
	alone := o.elliptic
	alone.Stencil, alone.K, alone.Cells, alone.Mask = kernels.SevenPoint, [3]float64{}, [3]kernels.Buffer{}, nil
	alone.Mass, alone.MassScale = o.ties.tied.Buffer, 1
	u.Exchange(1)
	o.Grid.Device.Residual(kernels.ResidualArgs{A: &alone, R: r.Buffer, F: r.Buffer, U: u.Buffer})
}

// free releases the fields.
func (t *ties) free() {
	if t != nil {
		for _, f := range []*Field{t.mass, t.tied, t.sum} {
			f.Free()
		}
	}
}
