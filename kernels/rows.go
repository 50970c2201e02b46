package kernels

// RowReducer is a Device that tells what it has summed up row by row of y, so that a grid may be shared out among devices, each with rows of its own and some of its
// neighbours', and sums are those of one device to the bit. Of a box only the rows Own count.
type RowReducer interface {
	// RowSums returns the sums of the rows that counted in what the last kernel summed up in a slot; valid until the next kernel with that slot. Of a wall at an
	// end of y there is one.
	RowSums(slot int) []float64
	// HeightSums returns Σ_i wx wy (X - Out_k) for each node k of z, after each other, of each row that counts.
	HeightSums(a HorizontalMeanArgs) []float64
	// Shift takes the mean away that is given: X -= shift or, Integrated, X_n -= V_n shift.
	Shift(a RemoveMeanArgs, shift float64)
}

// BoxAllocator is a Device that does better to know what an array is for.
type BoxAllocator interface {
	// AllocBox returns a zeroed array of nodes laid out by a box.
	AllocBox(e Elem, box Box) (Buffer, error)
}

// AllocBox returns a zeroed array of a device, of nodes laid out by a box.
func AllocBox(d Device, e Elem, box Box) (Buffer, error) {
	if a, ok := d.(BoxAllocator); ok {
		return a.AllocBox(e, box)
	}
	return d.Alloc(e, box.Len)
}

// TreeSum returns the sum of numbers, made pairwise in a fixed tree; they are overwritten.
func TreeSum(p []float64) float64 {
	if len(p) == 0 {
		return 0
	}
	for n := len(p); n > 1; n = (n + 1) / 2 {
		for i := range n / 2 {
			p[i] = p[2*i] + p[2*i+1]
		}
		if n%2 == 1 {
			p[n/2] = p[n-1]
		}
	}
	return p[0]
}
