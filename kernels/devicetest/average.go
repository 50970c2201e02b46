package devicetest

import (
	"math"

	"convect/kernels"
)

// axisMean returns the means of X along the lines of an axis, and of the squares of the deviations from them with what spread has besides.
func axisMean(of kernels.Box, axis int, part []float64, x, spread Field) (mean, square result) {
	line := func(n Node, add func(i int, at Node)) {
		for i, at := 0, n; i < x.Box.N[axis]; i++ {
			at[axis] = i
			add(i, at)
		}
	}
	mean = compute(of, func(n Node) (s sum) {
		line(n, func(i int, at Node) { s.add(part[i] * x.At(at)) })
		return s
	})
	square = compute(of, func(n Node) (s sum) {
		line(n, func(i int, at Node) {
			d := x.At(at) - mean.value.At(n)
			s.value += part[i] * d * d
			s.size += math.Abs(part[i]) * (math.Abs(d) + mean.size.At(n) + math.Abs(x.At(at))) * (math.Abs(d) + mean.size.At(n) + math.Abs(x.At(at)))
			if spread.V != nil {
				s.add(part[i] * spread.At(at))
			}
		})
		return s
	})
	return mean, square
}

// accumulate returns what a step makes of Mean and Square.
func accumulate(a *kernels.AccumulateArgs, x, before, mean, square, spread, spreadBefore Field) (newMean, newSquare result) {
	off := func(n Node) (d sum) {
		d.add(before.At(n) / 2)
		d.add(x.At(n) / 2)
		d.add(-mean.At(n))
		return d
	}
	newMean = compute(a.Box, func(n Node) (s sum) {
		s.add(mean.At(n))
		s.addScaled(a.Part, off(n))
		return s
	})
	if square.V == nil {
		return newMean, newSquare
	}
	newSquare = compute(a.Box, func(n Node) (s sum) {
		var half sum
		half.add(before.At(n) / 2)
		half.add(-x.At(n) / 2)
		d := off(n)
		s.add(square.At(n))
		s.value += a.Dt*half.value*half.value + a.Dt*a.Rest*d.value*d.value
		s.size += a.Dt*half.size*half.size + a.Dt*a.Rest*d.size*d.size
		if spread.V != nil {
			s.add(a.Dt * spread.At(n) / 2)
			s.add(a.Dt * spreadBefore.At(n) / 2)
		}
		return s
	})
	return newMean, newSquare
}

// nodeSlope returns ∂T along an axis at a node, or k ∂T: on the line through its values in the middles of the faces' cells next to the node.
func (o *Operator) nodeSlope(d int, t Field, n Node, conducts bool) sum {
	cells := o.Box.N[d] - 1
	if o.Periodic[d] {
		cells++
	}
	on := func(cell int) (s sum) { // in the middle of a cell
		at := n
		at[d] = cell
		k := 1 / o.H[d].At(cell)
		if conducts {
			k *= o.section(d, at) / o.area(d, at)
		}
		s.add(k * t.At(shift(at, d, 1)))
		s.add(-k * t.At(at))
		return s
	}
	low := n[d] - 1
	if o.Periodic[d] {
		low = wrap(low, cells)
	} else {
		low = max(0, min(low, cells-2))
	}
	high := wrap(low+1, cells)
	if cells == 1 {
		return on(0)
	}
	hl, hh := o.H[d].At(low), o.H[d].At(high)
	x := hl // from the lower end of the lower cell to the node
	switch {
	case !o.Periodic[d] && n[d] == low:
		x = 0
	case !o.Periodic[d] && n[d] == low+2:
		x = hl + hh
	}
	part := (x - hl/2) / ((hl + hh) / 2)
	var s sum
	s.addScaled(1-part, on(low))
	s.addScaled(part, on(high))
	return s
}

// nodeFlux returns the flux of T along an axis on nodes, as kernels.NodeFluxArgs has it.
func (o *Operator) nodeFlux(d int, q flow, t Field, longitudinal, transverse float64) result {
	return compute(o.Box, func(n Node) (s sum) {
		u := o.nodeVelocity(d, q[d], n)
		s.addScaled(t.At(n), u)
		s.addScaled(-1, o.nodeSlope(d, t, n, true))
		if longitudinal == 0 && transverse == 0 {
			return s
		}
		var along sum
		square, size := 0.0, 0.0
		for e := range q {
			if !o.present(e) {
				continue
			}
			v := o.nodeVelocity(e, q[e], n)
			along.addProduct(v, o.nodeSlope(e, t, n, false))
			square += v.value * v.value
			size += v.size * v.size
		}
		speed := math.Sqrt(square)
		if speed == 0 {
			return s
		}
		size = math.Sqrt(size) // what the speed may have lost by cancellation counts with it
		own := o.nodeSlope(d, t, n, false)
		s.value -= transverse*speed*own.value + (longitudinal-transverse)*u.value*along.value/speed
		s.size += transverse*size*own.size + math.Abs(longitudinal-transverse)*u.size*along.size/speed*(size/speed)
		return s
	})
}
