package cuda

import (
	"sync/atomic"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
	"convect/kernels/cuda/driver"
)

// Freezing an array packs it into memory of its own on the GPU, from where it travels to pinned memory of the host beside the kernels that
// follow. Both are kept for the next time.

const (
	// mostFrozen is how many bytes of pinned memory frozen arrays may have: the host cannot use them for anything else.
	mostFrozen = 4 << 30
	// freeBehind is the part of the GPU's free memory that frozen arrays may take, one over it.
	freeBehind = 4
)

// frozen is a place for a frozen array.
type frozen struct {
	packed  uintptr
	pinned  unsafe.Pointer
	nodes   int
	pending driver.Pending
	err     error
	taken   atomic.Bool
}

// Freeze implements [kernels.Freezer].
func (d *Device) Freeze(src kernels.Buffer, box kernels.Box) kernels.Frozen {
	c := d.begin("Freeze", src)
	s := call.Pack{Box: c.SetBox(box), Field: c.Nodes(src, "array")}
	if !c.OK() {
		return nil
	}
	f := d.place(box.Nodes())
	if f == nil {
		return nil
	}
	s.Packed = f.packed
	d.pack(&c, &s)
	f.pending, f.err = d.gpu.(driver.Streamer).DownloadAsync(f.pinned, f.packed, 8*f.nodes)
	d.keep(c.Kernel, f.err)
	f.taken.Store(true)
	return f
}

// place returns a place of so many nodes that is not taken, a new one if there is room for it, else nil.
func (d *Device) place(nodes int) *frozen {
	bytes := 8 * nodes
	for _, f := range d.frozen {
		if f.nodes == nodes && !f.taken.Load() {
			return f
		}
		bytes += 8 * f.nodes
	}
	streamer, ok := d.gpu.(driver.Streamer)
	if !ok || bytes > mostFrozen || 8*nodes > d.gpu.Info().Memory/freeBehind {
		return nil
	}
	f := &frozen{nodes: nodes}
	var err error
	if f.packed, err = d.gpu.Alloc(8 * nodes); err != nil {
		return nil
	}
	if f.pinned, err = streamer.AllocHost(8 * nodes); err != nil {
		d.gpu.Free(f.packed)
		return nil
	}
	d.frozen = append(d.frozen, f)
	return f
}

// Values implements [kernels.Frozen].
func (f *frozen) Values() ([]float64, error) {
	if f.pending != nil && f.err == nil {
		f.err = f.pending.Wait()
	}
	f.pending = nil
	return unsafe.Slice((*float64)(f.pinned), f.nodes), f.err
}

// Release implements [kernels.Frozen]. A copy that nobody waited for is waited for here, since what is packed next must not overtake it.
func (f *frozen) Release() {
	f.Values()
	f.taken.Store(false)
}

// thaw frees the places.
func (d *Device) thaw() {
	for _, f := range d.frozen {
		d.gpu.Free(f.packed)
		d.gpu.(driver.Streamer).FreeHost(f.pinned)
	}
	d.frozen = nil
}
