package stencil

import (
	"fmt"
	"slices"

	"convect/kernels"
)

// Separable solves A u = f at once where A is a sum of products of matrices along the axes (fast diagonalization: Lynch, Rice & Thomas, Numer. Math. 6, 185, 1964):
//
//	A = K_x ⊗ M_y ⊗ Z_x + M_x ⊗ K_y ⊗ Z_y + M_x ⊗ M_y ⊗ Z + s L_x ⊗ L_y ⊗ L_z
//
// with the stiffness K and the mass M of an axis (of 7 points, the dual widths L; of 27 points, those of linear elements), and matrices Z along z whose layers of cells
// have a conductivity each. Vectors v of K v = λ M v along x and y leave a tridiagonal system along z for each pair of them. Widths of cells may differ. Where several
// devices have some rows of y each, and all layers are alike, vectors are along x and z, and systems along y (turned).
type Separable struct {
	operator  *Operator
	turned    bool
	axes      [2]separableAxis // x, and y or z
	table     kernels.Buffer
	entries   int
	room      *Field
	low, high bool // the first and the last node of a system are fixed
	free      []kernels.Buffer
}

// separableAxis is an axis on the device: the matrices, or what a fast transform has in their place.
type separableAxis struct {
	forth, back kernels.TransformArgs
	fast        kernels.FastTransformArgs // without a table there is none
}

// Inseparable tells why an operator is not such a sum.
type Inseparable string

// Error returns the reason.
func (i Inseparable) Error() string { return string(i) }

// Separability returns nil where an operator is such a sum, else an Inseparable.
func (o *Operator) Separability() error {
	g := o.Grid
	graded := !even(g.Widths[kernels.X]) || !even(g.Widths[kernels.Y])
	switch mask := o.elliptic.Mask; {
	case o.Variable() && o.layers[0] == nil:
		return Inseparable("the coefficient does not vary along z alone")
	case o.elliptic.Mass != nil:
		return Inseparable("the nodal mass, or what ties nodes to values outside, differs from node to node")
	case g.Periodic[kernels.Z]:
		return Inseparable("z is periodic")
	case g.Cells[kernels.Z] == 0:
		return Inseparable("there is no z")
	case mask != nil && !mask.Whole:
		return Inseparable("a wall is fixed in part")
	case o.Stencil() != kernels.SevenPoint && graded:
		return Inseparable("27 points on cells of different widths along x or y")
	case max(len(g.Widths[kernels.X]), len(g.Widths[kernels.Y])) > mostVectors && graded:
		return Inseparable(fmt.Sprintf("more than %d cells along an axis of different widths", mostVectors))
	}
	return nil
}

// How many products a node take as long as passes of fast transforms with a large prime, times the prime, measured on an H200: where both ends of a line are alike, and
// elsewhere.
const (
	productsOfPrime          = 3
	productsOfPrimeElsewhere = 11
)

// besides returns the axes along which a solve that writes such a buffer has vectors, and that of its systems.
func (o *Operator) besides(out kernels.Buffer) (vectors [2]int, systems int) {
	g := o.Grid
	d, several := g.Device.(kernels.Turner)
	if several && !g.Flat() && !o.Variable() && !g.Periodic[kernels.Y] && even(g.Widths[kernels.Z]) && d.Turns(g.Box) && o.transformsFast(kernels.Z, out) {
		return [2]int{kernels.X, kernels.Z}, kernels.Y
	}
	return [2]int{kernels.X, kernels.Y}, kernels.Z
}

// Transforms returns along how many axes a solve in float32 has fast transforms, and how many products a node takes in the others, or as long as large primes do
// in these.
func (o *Operator) Transforms() (fast, products int) {
	vectors, _ := o.besides(nil)
	for _, d := range vectors {
		if o.Grid.Cells[d] == 0 {
			continue
		}
		a := o.axis(d)
		n := 2 * o.Grid.Box.N[d]
		switch {
		case o.transformsFast(d, nil):
			fast++
			kind, each := a.kind(), productsOfPrimeElsewhere
			if kind == kernels.Cosines || kind == kernels.Sines {
				each = productsOfPrime
			}
			points, _ := kind.Period(o.Grid.Box.N[d])
			if p := largestPrime(points); p > smallPrimes {
				products += each * p
			}
		case a.alike():
			products += n / 2
		default:
			products += n
		}
	}
	return fast, products
}

// smallPrimes are the primes up to this one, for which fast transforms have passes of their own.
const smallPrimes = 13

// largestPrime returns the largest prime that divides a number from 2 on.
func largestPrime(n int) (largest int) {
	for p := 2; n > 1; p++ {
		for ; n%p == 0; n /= p {
			largest = p
		}
	}
	return largest
}

// transformsFast tells whether the device has fast transforms along an axis, to such a buffer.
func (o *Operator) transformsFast(d int, out kernels.Buffer) bool {
	args := kernels.FastTransformArgs{Box: o.Grid.Box, Axis: d, Waves: o.axis(d).kind(), Out: out}
	return args.Waves != kernels.NoWaves && (kernels.Optional{Device: o.Grid.Device}).TransformsFast(args)
}

// axis describes an axis of vectors.
func (o *Operator) axis(d int) axisMatrices {
	a := axisMatrices{nodes: o.Grid.Box.N[d], widths: o.Grid.Widths[d], periodic: o.Grid.Periodic[d], elements: o.Stencil() == kernels.TwentySevenPoint}
	if m := o.elliptic.Mask; m != nil {
		a.fixed = [2]bool{m.Fixed[2*d], m.Fixed[2*d+1]}
	}
	return a
}

// NewSeparable makes the vectors of an operator. It fails where there are none (see Separability), and when memory does not suffice.
func NewSeparable(o *Operator) (s *Separable, err error) {
	if err = o.Separability(); err != nil {
		return nil, err
	}
	s = &Separable{operator: o}
	defer func() {
		if err != nil {
			s.Free()
			s = nil
		}
	}()
	g := o.Grid
	if s.room, err = g.NewField("transforms", nil); err != nil {
		return s, err
	}
	vectors, systems := o.besides(s.room.Buffer)
	s.turned = systems == kernels.Y
	if m := o.elliptic.Mask; m != nil {
		s.low, s.high = m.Fixed[2*systems], m.Fixed[2*systems+1]
	}
	var table []float64
	for n, d := range vectors {
		if g.Cells[d] == 0 {
			table = append(table, 0, 1)
			continue
		}
		v, err := o.axis(d).vectors()
		if err != nil {
			return s, fmt.Errorf("stencil: vectors along %s: %w", AxisName(d), err)
		}
		table = append(append(table, v.lambda...), v.mass...)
		if o.transformsFast(d, s.room.Buffer) {
			w := o.axis(d).kind()
			turns := v.turns(w)
			s.axes[n].fast = kernels.FastTransformArgs{Box: g.Box, Axis: d, Waves: w, Entries: len(turns)}
			if s.axes[n].fast.Table, err = s.upload(turns); err != nil {
				return s, err
			}
			continue
		}
		forth, back, folding := v.matrices()
		s.axes[n].forth = kernels.TransformArgs{Box: g.Box, Axis: d, Folding: folding[0], Entries: len(forth)}
		s.axes[n].back = kernels.TransformArgs{Box: g.Box, Axis: d, Folding: folding[1], Entries: len(back)}
		if s.axes[n].forth.Matrix, err = s.upload(forth); err != nil {
			return s, err
		}
		if s.axes[n].back.Matrix, err = s.upload(back); err != nil {
			return s, err
		}
	}
	table = append(table, o.modesHeights(vectors[1], systems)...)
	s.entries = len(table)
	s.table, err = s.upload(table)
	return s, err
}

func (s *Separable) upload(v []float64) (kernels.Buffer, error) {
	g := s.operator.Grid
	b, err := g.Device.Alloc(g.Elem, len(v))
	if err != nil {
		return nil, fmt.Errorf("stencil: vectors: %w", err)
	}
	s.free = append(s.free, b)
	g.Device.Upload(b, v)
	return b, nil
}

// modesHeights returns the numbers of the nodes of a system for kernels.ModesArgs, in the order of their constants.
func (o *Operator) modesHeights(second, systems int) []float64 {
	g, n := o.Grid, o.Grid.Box.N[systems]
	h := make([]float64, kernels.ModesHeights*n)
	row := func(r int) []float64 { return h[r*n:][:n] }
	for k, width := range g.Widths[systems] {
		of := o.elliptic.K
		for d := range of {
			if o.Variable() {
				of[d] = o.layers[d][k]
			}
		}
		for _, end := range []int{k, k + 1} {
			row(kernels.ModesFirst)[end] += of[kernels.X] * width / 2
			row(kernels.ModesSecond)[end] += of[second] * width / 2
			row(kernels.ModesVolume)[end] += width / 2
		}
		row(kernels.ModesUp)[k] = of[systems] / width
		if o.Stencil() == kernels.TwentySevenPoint {
			row(kernels.ModesUpFirst)[k] = of[kernels.X] * width / 6
			row(kernels.ModesUpSecond)[k] = of[second] * width / 6
		}
	}
	return h
}

// Solve computes the u of A u = f to the rounding of the type of the grid's fields, with the operator's mass scale. Fixed nodes get zero. Where constants are in the null
// space f is taken as consistent, and u has zero volume-weighted mean. f is not changed.
func (s *Separable) Solve(u, f *Field) {
	d, g := s.operator.Grid.Device, s.operator.Grid
	transform := func(n int, back bool, out, in *Field) {
		of := s.axes[n]
		if of.fast.Table != nil {
			of.fast.Back, of.fast.Out, of.fast.In = back, out.Buffer, in.Buffer
			kernels.Optional{Device: d}.FastTransform(of.fast)
			return
		}
		a := of.forth
		if back {
			a = of.back
		}
		a.Out, a.In = out.Buffer, in.Buffer
		d.Transform(a)
	}
	modes := kernels.ModesArgs{Box: g.Box, X: u.Buffer, Work: s.room.Buffer, Table: s.table, Entries: s.entries, Mass: s.operator.MassScale(),
		Low: s.low, High: s.high, Singular: s.operator.Singular(), Turned: s.turned}
	transform(0, false, s.room, f)
	if g.Flat() {
		modes.X, modes.Work = modes.Work, modes.X
		d.Modes(modes)
		transform(0, true, u, s.room)
		return
	}
	transform(1, false, u, s.room)
	d.Modes(modes)
	transform(1, true, s.room, u)
	transform(0, true, u, s.room)
}

// Matrices returns the numbers of elements of the matrices, or of what fast transforms have in their place.
func (s *Separable) Matrices() (entries []int) {
	for _, a := range s.axes {
		if a.fast.Table != nil {
			entries = append(entries, a.fast.Entries)
		}
		if a.forth.Matrix != nil {
			entries = append(entries, a.forth.Entries, a.back.Entries)
		}
	}
	return entries
}

// Free releases the vectors.
func (s *Separable) Free() {
	if s == nil {
		return
	}
	for _, b := range s.free {
		s.operator.Grid.Device.Free(b)
	}
	s.free = nil
	s.room.Free()
}

// layersOf returns the conductivity of each layer of cells along each axis, where cells of a layer have one each; nil where they differ.
func layersOf(cells [3][]float64, n [3]int) (layers [3][]float64) {
	plane := n[0] * n[1]
	for d, k := range cells {
		if p := sharedWith(cells, d); p < d {
			layers[d] = layers[p]
			continue
		}
		for layer := range slices.Chunk(k, plane) {
			if slices.ContainsFunc(layer, func(v float64) bool { return v != layer[0] }) {
				return [3][]float64{}
			}
			layers[d] = append(layers[d], layer[0])
		}
	}
	return layers
}
