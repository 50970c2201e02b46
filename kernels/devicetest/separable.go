package devicetest

import (
	"math"

	"convect/kernels"
)

// transform multiplies the lines of nodes along an axis by a matrix, which is stored in rows (kernels.TransformRows) and may be folded.
func transform(in Field, axis int, folding kernels.Folding, matrix []float64) result {
	n := in.Box.N[axis]
	half := (n + 1) / 2
	rows, pitch := kernels.TransformRows(n, folding)
	entry := func(part, row, column int) float64 { return matrix[(part*rows+row)*pitch+column] }
	at := func(line Node, i int) (s sum) {
		line[axis] = i
		s.add(in.At(line))
		return s
	}
	return compute(in.Box, func(out Node) (s sum) {
		m := out[axis]
		switch folding {
		case kernels.Whole:
			for i := range n {
				s.addScaled(entry(0, i, m), at(out, i))
			}
		case kernels.FoldForth:
			part, sign := 0, 1.0
			if m >= half {
				part, sign, m = 1, -1, m-half
			}
			for i := range half {
				pair := at(out, i)
				if mirror := n - 1 - i; mirror != i {
					pair.addScaled(sign, at(out, mirror))
				} else if part == 1 {
					pair = sum{}
				}
				s.addScaled(entry(part, i, m), pair)
			}
		case kernels.FoldBack:
			sign := 1.0
			if m >= half {
				sign, m = -1, n-1-m
			}
			for v := range n {
				if v < half {
					s.addScaled(entry(0, v, m), at(out, v))
				} else if 2*m != n-1 {
					s.addScaled(sign*entry(1, v-half, m), at(out, v))
				}
			}
		}
		return s
	})
}

// waveAt returns vector s of kernels.FastTransformArgs at node i of n, 0 where there is no such vector.
func waveAt(w kernels.Waves, n, s, i int) float64 {
	half, last := (n+1)/2, n-1
	turn := func(f func(float64) float64, part, whole int) float64 {
		return f(math.Pi * float64(part%(2*whole)) / float64(whole))
	}
	switch w {
	case kernels.Cosines:
		if s < half {
			return turn(math.Cos, 2*s*i, last)
		}
		return turn(math.Cos, (2*(s-half)+1)*i, last)
	case kernels.Sines:
		m := 2*s + 1
		if s >= half {
			m = 2*(s-half) + 2
		}
		if m >= last || i == 0 || i == last {
			return 0
		}
		return turn(math.Sin, m*i, last)
	case kernels.FixedHigh:
		if s == last || i == last {
			return 0
		}
		return turn(math.Cos, (2*s+1)*i, 2*last)
	case kernels.FixedLow:
		if s == last || i == 0 {
			return 0
		}
		return turn(math.Sin, (2*s+1)*i, 2*last)
	}
	if s < half {
		return turn(math.Cos, s*(2*i+1), n)
	}
	return turn(math.Sin, (s-half+1)*(2*i+1), n)
}

// waves transforms the lines of nodes along an axis to sines or cosines, or back; c is what each is multiplied by.
func waves(in Field, axis int, w kernels.Waves, back bool, c []float64) result {
	n := in.Box.N[axis]
	return compute(in.Box, func(out Node) (s sum) {
		at := out
		for m := range n {
			at[axis] = m
			vector, node := out[axis], m
			if back {
				vector, node = m, out[axis]
			}
			if v := c[vector] * waveAt(w, n, vector, node); v != 0 {
				s.add(v * in.At(at))
			}
		}
		return s
	})
}

// tridiagonal is the systems of kernels.ModesArgs: n are the nodes along x, beside it and along the systems.
type tridiagonal struct {
	n         [3]int
	table     []float64
	mass      float64
	low, high bool
	singular  bool
	turned    bool
}

// node returns where node k of the system i, j lies.
func (m *tridiagonal) node(i, j, k int) Node {
	if m.turned {
		return Node{i, k, j}
	}
	return Node{i, j, k}
}

// own returns d_k and g_k of the column of a node.
func (m *tridiagonal) own(n Node, k int) (d, g float64) {
	nx, ny, nz := m.n[0], m.n[1], m.n[2]
	of := m.table[2*nx+2*ny:]
	h := func(row int) float64 { return of[row*nz+k] }
	lambda, rho, mu, sigma := m.table[n[0]], m.table[nx+n[0]], m.table[2*nx+n[1]], m.table[2*nx+ny+n[1]]
	d = lambda*h(kernels.ModesFirst) + mu*h(kernels.ModesSecond) + rho*sigma*(m.mass*h(kernels.ModesVolume)+h(kernels.ModesTie))
	if k < nz-1 {
		g = h(kernels.ModesUp) - lambda*h(kernels.ModesUpFirst) - mu*h(kernels.ModesUpSecond)
	}
	return d, g
}

// solve solves the column of node n for a right side. Both sweeps of the elimination add what is positive where the right side is.
func (m *tridiagonal) solve(n Node, f []float64) (x []float64) {
	nz := m.n[2]
	first, last := 0, nz-1
	x = make([]float64, nz)
	passed, carried := 0.0, 0.0
	if m.low {
		first = 1
		_, passed = m.own(n, 0)
	}
	if m.high {
		last--
	}
	up := make([]float64, nz)
	for k := first; k <= last; k++ {
		d, g := m.own(n, k)
		ground := passed + d
		if pivot := ground + g; pivot > 0 {
			up[k] = g / pivot
			x[k] = (f[k] + carried) / pivot
		}
		carried, passed = g*x[k], ground*up[k]
	}
	for k := last - 1; k >= first; k-- {
		x[k] += up[k] * x[k+1]
	}
	return x
}

// mean returns the mean of x weighted by volumes, or of what is integrated over them.
func (m *tridiagonal) mean(x []float64, integrated bool) float64 {
	nz, sum, all := m.n[2], 0.0, 0.0
	volume := m.table[2*m.n[0]+2*m.n[1]+kernels.ModesVolume*nz:][:nz]
	for k, v := range x {
		if !integrated {
			v *= volume[k]
		}
		sum += v
		all += volume[k]
	}
	return sum / all
}

// modes solves all columns. The size of a value is the solution for the absolute right side, which no rounding of it exceeds; of the column of a singular system it is
// what all of the right side makes of the least coupling.
func (m *tridiagonal) modes(in Field) result {
	nz := m.n[2]
	volume := m.table[2*m.n[0]+2*m.n[1]+kernels.ModesVolume*nz:][:nz]
	r := result{NewField(in.Box), NewField(in.Box)}
	eachWithin(Node{}, Node{m.n[0], m.n[1], 1}, func(n Node) {
		f, size := make([]float64, nz), make([]float64, nz)
		for k := range f {
			f[k] = in.At(m.node(n[0], n[1], k))
			size[k] = math.Abs(f[k])
		}
		constant := m.singular && n[0] == 0 && n[1] == 0
		if constant {
			mean := m.mean(f, true)
			for k := range f {
				f[k] -= mean * volume[k]
			}
		}
		x := m.solve(n, f)
		if constant {
			mean, all, least := m.mean(x, false), 0.0, math.Inf(1)
			for k := range x {
				x[k] -= mean
				all += size[k]
				if _, g := m.own(n, k); k < nz-1 {
					least = math.Min(least, g)
				}
			}
			for k := range size {
				size[k] = all * float64(nz) / least
			}
		} else {
			size = m.solve(n, size)
		}
		for k := range x {
			r.value.Set(m.node(n[0], n[1], k), x[k])
			r.size.Set(m.node(n[0], n[1], k), size[k])
		}
	})
	return r
}
