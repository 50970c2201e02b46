package physics

import (
	"math"

	"convect/kernels"
	"convect/kernels/parallel"
)

// feeding is what goes into the nodes of a scalar, integrated: from sources in the volume and through sides. Where sides alone vary in time their nodes alone are renewed.
type feeding struct {
	volume    [6][]float64   // what the volume gives to the nodes of a side; nil: nothing enters through it
	volumeSum float64        // and to all nodes
	sides     [6][][]float64 // what enters at each node of a side: by given fluxes, and from outside to what it is tied to
}

// renewSources takes the sources of a time: all of them, or, of sides that vary, theirs.
func (u *scalar) renewSources(t float64, all bool) {
	for _, s := range u.walls.sides {
		if u.feeds(s) && (all || u.walls.varies(s)) {
			u.feedSide(s, t)
		}
	}
	if all || u.anyTerm(varying) {
		u.source.Upload(u.sources(t))
	} else {
		for _, s := range u.walls.sides {
			if u.feeds(s) && u.walls.varies(s) {
				u.uploadSide(s)
			}
		}
	}
	u.totalSources()
}

// feedSide finds what enters through a side.
func (u *scalar) feedSide(s kernels.Side, t float64) {
	seen := u.prescribe(s)
	u.feeding.sides[s] = append(u.feeding.sides[s][:0], u.fluxes(s, t, seen))
	if u.ties.sides[s] != nil {
		u.feeding.sides[s] = append(u.feeding.sides[s], u.surroundings(s, t, seen))
	}
}

// sources returns the integrated source and wall flux of every node, [z][y][x].
func (u *scalar) sources(t float64) []float64 {
	f := &u.feeding
	v := u.volumeSources(t)
	f.volumeSum = 0
	for _, q := range v {
		f.volumeSum += q
	}
	n := u.grid.Box.N
	for _, s := range u.walls.sides {
		if f.sides[s] == nil {
			continue
		}
		f.volume[s] = make([]float64, u.grid.Box.WallNodes(s))
		for e := range f.volume[s] {
			i, j, k := u.grid.WallIndex(s, e)
			f.volume[s][e] = v[i+n[0]*(j+n[1]*k)]
		}
	}
	for _, s := range u.walls.sides {
		for _, entering := range f.sides[s] {
			for e, q := range entering {
				i, j, k := u.grid.WallIndex(s, e)
				v[i+n[0]*(j+n[1]*k)] += q
			}
		}
	}
	return v
}

// uploadSide renews the sources of the nodes of a side; those on its edges have parts of other sides, which are added in the order in which sources adds them.
func (u *scalar) uploadSide(s kernels.Side) {
	f, box := &u.feeding, u.grid.Box
	v := make([]float64, len(f.volume[s]))
	parallel.Ranges(len(v), func(first, last int) {
		for e := first; e < last; e++ {
			var at [3]int
			at[0], at[1], at[2] = u.grid.WallIndex(s, e)
			v[e] = f.volume[s][e]
			for _, o := range u.walls.sides {
				if at[o.Axis()] != u.end(o) {
					continue
				}
				for _, entering := range f.sides[o] {
					v[e] += entering[wallElement(box, o, at)]
				}
			}
		}
	})
	var first [3]int
	first[s.Axis()] = u.end(s)
	box.Origin, box.N[s.Axis()] = box.Index(first[0], first[1], first[2]), 1
	u.dev.UploadBox(u.source.Buffer, box, v)
}

// end returns the index of the nodes of a side along its axis.
func (u *scalar) end(s kernels.Side) int {
	if s.High() {
		return u.grid.Box.N[s.Axis()] - 1
	}
	return 0
}

// wallElement returns the element of the wall arrays of a side that belongs to a node on it: stencil.Grid.WallIndex the other way.
func wallElement(b kernels.Box, s kernels.Side, at [3]int) int {
	fast, _ := b.WallShape(s)
	switch s.Axis() {
	case kernels.X:
		return at[1] + fast*at[2]
	case kernels.Y:
		return at[0] + fast*at[2]
	}
	return at[0] + fast*at[1]
}

// totalSources adds up what enters.
func (u *scalar) totalSources() {
	in, out := 0.0, 0.0
	u.sourceSum = u.feeding.volumeSum
	for _, s := range u.walls.sides {
		if !u.feeds(s) {
			continue
		}
		u.prescribed[s] = 0
		for n, entering := range u.feeding.sides[s] {
			for _, q := range entering {
				u.prescribed[s] += q
				if n == 0 {
					in, out = in+math.Max(q, 0), out+math.Max(-q, 0)
				}
			}
		}
		u.sourceSum += u.prescribed[s]
	}
	u.met.total(in, out)
}
