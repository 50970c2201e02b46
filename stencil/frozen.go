package stencil

import (
	"slices"

	"convect/kernels"
)

// Frozen is a copy of a field's nodes on the host or on its way there. The zero value is room for one.
type Frozen struct {
	values []float64
	coming kernels.Frozen // nil: the values are there
}

// FrozenOf returns a copy that is there.
func FrozenOf(values []float64) Frozen { return Frozen{values: values} }

// Freeze takes a copy of the field as it is now. Where the device can, it travels to the host beside what the device does next. The room
// must have been released.
func (f *Field) Freeze(into *Frozen) error {
	if d, ok := f.Grid.Device.(kernels.Freezer); ok {
		if into.coming = d.Freeze(f.Buffer, f.Grid.Box); into.coming != nil {
			return nil
		}
	}
	into.values = slices.Grow(into.values[:0], f.Grid.Nodes())[:f.Grid.Nodes()]
	return f.DownloadTo(into.values)
}

// Values waits for the copy and returns it as [z][y][x], valid until Release. It may be called beside the work of the device.
func (z *Frozen) Values() ([]float64, error) {
	if z.coming == nil {
		return z.values, nil
	}
	return z.coming.Values()
}

// Release lets the room be used again.
func (z *Frozen) Release() {
	if z.coming != nil {
		z.coming.Release()
		z.coming = nil
	}
}
