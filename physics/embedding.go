package physics

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/dsp/fourier"

	"convect/stencil"
)

// embedding is a periodic box around the cells of a grid, on which an exponential covariance of variance 1 is
// diagonal in Fourier space: with e(k·x) = exp(2πi Σ_d k_d x_d / period_d),
//
//	C(x) = Σ_k root(k)² e(k·x).
//
// C is even along each axis, and so is root; both hold wavenumbers (or lags) 0 to period/2 only.
type embedding struct {
	cells  [3]int
	period [3]int // cells of the box
	half   [3]int // period/2 + 1
	root   []float64
}

func newEmbedding(e stencil.Extent, correlation [3]float64) *embedding {
	b := &embedding{cells: cellShape(e)}
	var lag [3]float64 // one cell, in correlation lengths
	for d, n := range b.cells {
		h := e.Size[d] / float64(n)
		if e.Cells[d] > 0 {
			lag[d] = h / correlation[d] // +Inf where not correlated
		}
		b.period[d] = n
		if !e.Periodic[d] && n > 1 {
			b.period[d] = fastLength(paddedLength(n, 1/lag[d]))
		}
		b.half[d] = b.period[d]/2 + 1
	}
	b.root = b.covariance(lag)
	for axis := range 3 {
		b.transformEven(axis)
	}
	b.normalise()
	return b
}

// paddedLength is the least period with which no two of n cells are closer around the box than in the grid, or,
// where that is shorter, with which the image of a cell is 8 correlation lengths (e^-8 = 3e-4) away.
func paddedLength(n int, correlation float64) int {
	whole := 2 * (n - 1)
	if 8*correlation >= float64(whole-n) {
		return whole
	}
	return n + int(math.Ceil(8*correlation))
}

// fastLength is the least number from n up that has no prime factor above 5.
func fastLength(n int) int {
	for ; ; n++ {
		rest := n
		for _, p := range []int{2, 3, 5} {
			for rest%p == 0 {
				rest /= p
			}
		}
		if rest == 1 {
			return n
		}
	}
}

func (b *embedding) covariance(lag [3]float64) []float64 {
	c := make([]float64, b.half[0]*b.half[1]*b.half[2])
	eachPlane(b.half, func(first, end int) {
		for n := first; n < end; n++ {
			square := 0.0
			for d, i := range [3]int{n % b.half[0], n / b.half[0] % b.half[1], n / (b.half[0] * b.half[1])} {
				if i > 0 {
					r := float64(i) * lag[d]
					square += r * r
				}
			}
			c[n] = math.Exp(-math.Sqrt(square))
		}
	})
	return c
}

// transformEven replaces root along an axis by its Fourier transform, real because root is even.
func (b *embedding) transformEven(axis int) {
	period, half := b.period[axis], b.half[axis]
	if period == 1 {
		return
	}
	starts, stride := lineStarts(b.half, axis), stride(b.half, axis)
	inParts(len(starts), func(next func() (int, bool)) {
		fft := fourier.NewFFT(period)
		line, spectrum := make([]float64, period), make([]complex128, half)
		for n, more := next(); more; n, more = next() {
			at := b.root[starts[n]:]
			for i := range line {
				line[i] = at[min(i, period-i)*stride]
			}
			fft.Coefficients(spectrum, line)
			for i, s := range spectrum {
				at[i*stride] = real(s)
			}
		}
	})
}

// inParts has all cores take numbers below n from next, until there are no more. What is done with a number must not depend on who does it.
func inParts(n int, work func(next func() (int, bool))) {
	var taken atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		all.Go(func() {
			work(func() (int, bool) {
				number := int(taken.Add(1)) - 1
				return number, number < n
			})
		})
	}
	all.Wait()
}

// eachPlane has all cores visit the planes along z, or y where there is one along z, of an array of n elements along x, y and z: the elements from first to before end.
func eachPlane(n [3]int, visit func(first, end int)) {
	planes, size := n[2], n[0]*n[1]
	if planes == 1 {
		planes, size = n[1], n[0]
	}
	inParts(planes, func(next func() (int, bool)) {
		for k, more := next(); more; k, more = next() {
			visit(k*size, (k+1)*size)
		}
	})
}

// normalise turns the eigenvalues into their roots, the negative ones into 0, with Σ root² = 1 over the box.
func (b *embedding) normalise() {
	sum := 0.0
	for n, v := range b.root {
		if v <= 0 {
			b.root[n] = 0
			continue
		}
		images := 1.0 // wavenumbers k and -k of each axis
		for d, i := range [3]int{n % b.half[0], n / b.half[0] % b.half[1], n / (b.half[0] * b.half[1])} {
			if i > 0 && 2*i != b.period[d] {
				images *= 2
			}
		}
		sum += images * v
	}
	for n, v := range b.root {
		b.root[n] = math.Sqrt(v / sum)
	}
}

// draw returns Y(x) = Re Σ_k root(k) ξ(k) e(k·x) in the cells of the grid, ξ complex with independent standard normal
// parts. The transforms go axis by axis and keep only the grid's part of the box. One core draws planes of ξ, one after the other;
// the others transform them.
func (b *embedding) draw(source rand.Source) []float64 {
	n, m := b.cells, b.period
	kept := make([]complex128, n[0]*n[1]*m[2])
	drawn := b.planes(rand.New(source))
	inParts(m[2], func(func() (int, bool)) {
		alongX, alongY := newLineTransform(m[0]), newLineTransform(m[1])
		for p := range drawn {
			for j := range m[1] {
				alongX.inPlace(p.values[j*m[0]:], 1)
			}
			for i := range n[0] {
				alongY.inPlace(p.values[i:], m[0])
			}
			for j := range n[1] {
				copy(kept[n[0]*(j+n[1]*p.k):][:n[0]], p.values[j*m[0]:])
			}
		}
	})
	cells, size := make([]float64, n[0]*n[1]*n[2]), n[0]*n[1]
	inParts(n[1], func(next func() (int, bool)) {
		alongZ := newLineTransform(m[2])
		for j, more := next(); more; j, more = next() {
			for c := j * n[0]; c < (j+1)*n[0]; c++ {
				alongZ.inPlace(kept[c:], size)
				for k := range n[2] {
					cells[c+k*size] = real(kept[c+k*size])
				}
			}
		}
	})
	return cells
}

// waves is root(k) ξ(k) in a plane of wavenumbers along z.
type waves struct {
	k      int
	values []complex128
}

// planes draws ξ plane by plane.
func (b *embedding) planes(noise *rand.Rand) <-chan waves {
	m, drawn := b.period, make(chan waves)
	go func() {
		defer close(drawn)
		for k := range m[2] {
			p := waves{k, make([]complex128, m[0]*m[1])}
			for j := range m[1] {
				row := p.values[j*m[0]:][:m[0]]
				roots := b.root[b.half[0]*(min(j, m[1]-j)+b.half[1]*min(k, m[2]-k)):]
				for i := range row {
					r := roots[min(i, m[0]-i)]
					row[i] = complex(r*noise.NormFloat64(), r*noise.NormFloat64())
				}
			}
			drawn <- p
		}
	}()
	return drawn
}

// lineTransform is the transform Σ_k a(k) exp(2πi k x / n) of one line.
type lineTransform struct {
	fft  *fourier.CmplxFFT
	line []complex128
}

func newLineTransform(n int) lineTransform {
	return lineTransform{fourier.NewCmplxFFT(n), make([]complex128, n)}
}

// inPlace transforms the line of every stride-th value.
func (t lineTransform) inPlace(values []complex128, stride int) {
	if len(t.line) == 1 {
		return
	}
	for i := range t.line {
		t.line[i] = values[i*stride]
	}
	t.fft.Sequence(t.line, t.line)
	for i, v := range t.line {
		values[i*stride] = v
	}
}

// lineStarts returns the index of the first value of every line of an array along an axis.
func lineStarts(shape [3]int, axis int) []int {
	length := shape[axis]
	step := stride(shape, axis)
	var starts []int
	for n := range shape[0] * shape[1] * shape[2] {
		if n/step%length == 0 {
			starts = append(starts, n)
		}
	}
	return starts
}

func stride(shape [3]int, axis int) int {
	s := 1
	for d := range axis {
		s *= shape[d]
	}
	return s
}
