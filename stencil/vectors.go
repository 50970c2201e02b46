package stencil

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"convect/kernels"
)

// mostVectors is the most cells along an axis whose widths differ for which vectors are computed: that takes a time that grows with their third power, a second there.
const mostVectors = 800

// axisMatrices describes the matrices K and M of an axis: of differences over the widths of cells, and of the dual widths or of linear elements.
type axisMatrices struct {
	nodes    int
	widths   []float64
	periodic bool
	fixed    [2]bool
	elements bool
}

// axisVectors are vectors of K v = λ M v, with vᵀ M v = 1: zero at fixed nodes, and there are as many that are zero. mass is vᵀ L v of dual widths L. Where even is not
// 0 so many vectors come first that are their own mirror image, and the others are so with the other sign.
type axisVectors struct {
	lambda, mass []float64
	of           [][]float64
	even         int
	scale        []float64 // of waves: what each is multiplied by
}

// alike tells whether both ends of the axis, and all between, are mirror images.
func (a axisMatrices) alike() bool {
	if a.periodic { // the mirror lies amid the nodes
		return even(a.widths)
	}
	for i, h := range a.widths {
		if h != a.widths[len(a.widths)-1-i] {
			return false
		}
	}
	return a.fixed[0] == a.fixed[1]
}

// vectors computes them: in closed form where widths are equal.
func (a axisMatrices) vectors() (v axisVectors, err error) {
	var all []axisVector
	if even(a.widths) {
		all = a.waves()
	} else if all, err = a.numeric(); err != nil {
		return v, err
	}
	// Vectors at fixed nodes are zero; each half has room for as many as it has nodes.
	blank := axisVector{lambda: 1, mass: 1, of: make([]float64, a.nodes)}
	parts := [2][]axisVector{}
	for _, w := range all {
		part := 0
		if a.alike() && w.odd {
			part = 1
		}
		parts[part] = append(parts[part], w)
	}
	room := [2]int{a.nodes, 0}
	if a.alike() {
		room = [2]int{(a.nodes + 1) / 2, a.nodes / 2}
		v.even = room[0]
	}
	for p, part := range parts {
		if len(part) > room[p] {
			return v, errors.New("the vectors are not mirror images")
		}
		for len(part) < room[p] {
			part = append(part, blank)
		}
		for _, w := range part {
			v.lambda, v.mass, v.of, v.scale = append(v.lambda, w.lambda), append(v.mass, w.mass), append(v.of, w.of), append(v.scale, w.scale)
		}
	}
	return v, nil
}

// axisVector is a vector with its numbers; odd: it is its own mirror image with the other sign.
type axisVector struct {
	lambda, mass float64
	odd          bool
	of           []float64
	scale        float64 // of a wave
}

// kind returns which waves the vectors are, if any.
func (a axisMatrices) kind() kernels.Waves {
	switch {
	case !even(a.widths):
		return kernels.NoWaves
	case a.periodic:
		return kernels.PeriodicWaves
	}
	return map[[2]bool]kernels.Waves{{false, false}: kernels.Cosines, {true, true}: kernels.Sines, {false, true}: kernels.FixedHigh, {true, false}: kernels.FixedLow}[a.fixed]
}

// waves returns the vectors of equal widths: sines and cosines, of angle θ from node to node, λ = (4/h²) sin²(θ/2) / μ with μ = 1, of elements 1 - (2/3) sin²(θ/2).
func (a axisMatrices) waves() (all []axisVector) {
	n, h := a.nodes, a.widths[0]
	intervals := n
	if !a.periodic {
		intervals = n - 1
	}
	// Angles are parts of π, or half parts, so that the values at which waves vanish are exact.
	add := func(part, whole int, odd bool, at func(turn int) float64, turn func(i int) int) {
		w := axisVector{odd: odd, of: make([]float64, n)}
		square := 0.0
		for i := range w.of {
			w.of[i] = at(turn(i))
			weight := h
			if !a.periodic && (i == 0 || i == n-1) {
				weight = h / 2
			}
			square += weight * w.of[i] * w.of[i]
		}
		s := math.Sin(math.Pi * float64(part) / float64(2*whole))
		mu := 1.0
		if a.elements {
			mu -= 2 * s * s / 3
		}
		w.scale = 1 / math.Sqrt(square*mu)
		for i := range w.of {
			w.of[i] *= w.scale
		}
		w.lambda, w.mass = 4*s*s/(h*h)/mu, 1/mu
		all = append(all, w)
	}
	if a.periodic {
		// Waves about the middle of a cell: turns of half nodes.
		for m := 0; m <= n/2; m++ {
			turn := func(i int) int { return m * (2*i + 1) }
			if 2*m < n {
				add(2*m, n, false, wave(n, math.Cos, n), turn)
			}
			if m > 0 && (2*m < n || n%2 == 0) {
				add(2*m, n, true, wave(n, math.Sin, 0), turn)
			}
		}
		return all
	}
	for m := range n {
		part, whole := m, intervals
		if a.fixed[0] != a.fixed[1] {
			part, whole = 2*m+1, 2*intervals
			if m == n-1 {
				continue
			}
		}
		if a.fixed[0] && a.fixed[1] && (m == 0 || m == n-1) {
			continue
		}
		turn := func(i int) int { return part * i }
		if a.fixed[0] {
			add(part, whole, m%2 == 0, wave(whole, math.Sin, 0), turn)
		} else {
			add(part, whole, m%2 == 1, wave(whole, math.Cos, whole), turn)
		}
	}
	return all
}

// turns returns the table of kernels.FastTransformArgs.
func (v axisVectors) turns(w kernels.Waves) []float64 {
	points, parts := w.Period(len(v.of))
	table := make([]float64, 0, kernels.WavesEntries(len(v.of), w))
	for t := range points * parts {
		sin, cos := math.Sincos(2 * math.Pi * float64(t) / float64(points*parts))
		table = append(table, cos, sin)
	}
	return append(table, v.scale...)
}

// wave returns the sine or the cosine of turn π/whole, exactly zero where it vanishes: at odd halves (zero: whole) or whole turns of π (zero: 0).
func wave(whole int, of func(float64) float64, zero int) func(turn int) float64 {
	return func(turn int) float64 {
		turn %= 2 * whole
		if zero == 0 && turn%whole == 0 || zero != 0 && 2*turn%whole == 0 && 2*turn/whole%2 == 1 {
			return 0
		}
		return of(math.Pi * float64(turn) / float64(whole))
	}
}

// numeric returns the vectors of widths that differ: where both ends are alike those of either kind on half of the nodes, so that those of nearly the
// same λ do not mix.
func (a axisMatrices) numeric() (all []axisVector, err error) {
	kinds := []func(i int) []float64{func(i int) []float64 { return a.unit(i, -1, 0) }}
	counts := []int{a.nodes}
	if a.alike() {
		half := (a.nodes + 1) / 2
		kinds = []func(i int) []float64{
			func(i int) []float64 { return a.unit(i, a.nodes-1-i, 1) }, func(i int) []float64 { return a.unit(i, a.nodes-1-i, -1) }}
		counts = []int{half, a.nodes - half}
	}
	for kind, unit := range kinds {
		var basis [][]float64
		for i := range counts[kind] {
			if !(i == 0 && a.fixed[0] || i == a.nodes-1 && a.fixed[1]) {
				basis = append(basis, unit(i))
			}
		}
		if len(basis) == 0 {
			continue
		}
		vectors, err := a.within(basis)
		if err != nil {
			return nil, err
		}
		for n := range vectors {
			vectors[n].odd = kind == 1
		}
		if kind == 0 && a.fixed == [2]bool{} {
			vectors[0].lambda = 0 // the constant vector
		}
		all = append(all, vectors...)
	}
	return all, nil
}

// unit returns a vector that is 1 at node i and `sign` at node j.
func (a axisMatrices) unit(i, j int, sign float64) []float64 {
	v := make([]float64, a.nodes)
	if j >= 0 {
		v[j] = sign
	}
	v[i] = 1
	return v
}

// within returns the vectors that a basis spans, of nodes that no two of it share: of the symmetric matrix D K D with D² the inverse of the dual widths, which is
// diagonal.
func (a axisMatrices) within(basis [][]float64) ([]axisVector, error) {
	n := len(basis)
	scale := make([]float64, n)
	for m, v := range basis {
		square := 0.0
		for i, w := range a.dual() {
			square += w * v[i] * v[i]
		}
		scale[m] = 1 / math.Sqrt(square)
	}
	k := mat.NewSymDense(n, nil)
	images := make([][]float64, n)
	for m, v := range basis {
		images[m] = a.stiffness(v)
	}
	for m := range n {
		for l := max(0, m-2); l < n; l++ {
			if l > m+2 && !(a.periodic && l >= n-2) {
				continue
			}
			sum := 0.0
			for i, v := range basis[l] {
				sum += v * images[m][i]
			}
			k.SetSym(m, l, sum*scale[m]*scale[l])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(k, true) {
		return nil, errors.New("the eigenvectors do not converge")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	all := make([]axisVector, n)
	for m, lambda := range eigen.Values(nil) {
		w := axisVector{lambda: math.Max(lambda, 0), mass: 1, of: make([]float64, a.nodes)}
		for l, b := range basis {
			c := vectors.At(l, m) * scale[l]
			for i, v := range b {
				if v != 0 {
					w.of[i] += c * v
				}
			}
		}
		all[m] = w
	}
	slices.SortStableFunc(all, func(p, q axisVector) int { return cmp.Compare(p.lambda, q.lambda) })
	return all, nil
}

// dual returns the dual widths of nodes.
func (a axisMatrices) dual() []float64 {
	w := make([]float64, a.nodes)
	for i, h := range a.widths {
		w[i] += h / 2
		w[(i+1)%a.nodes] += h / 2
	}
	return w
}

// stiffness returns K v.
func (a axisMatrices) stiffness(v []float64) []float64 {
	out := make([]float64, a.nodes)
	for i, h := range a.widths {
		j := (i + 1) % a.nodes
		flux := (v[j] - v[i]) / h
		out[i] -= flux
		out[j] += flux
	}
	return out
}

// matrices returns the vectors as kernels.TransformArgs has them, and the transpose.
func (v axisVectors) matrices() (forth, back []float64, folding [2]kernels.Folding) {
	n, parts := len(v.of), [2][][]float64{v.of, nil}
	folding = [2]kernels.Folding{kernels.Whole, kernels.Whole}
	nodes := n
	if v.even > 0 {
		parts, nodes = [2][][]float64{v.of[:v.even], v.of[v.even:]}, (n+1)/2
		folding = [2]kernels.Folding{kernels.FoldForth, kernels.FoldBack}
	}
	rows, pitch := kernels.TransformRows(n, folding[0])
	matrix := rows * pitch
	forth = make([]float64, matrix)
	if v.even > 0 {
		forth = make([]float64, 2*matrix)
	}
	back = make([]float64, len(forth))
	for p, of := range parts {
		for m, w := range of {
			for i := range nodes {
				forth[p*matrix+i*pitch+m], back[p*matrix+m*pitch+i] = w[i], w[i]
			}
		}
	}
	return forth, back, folding
}
