package mueller

// iterates are the addresses of the scalars of an iteration under way, and of those it begins with; 0: none.
type iterates struct{ scalars, given uintptr }

// ColumnIterate makes an iteration of interleaved conjugate gradients.
func (d *gpu) ColumnIterate(a ColumnIterateArgs) {
	c := d.begin("ColumnIterate", a.P)
	c.ColumnIterate(a)
	if !c.OK() {
		return
	}
	d.iterates = iterates{scalars: d.SlotAddress(a.Slot), given: d.SlotAddress(a.Slot)}
	if a.First {
		d.iterates.given = 0
	}
	d.ColumnSearch(ColumnSearchArgs{A: a.A, U: a.U, P: a.P, Q: a.Q, Z: a.Z, Slot: a.Slot + 3})
	d.iterates.given = d.iterates.scalars
	d.ColumnDescend(ColumnDescendArgs{A: a.A, R: a.R, Q: a.Q, Z: a.Z, Slot: a.Norm})
	d.iterates = iterates{}
}
