package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/cuda/driver"
)

// Follow returns what waits for the value that a slot has after the kernels called so far. Until then no other may write it. The value is downloaded
// beside what comes later; by a GPU that cannot, after it.
func (d *Device) Follow(slot int) func() (float64, error) {
	streamer, ok := d.gpu.(driver.Streamer)
	if ok && d.failure.Err == nil && d.followed == nil {
		var err error
		d.followed, err = streamer.AllocHost(8 * kernels.Slots)
		d.keep("Follow", err)
	}
	var pending driver.Pending
	to := unsafe.Add(d.followed, 8*slot)
	if ok && d.failure.Err == nil {
		var err error
		pending, err = streamer.DownloadAsync(to, d.slot(slot, 1), 8)
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
		d.gpu.(driver.Streamer).FreeHost(d.followed)
		d.followed = nil
	}
}
