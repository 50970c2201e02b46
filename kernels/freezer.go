package kernels

// Freezer is a Device that can send a copy of an array to the host while it goes on to compute.
type Freezer interface {
	// Freeze takes a copy of the nodes of an array as it is now: what comes after may change the array at once. It returns nil where
	// there is no room for one, or another copy is on its way in all there is.
	Freeze(src Buffer, box Box) Frozen
}

// Frozen is a copy of an array on its way to the host. Its methods may be called beside those of its Device.
type Frozen interface {
	// Values waits for the copy and returns it as [z][y][x], valid until Release.
	Values() ([]float64, error)
	// Release gives its room back.
	Release()
}
