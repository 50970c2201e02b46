package physics

import (
	"math"

	"convect/kernels"
	"convect/kernels/parallel"
	"convect/stencil"
)

// feeding is what goes into the nodes of a scalar, integrated: from sources in the volume and through sides. Where sides alone vary in time their nodes alone are renewed.
type feeding struct {
	volume    [6][]float64   // what the volume gives to the nodes of a side; nil: nothing enters through it
	volumeSum float64        // and to all nodes
	sides     [6][][]float64 // what enters at each node of a side: by given fluxes, and from outside to what it is tied to
	room      []float64      // for the nodes of a side
	swelling  *swelling      // nil: the volume's gains are made on the host, node by node
}

// swelling is what the volume gives where all gains that vary are alike everywhere: those that do not vary, and the volumes of nodes times the others.
type swelling struct {
	steady, volumes      *stencil.Field
	steadySum, volume    float64
	steadySide, volumeOf [6][]float64
}

// renewSources takes the sources of a time: all of them, or, of sides that vary, theirs.
func (u *scalar) renewSources(t float64, all bool) error {
	for _, s := range u.walls.sides {
		if u.feeds(s) && (all || u.walls.varies(s)) {
			u.feedSide(s, t)
		}
	}
	f, alike := &u.feeding, u.anyTerm(swells) && !u.anyTerm(func(t *term) bool { return t.Varies && !swells(t) })
	switch {
	case alike:
		if f.swelling == nil {
			if err := u.findSwelling(t); err != nil {
				return err
			}
		}
		u.swell(t)
	case all || u.anyTerm(varying):
		u.source.Upload(u.sources(t))
	}
	for _, s := range u.walls.sides {
		if u.feeds(s) && (alike || !all && !u.anyTerm(varying) && u.walls.varies(s)) {
			u.uploadSide(s)
		}
	}
	u.totalSources()
	return nil
}

// findSwelling makes what stays of gains that swell.
func (u *scalar) findSwelling(t float64) (err error) {
	w := &swelling{}
	u.feeding.swelling = w
	for _, part := range []struct {
		of    **stencil.Field
		name  string
		v     []float64
		sum   *float64
		sides *[6][]float64
	}{
		{&w.steady, "steady source", u.volumeSources(t, func(t *term) bool { return !swells(t) }), &w.steadySum, &w.steadySide},
		{&w.volumes, "volumes", u.overVolume(func([3]float64) float64 { return 1 }, func([]float64) {}), &w.volume, &w.volumeOf},
	} {
		if *part.of, err = u.grid.NewField(part.name, nil); err != nil {
			return err
		}
		(*part.of).Upload(part.v)
		for _, q := range part.v {
			*part.sum += q
		}
		for _, s := range u.walls.sides {
			if u.feeds(s) {
				part.sides[s] = u.onSide(s, part.v)
			}
		}
	}
	return nil
}

// swell makes the gains of a time, on the device.
func (u *scalar) swell(t float64) {
	f := &u.feeding
	w, gain := f.swelling, 0.0
	for n := range u.of.terms {
		if of := &u.of.terms[n]; swells(of) {
			q := of.Gain(0, 0, 0, t)
			u.metGains([]float64{q})
			gain += q
		}
	}
	u.source.Combine(stencil.Sum{C: 1, X: w.steady}, stencil.Sum{C: gain, X: w.volumes})
	f.volumeSum = w.steadySum + gain*w.volume
	for s, steady := range w.steadySide {
		if len(f.volume[s]) != len(steady) {
			f.volume[s] = make([]float64, len(steady))
		}
		for e, q := range steady {
			f.volume[s][e] = q + gain*w.volumeOf[s][e]
		}
	}
}

// onSide returns the values of the nodes of a side, of all [z][y][x].
func (u *scalar) onSide(s kernels.Side, all []float64) []float64 {
	n, v := u.grid.Box.N, make([]float64, u.grid.Box.WallNodes(s))
	for e := range v {
		i, j, k := u.grid.WallIndex(s, e)
		v[e] = all[i+n[0]*(j+n[1]*k)]
	}
	return v
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
	v := u.volumeSources(t, given)
	f.volumeSum = 0
	for _, q := range v {
		f.volumeSum += q
	}
	n := u.grid.Box.N
	for _, s := range u.walls.sides {
		if f.sides[s] == nil {
			continue
		}
		f.volume[s] = u.onSide(s, v)
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
	if len(f.room) < len(f.volume[s]) {
		f.room = make([]float64, len(f.volume[s]))
	}
	v := f.room[:len(f.volume[s])]
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
	box.Origin += u.end(s) * box.Stride[s.Axis()]
	box.N[s.Axis()] = 1
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
