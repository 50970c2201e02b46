package cuda

import (
	"unsafe"

	"convect/kernels"
)

var _ kernels.ColumnIterator = (*Device)(nil)

// iterates are the addresses of the scalars of an iteration under way, and of those it begins with; 0: none.
type iterates struct{ scalars, given uintptr }

// ColumnIterate makes an iteration of interleaved conjugate gradients.
func (d *Device) ColumnIterate(a kernels.ColumnIterateArgs) {
	c := d.begin("ColumnIterate", a.P)
	c.ColumnIterate(a)
	if !c.OK() {
		return
	}
	d.iterates = iterates{scalars: d.slot(a.Slot), given: d.slot(a.Slot)}
	if a.First {
		d.iterates.given = 0
	}
	d.ColumnSearch(kernels.ColumnSearchArgs{A: a.A, U: a.U, P: a.P, Q: a.Q, Z: a.Z, Slot: a.Slot + 3})
	d.iterates.given = d.iterates.scalars
	d.ColumnDescend(kernels.ColumnDescendArgs{A: a.A, R: a.R, Q: a.Q, Z: a.Z, Slot: a.Norm})
	d.iterates = iterates{}
}

// Follow downloads a slot beside what comes later; by a driver that cannot, after it.
func (d *Device) Follow(slot int) func() (float64, error) {
	streamer, ok := d.driver.(Streamer)
	if ok && d.failure.Err == nil && d.followed == nil {
		var err error
		d.followed, err = streamer.AllocHost(8 * kernels.Slots)
		d.keep("Follow", err)
	}
	var pending Pending
	to := unsafe.Add(d.followed, 8*slot)
	if ok && d.failure.Err == nil {
		var err error
		pending, err = streamer.DownloadAsync(to, d.slot(slot), 8)
		d.keep("Follow", err)
	}
	return func() (float64, error) {
		if pending != nil {
			d.keep("Follow", pending.Wait())
			return *(*float64)(to), d.failure.Err
		}
		all, err := d.Scalars()
		if err != nil {
			return 0, err
		}
		return all[slot], nil
	}
}

// unfollow frees what Follow downloads to.
func (d *Device) unfollow() {
	if d.followed != nil {
		d.driver.(Streamer).FreeHost(d.followed)
		d.followed = nil
	}
}
