package gridded

// arrange puts the values of a dataset in order [z][y][x], coordinates increasing, a part for each direction.
func (f *Field) arrange(values []float64, directions bool) {
	parts := 1
	if directions {
		parts = f.Shape[0]
	}
	strides := make([]int, len(f.Shape))
	stride := 1
	for i := len(f.Shape) - 1; i >= 0; i-- {
		strides[i] = stride
		stride *= f.Shape[i]
	}
	var step [3]int
	start, natural, inner := 0, true, 1
	for d := range f.axes {
		a := &f.axes[d]
		if a.place >= 0 && a.n > 1 {
			step[d] = strides[a.place]
			natural = natural && step[d] == inner && !a.reversed
			if a.reversed {
				start += (a.n - 1) * step[d]
				step[d] = -step[d]
			}
		}
		inner *= a.n
	}
	for p := range parts {
		part := values[p*inner : (p+1)*inner]
		if !natural {
			part = f.turned(part, start, step)
		}
		f.parts = append(f.parts, part)
	}
}

// turned copies values out, from start on with a step along each axis.
func (f *Field) turned(values []float64, start int, step [3]int) []float64 {
	out := make([]float64, 0, len(values))
	for k := range f.axes[2].n {
		for j := range f.axes[1].n {
			at := start + k*step[2] + j*step[1]
			for range f.axes[0].n {
				out = append(out, values[at])
				at += step[0]
			}
		}
	}
	return out
}
