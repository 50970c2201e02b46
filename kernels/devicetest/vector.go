package devicetest

import (
	"math"

	"convect/kernels"
)

// image returns n moved into the box along the periodic axes on which it is at most width layers away.
func image(box kernels.Box, n Node, periodic [3]bool, width int) Node {
	for d := range n {
		if present(box, d) && periodic[d] && n[d] >= -width && n[d] < box.N[d]+width {
			n[d] = wrap(n[d], box.N[d])
		}
	}
	return n
}

// halo fills width halo layers along the periodic axes with the values of the nodes they repeat.
func halo(x Field, periodic [3]bool, width int) {
	if periodic == [3]bool{} {
		return
	}
	eachHaloNode(x.Box, func(n Node) {
		if from := image(x.Box, n, periodic, width); inside(x.Box, from) {
			x.Set(n, x.At(from))
		}
	})
}

// combine returns Σ C[m] X[m] over whole buffers, without the X that are nil.
func combine(c [4]float64, x [4][]float64) []sum {
	out := []sum(nil)
	for m := range x {
		for e, v := range x[m] {
			if len(out) <= e {
				out = append(out, sum{})
			}
			out[e].add(c[m] * v)
		}
	}
	return out
}

// reduce returns the reduction of X (and Y) over the free nodes.
func reduce(kind kernels.Reduction, g *Grid, x, y Field, value float64, mask *Mask) sum {
	var s sum
	EachNode(g.Box, func(n Node) {
		if mask.At(n) == 0 {
			return
		}
		v := x.At(n)
		switch kind {
		case kernels.Dot:
			s.add(v * y.At(n))
		case kernels.VolumeSum:
			s.add(g.volume(n) * v)
		case kernels.VolumeDot:
			s.add(g.volume(n) * v * y.At(n))
		case kernels.Sum:
			s.add(v)
		case kernels.MaxAbs:
			s.value = math.Max(s.value, math.Abs(v-value))
			s.size = s.value
		case kernels.MaxDiff:
			s.value = math.Max(s.value, math.Abs(v-y.At(n)))
			s.size = s.value
		case kernels.Finite:
			if math.IsNaN(v) || math.IsInf(v, 0) {
				s.value++
			}
		}
	})
	return s
}

// removeMean returns X - ΣVX/ΣV for a solution, X_n - V_n ΣX/ΣV for integrated residuals.
func removeMean(g *Grid, x Field, integrated bool) result {
	volume := total(g.Box, func(n Node) sum { return exact(g.volume(n)) }).value
	kind := kernels.VolumeSum
	if integrated {
		kind = kernels.Sum
	}
	mean := reduce(kind, g, x, Field{}, 0, nil)
	return compute(g.Box, func(n Node) (s sum) {
		weight := 1.0
		if integrated {
			weight = g.volume(n)
		}
		s.add(x.At(n))
		s.addScaled(-weight/volume, mean)
		return s
	})
}

// horizontalMean returns X_0 + Σ_ij wx wy (X - X_0) / Σ_ij wx wy for every k, with X_0 the value at node (0,0,k): the
// mean, and X_0 itself where all values of the level are equal.
func horizontalMean(g *Grid, x Field) []sum {
	means := make([]sum, g.Box.N[2])
	var area float64
	for j := range g.Box.N[1] {
		for i := range g.Box.N[0] {
			area += g.area(kernels.Z, Node{i, j, 0})
		}
	}
	for k := range means {
		means[k].add(x.At(Node{0, 0, k}))
	}
	EachNode(g.Box, func(n Node) {
		first := Node{0, 0, n[2]}
		means[n[2]].add(g.area(kernels.Z, n) / area * (x.At(n) - x.At(first)))
	})
	return means
}

// wallThrough returns Σ Weight q and Σ Weight q T_f over the nodes of a side, q into the domain. Inflow is nil: T_f is T.
func wallThrough(q, t Field, side kernels.Side, inflow, weight []float64) (flow, carried sum) {
	EachNode(t.Box, func(n Node) {
		if !onSide(t.Box, side, n) {
			return
		}
		face, sign := n, -1.0
		if !side.High() {
			face[side.Axis()]--
			sign = 1
		}
		e := wallIndex(t.Box, side, n)
		in, with := sign*q.At(face), t.At(n)
		if in > 0 && inflow != nil {
			with = inflow[e]
		}
		flow.add(weight[e] * in)
		carried.add(weight[e] * in * with)
	})
	return flow, carried
}

// wallSum returns Σ Weight X over the nodes of a side.
func wallSum(x Field, side kernels.Side, weight []float64) (s sum) {
	EachNode(x.Box, func(n Node) {
		if onSide(x.Box, side, n) {
			s.add(weight[wallIndex(x.Box, side, n)] * x.At(n))
		}
	})
	return s
}
