package devicetest

import (
	"math"

	"convect/kernels"
)

// sum adds terms and the absolute values of terms: value = Σ t, size = Σ |t|.
type sum struct{ value, size float64 }

// add adds the term t.
func (s *sum) add(t float64) {
	s.value += t
	s.size += math.Abs(t)
}

// addScaled adds c times another sum.
func (s *sum) addScaled(c float64, t sum) {
	s.value += c * t.value
	s.size += math.Abs(c) * t.size
}

// result holds what the reference computed on the nodes of a box, with the sizes that bound its rounding.
type result struct{ value, size Field }

// compute evaluates point on all nodes of a box.
func compute(box kernels.Box, point func(n Node) sum) result {
	r := result{NewField(box), NewField(box)}
	EachNode(box, func(n Node) {
		s := point(n)
		r.value.Set(n, s.value)
		r.size.Set(n, s.size)
	})
	return r
}

// scaled returns c times a result.
func scaled(c float64, r result) result {
	return compute(r.value.Box, func(n Node) (s sum) {
		s.addScaled(c, sum{r.value.At(n), r.size.At(n)})
		return s
	})
}

// rounded bounds what becomes of a value that is computed in the wider type, to roundings of that, and then rounded to
// float32: the size, in units of the wider type's rounding, that stands for both.
func rounded(roundings float64, s sum) sum {
	once := kernels.Float32.Epsilon() / (roundings * kernels.Float64.Epsilon())
	return sum{s.value, s.size + once*(math.Abs(s.value)+roundings*kernels.Float64.Epsilon()*s.size)}
}

// roundedAll is rounded at all nodes.
func roundedAll(roundings float64, r result) result {
	return compute(r.value.Box, func(n Node) sum {
		return rounded(roundings, sum{r.value.At(n), r.size.At(n)})
	})
}

// total adds point over all nodes of a box.
func total(box kernels.Box, point func(n Node) sum) (s sum) {
	EachNode(box, func(n Node) { s.addScaled(1, point(n)) })
	return s
}

// largest returns the greatest value and the greatest size of point over all nodes of a box.
func largest(box kernels.Box, point func(n Node) sum) (s sum) {
	EachNode(box, func(n Node) {
		p := point(n)
		s.value = math.Max(s.value, p.value)
		s.size = math.Max(s.size, p.size)
	})
	return s
}

// exact is a value that the device must reproduce to the bit.
func exact(v float64) sum { return sum{value: v} }

// round rounds v to the element type.
func round(e kernels.Elem, v float64) float64 {
	if e == kernels.Float32 {
		return float64(float32(v))
	}
	return v
}
