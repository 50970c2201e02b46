package devicetest

import "convect/kernels"

// step replaces a field, known with the size that bounds its rounding, by next of it.
func (o *Operator) step(x result, next func(x, f Field) result, f Field) result {
	o.wrapHalo(x.value)
	o.wrapHalo(x.size)
	magnitude := compute(o.Box, func(n Node) (s sum) { s.add(f.At(n)); return s }).size
	return result{next(x.value, f).value, next(x.size, magnitude).size}
}

// sweeps makes damped Jacobi sweeps. Fixed nodes keep their size.
func (o *Operator) sweeps(x result, f Field, omega []float64) result {
	for _, w := range omega {
		last := x
		x = o.step(x, func(u, f Field) result { return o.smooth(u, f, w) }, f)
		EachNode(o.Box, func(n Node) { x.size.Set(n, max(x.size.At(n), last.size.At(n))) })
	}
	return x
}

// descend returns Out and CoarseX of kernels.CycleArgs, from a first guess.
func (o *Operator) descend(first, f Field, omega []float64, coarse kernels.Box, factor [3]int, mask *Mask) (u, coarseX result) {
	u = o.sweeps(compute(o.Box, func(n Node) (s sum) { s.add(first.At(n)); return s }), f, omega)
	r := o.step(u, func(u, f Field) result { return o.residual(f, u) }, f)
	o.wrapHalo(r.value)
	o.wrapHalo(r.size)
	ratio := ratioOf(o.Box, coarse, o.Periodic)
	return u, result{restrict(coarse, ratio, r.value, mask).value, restrict(coarse, ratio, r.size, mask).size}
}

// ascend returns Out of kernels.CycleArgs. CoarseX has its halo.
func (o *Operator) ascend(u, f, coarseX Field, omega []float64, factor [3]int) result {
	return o.sweeps(prolong(ratioOf(o.Box, coarseX.Box, o.Periodic), u, coarseX, o.Mask), f, omega)
}
