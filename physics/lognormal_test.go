package physics

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// logs returns ln K of a medium.
func logs(t *testing.T, l LogNormal, e stencil.Extent) []float64 {
	t.Helper()
	m, err := l.Generate(e)
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, len(m.Cells[0]))
	for c, k := range m.Cells[0] {
		y[c] = math.Log(k)
	}
	return y
}

// correlationAt returns the mean of (Y(x)-mean)(Y(x+lag)-mean) over all pairs inside the grid, or around it where periodic.
func correlationAt(y []float64, mean float64, n, lag [3]int, periodic bool) float64 {
	sum, pairs := 0.0, 0
	for c, v := range y {
		var to [3]int
		inside := true
		for d, i := range [3]int{c % n[0], c / n[0] % n[1], c / (n[0] * n[1])} {
			to[d] = (i + lag[d]) % n[d]
			inside = inside && (periodic || i+lag[d] < n[d])
		}
		if inside {
			sum += (v - mean) * (y[to[0]+n[0]*(to[1]+n[1]*to[2])] - mean)
			pairs++
		}
	}
	return sum / float64(pairs)
}

// TestLogNormalStatistics compares mean, variance and covariance of large media with the given ones. A medium of
// volume V holds about V/(8π λx λy λz) independent pieces in 3-D and V/(2π λx λz) in 2-D; bounds are 4 standard errors.
func TestLogNormalStatistics(t *testing.T) {
	for _, c := range []struct {
		name string
		e    stencil.Extent
		l    LogNormal
	}{
		{"3-D", stencil.Extent{Cells: [3]int{70, 64, 60}, Size: [3]float64{70, 64, 60}},
			LogNormal{MeanLog: -1, Variance: 4, Correlation: [3]float64{3, 2, 1}, Seed: 5}},
		{"2-D", stencil.Extent{Cells: [3]int{500, 0, 300}, Size: [3]float64{250, 0, 300}},
			LogNormal{MeanLog: 0.5, Variance: 1, Correlation: [3]float64{2, 0, 3}, Seed: 6}},
		{"uncorrelated", stencil.Extent{Cells: [3]int{50, 50, 50}, Size: [3]float64{1, 1, 1}},
			LogNormal{MeanLog: 2, Variance: 0.25, Seed: 7}},
	} {
		y := logs(t, c.l, c.e)
		n := cellShape(c.e)
		pieces := float64(len(y))
		if c.l.Correlation[0] > 0 {
			pieces /= 2 * math.Pi
		}
		var h [3]float64
		for d, length := range c.l.Correlation {
			if h[d] = c.e.Size[d] / float64(n[d]); length > 0 {
				pieces /= length / h[d]
			}
		}
		if c.l.Correlation[1] > 0 {
			pieces /= 4
		}
		mean := 0.0
		for _, v := range y {
			mean += v / float64(len(y))
		}
		bound := 4 / math.Sqrt(pieces)
		if math.Abs(mean-c.l.MeanLog) > bound*math.Sqrt(c.l.Variance) {
			t.Errorf("%s: mean of ln K %g, want %g", c.name, mean, c.l.MeanLog)
		}
		for _, lag := range [][3]int{{0, 0, 0}, {1, 0, 0}, {4, 0, 0}, {0, 0, 1}, {0, 0, 3}, {2, 0, 2}, {0, 2, 0}, {3, 2, 1}} {
			if lag[1] > 0 && n[1] == 1 {
				continue
			}
			square := 0.0
			for d, i := range lag {
				if i > 0 {
					square += math.Pow(float64(i)*h[d]/c.l.Correlation[d], 2)
				}
			}
			want := math.Exp(-math.Sqrt(square))
			got := correlationAt(y, c.l.MeanLog, n, lag, false) / c.l.Variance
			if math.Abs(got-want) > bound*math.Sqrt2 {
				t.Errorf("%s: correlation at %v is %.4f, want %.4f within %.4f", c.name, lag, got, want, bound*math.Sqrt2)
			}
		}
	}
}

// On a graded axis neighbours are as alike as their distance says: correlations of rows of cells that lie above each other,
// each over 1000 correlation lengths, within 4 standard errors.
func TestLogNormalOnGradedAxis(t *testing.T) {
	e := stencil.Extent{Cells: [3]int{4000, 0, 12}, Size: [3]float64{1000, 0, 4}, Grading: [3]stencil.Grading{2: {Cluster: stencil.ClusterLow, Ratio: 8}}}
	y := logs(t, LogNormal{Variance: 1, Correlation: [3]float64{1, 0, 1}, Seed: 9}, e)
	z, n := e.Centres(kernels.Z), e.Cells[0]
	narrowest := e.Widths(kernels.Z)[0]
	for k := range len(z) - 1 {
		got := 0.0
		for i := range n {
			got += y[i+n*k] * y[i+n*(k+1)] / float64(n)
		}
		want := math.Exp(z[k] - z[k+1])
		if bound := 4*math.Sqrt(2./1000) + narrowest; math.Abs(got-want) > bound {
			t.Errorf("rows %d and %d: correlation %.3f, want %.3f within %.3f", k, k+1, got, want, bound)
		}
	}
}

// A grading that asks for too many equal cells is an error, not the end of the memory.
func TestLogNormalLimitsEqualCells(t *testing.T) {
	steep := stencil.Grading{Cluster: stencil.ClusterBoth, Ratio: 1000}
	e := stencil.Extent{Cells: [3]int{200, 200, 200}, Size: [3]float64{1, 1, 1}, Grading: [3]stencil.Grading{steep, steep, steep}}
	if _, err := (LogNormal{Variance: 1, Correlation: [3]float64{1, 1, 1}}).Generate(e); err == nil {
		t.Error("no error")
	}
}

// TestEmbeddingCovariance compares the covariance that the spectrum stands for with the given one, at all lags.
func TestEmbeddingCovariance(t *testing.T) {
	for _, c := range []struct {
		correlation [3]float64
		bound       float64 // what the negative eigenvalues may cost
	}{
		{[3]float64{0.1, 0.1, 0.05}, 1e-13},
		{[3]float64{0.3, 0.3, 0.1}, 0.01},
		{[3]float64{1, 1, 1}, 0.05},
		{[3]float64{3, 3, 3}, 0.05},
		{[3]float64{0, 0.1, 0}, 1e-13},
	} {
		for _, periodic := range []bool{false, true} {
			e := stencil.Extent{Cells: [3]int{17, 16, 15}, Size: [3]float64{1, 1, 1}, Periodic: [3]bool{periodic, false, false}}
			b := newEmbedding(e, c.correlation)
			for n, r := range b.root {
				b.root[n] = r * r
			}
			for axis := range 3 {
				b.transformEven(axis)
			}
			for n, got := range b.root {
				lag := [3]int{n % b.half[0], n / b.half[0] % b.half[1], n / (b.half[0] * b.half[1])}
				square := 0.0
				for d, i := range lag {
					if i > 0 {
						square += math.Pow(float64(i)/float64(e.Cells[d])/c.correlation[d], 2)
					}
				}
				inside := lag[0] < e.Cells[0] && lag[1] < e.Cells[1] && lag[2] < e.Cells[2]
				if want := math.Exp(-math.Sqrt(square)); inside && math.Abs(got-want) > c.bound {
					t.Errorf("%v, periodic %v: covariance at %v is %g, want %g", c.correlation, periodic, lag, got, want)
				}
			}
		}
	}
}

func TestLogNormalIsPeriodic(t *testing.T) {
	const n = 90
	e := stencil.Extent{Cells: [3]int{n, 0, 400}, Size: [3]float64{n, 0, 400}, Periodic: [3]bool{true, false, false}}
	y := logs(t, LogNormal{Variance: 1, Correlation: [3]float64{10, 0, 1}, Seed: 3}, e)
	// Across the seam neighbours differ as they do elsewhere: the mean square of Y(x+1)-Y(x) is 2(1 - exp(-1/10)).
	seam := 0.0
	for k := range 400 {
		seam += math.Pow(y[k*n]-y[k*n+n-1], 2) / 400
	}
	if want := 2 * (1 - math.Exp(-0.1)); math.Abs(seam-want) > 0.3*want {
		t.Errorf("mean square difference across the seam %.3f, want %.3f", seam, want)
	}
	for _, lag := range []int{5, n - 5} {
		got := correlationAt(y, 0, [3]int{n, 1, 400}, [3]int{lag, 0, 0}, true)
		if want := math.Exp(-0.5); math.Abs(got-want) > 0.08 {
			t.Errorf("correlation around the period at lag %d: %.3f, want %.3f", lag, got, want)
		}
	}
}

// TestLogNormalRepeats pins the medium of a seed: cases name it.
func TestLogNormalRepeats(t *testing.T) {
	e := stencil.Extent{Cells: [3]int{7, 5, 6}, Size: [3]float64{1, 1, 1}}
	l := LogNormal{Variance: 1, Correlation: [3]float64{0.3, 0.2, 0.1}, Seed: 42}
	y := logs(t, l, e)
	for c, want := range map[int]float64{0: 0.534233959315107, 1: -0.464544410991752, 100: 0.999443851108055, 209: -0.979022112253} {
		if math.Abs(y[c]-want) > 1e-12 {
			t.Errorf("ln K of cell %d is %.17g, want %.17g", c, y[c], want)
		}
	}
	l.Seed = 43
	if other := logs(t, l, e); other[0] == y[0] || other[100] == y[100] {
		t.Error("another seed gives the same medium")
	}
}

func TestLogNormalSizes(t *testing.T) {
	for _, cells := range [][3]int{{1, 1, 1}, {1, 0, 1}, {2, 0, 3}, {13, 1, 11}, {1, 7, 2}} {
		for _, periodic := range []bool{false, true} {
			e := stencil.Extent{Cells: cells, Size: [3]float64{1, 1, 1}, Periodic: [3]bool{periodic, periodic, false}}
			for _, v := range logs(t, LogNormal{Variance: 1, Correlation: [3]float64{0.2, 0.2, 0.2}}, e) {
				if math.IsNaN(v) || math.Abs(v) > 6 {
					t.Errorf("%v cells: ln K = %g", cells, v)
				}
			}
		}
	}
	if y := logs(t, LogNormal{MeanLog: 1.5, Correlation: [3]float64{1, 1, 1}},
		stencil.Extent{Cells: [3]int{3, 0, 3}, Size: [3]float64{1, 0, 1}}); math.Abs(y[4]-1.5) > 1e-15 {
		t.Errorf("without variance ln K is %g, want 1.5", y[4])
	}
}

func TestLogNormalRefuses(t *testing.T) {
	e := stencil.Extent{Cells: [3]int{3, 0, 3}, Size: [3]float64{1, 0, 1}}
	for _, c := range []struct {
		l      LogNormal
		reason string
	}{
		{LogNormal{Variance: -1}, "variance -1"},
		{LogNormal{Variance: math.NaN()}, "variance NaN"},
		{LogNormal{MeanLog: math.Inf(1)}, "mean +Inf"},
		{LogNormal{Correlation: [3]float64{0, 0, -1}}, "along z"},
	} {
		if _, err := c.l.Generate(e); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%+v: error %v, want one with %q", c.l, err, c.reason)
		}
	}
}

// TestLogNormalIsTheSameOnAnyCores draws a medium with one core and with four.
func TestLogNormalIsTheSameOnAnyCores(t *testing.T) {
	e := stencil.Extent{Cells: [3]int{40, 21, 12}, Size: [3]float64{2, 1, 1}, Grading: [3]stencil.Grading{2: {Cluster: stencil.ClusterLow, Ratio: 3}}}
	l := LogNormal{Variance: 2, Correlation: [3]float64{0.3, 0.2, 0.1}, Seed: 5}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := logs(t, l, e)
	runtime.GOMAXPROCS(4)
	if !slices.Equal(logs(t, l, e), one) {
		t.Error("four cores draw another medium than one")
	}
}
