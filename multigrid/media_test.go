package multigrid

import (
	"math"
	"math/rand/v2"
)

// lognormal returns one value a cell of exp(g), g a Gaussian field of the given variance whose correlation falls to
// 1/e at the given number of cells along every axis (0: uncorrelated). Noise is smoothed axis by axis with the kernel
// exp(-2 r²/c²), whose autocorrelation is exp(-r²/c²), and scaled to the exact variance.
func lognormal(cells [3]int, variance, correlation float64, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 11))
	v := make([]float64, cells[0]*cells[1]*cells[2])
	for i := range v {
		v[i] = r.NormFloat64()
	}
	if correlation > 0 {
		stride := 1
		for _, n := range cells {
			smoothAxis(v, n, stride, correlation)
			stride *= n
		}
	}
	mean, square := 0.0, 0.0
	for _, x := range v {
		mean += x
		square += x * x
	}
	n := float64(len(v))
	mean /= n
	scale := math.Sqrt(variance / (square/n - mean*mean))
	for i, x := range v {
		v[i] = math.Exp(scale * (x - mean))
	}
	return v
}

// smoothAxis convolves along one axis, wrapping at its ends.
func smoothAxis(v []float64, n, stride int, correlation float64) {
	reach := min(int(math.Ceil(2*correlation)), n/2)
	weights := make([]float64, 2*reach+1)
	for i := range weights {
		d := float64(i-reach) / correlation
		weights[i] = math.Exp(-2 * d * d)
	}
	line := make([]float64, n)
	for start := range v {
		if start/stride%n != 0 {
			continue
		}
		for i := range line {
			line[i] = v[start+i*stride]
		}
		for i := range line {
			s := 0.0
			for d, w := range weights {
				s += w * line[((i+d-reach)%n+n)%n]
			}
			v[start+i*stride] = s
		}
	}
}

// layers returns values that change from layer to layer of cells in z, random between 1 and contrast in the
// logarithm, both ends included.
func layers(cells [3]int, contrast float64, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 13))
	of := make([]float64, cells[2])
	for k := range of {
		of[k] = math.Pow(contrast, r.Float64())
	}
	of[0], of[len(of)-1] = 1, contrast
	v := make([]float64, cells[0]*cells[1]*cells[2])
	for c := range v {
		v[c] = of[c/(cells[0]*cells[1])]
	}
	return v
}
