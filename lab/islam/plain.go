package islam

import "math"

// PlainSweeps returns the number of sweeps of plain Jacobi to a residual of tolerance times the first, from the modes of the
// residual: a sweep multiplies the part sin(aπx) (sin(bπy) (sin(cπz))) by the mean of cos(aπh), cos(bπh) and cos(cπh), as many as there are.
func (s Shape) PlainSweeps(tolerance float64) int {
	factors, squares := s.modes()
	norm := func(sweeps int) (sum float64) {
		for n, p := range squares {
			sum += p * math.Pow(math.Abs(factors[n]), 2*float64(sweeps))
		}
		return sum
	}
	target := tolerance * tolerance * norm(0)
	low, high := -1, 1 // too few, and perhaps enough
	for norm(high) > target {
		low, high = high, 2*high
	}
	for high-low > 1 {
		if middle := (low + high) / 2; norm(middle) > target {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// modes returns the factors of the modes in the first residual, and the squares of their parts in it.
func (s Shape) modes() (factors, squares []float64) {
	h := math.Pi / float64(s.N+1)
	// Along an axis: Σ sin(a h i) over the unknowns, and over those beside the boundary.
	type mode struct{ factor, all, ends float64 }
	var along []mode
	for a := 1; a <= s.N; a += 2 { // the others are not in a symmetric residual
		along = append(along, mode{math.Cos(float64(a) * h), 1 / math.Tan(float64(a)*h/2), 2 * math.Sin(float64(a)*h)})
	}
	one := []mode{{all: 1}} // an axis that there is not
	axes, count := [3][]mode{along, one, one}, 1.0
	if s.Copies == 0 {
		axes[2], count = along, 2
	}
	if s.Cubic {
		axes[1], count = along, 3
	}
	source := (h / math.Pi) * (h / math.Pi)
	for _, x := range axes[0] {
		for _, y := range axes[1] {
			for _, z := range axes[2] {
				part := source*x.all*y.all*z.all - x.ends*y.all*z.all - x.all*y.ends*z.all - x.all*y.all*z.ends
				factors, squares = append(factors, (x.factor+y.factor+z.factor)/count), append(squares, part*part)
			}
		}
	}
	return factors, squares
}
