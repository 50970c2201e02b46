package islam_test

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/devicetest"
	"convect/lab/islam"
)

func problem(t testing.TB, s islam.Shape) *islam.Problem {
	t.Helper()
	d, err := cpu.New(cpu.Options{})
	must(t, err)
	p, err := islam.New(d, kernels.Float64, s)
	must(t, err)
	t.Cleanup(func() {
		p.Free()
		must(t, d.Close())
	})
	return p
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// plainLine counts cycles on a line as the paper describes them, with all blocks starting from the same u.
func plainLine(n int, b islam.Blocks, tolerance float64) int {
	f := 1 / float64((n+1)*(n+1))
	u, next := make([]float64, n+2), make([]float64, n+2)
	for i := 1; i <= n; i++ {
		u[i] = 1
	}
	residual := func() float64 {
		sum := 0.0
		for i := 1; i <= n; i++ {
			r := f - (2*u[i] - u[i-1] - u[i+1])
			sum += r * r
		}
		return math.Sqrt(sum)
	}
	first := residual()
	for count := 0; ; count++ {
		if residual() <= tolerance*first {
			return count
		}
		for from := 1; ; from += b.Tile - b.Overlap {
			end := min(from+b.Tile, n+1)
			x, y := append([]float64(nil), u...), append([]float64(nil), u...)
			for range b.Sweeps {
				for i := from; i < end; i++ {
					y[i] = (x[i-1] + x[i+1] + f) / 2
				}
				x, y = y, x
			}
			low, high := from+b.Overlap/2, end-b.Overlap/2
			if from == 1 {
				low = 1
			}
			if end == n+1 {
				high = end
			}
			copy(next[low:high], x[low:high])
			if end == n+1 {
				break
			}
		}
		u, next = next, u
	}
}

// The cycles are those of the algorithm, block by block on the host.
func TestCyclesOfSmallLines(t *testing.T) {
	for _, b := range []islam.Blocks{{Tile: 60, Sweeps: 1}, {Tile: 16, Sweeps: 4}, {Tile: 16, Overlap: 2, Sweeps: 6}, {Tile: 13, Overlap: 6, Sweeps: 20}, {Tile: 99, Sweeps: 5}} {
		got, err := problem(t, islam.Lines(60, 3)).Count(b, 1e-4, 1e6)
		must(t, err)
		if want := plainLine(60, b, 1e-4); got != want {
			t.Errorf("%+v: %d cycles, want %d", b, got, want)
		}
	}
}

// On the paper's lines of 1024 unknowns the cycles are those of the algorithm: about 128,800, 25,500 and 8,100.
func TestCyclesOfThePaper(t *testing.T) {
	for _, c := range []struct {
		islam.Blocks
		want float64
	}{{islam.Blocks{Tile: 1024, Sweeps: 1}, 128800}, {islam.Blocks{Tile: 32, Sweeps: 8}, 25500}, {islam.Blocks{Tile: 32, Overlap: 4, Sweeps: 16}, 8100}} {
		got, err := problem(t, islam.Lines(1024, 1)).Count(c.Blocks, 1e-4, 1e6)
		must(t, err)
		if t.Logf("%+v: %d cycles", c.Blocks, got); math.Abs(float64(got)-c.want) > 0.01*c.want {
			t.Errorf("%+v: %d cycles, want %g", c.Blocks, got, c.want)
		}
	}
}

// The sweeps of plain Jacobi are those that the eigenvalues promise.
func TestPlainSweeps(t *testing.T) {
	for _, s := range []islam.Shape{islam.Lines(50, 2), islam.Plane(20), islam.Plane(33), islam.Cube(15), islam.Cube(18)} {
		got, err := problem(t, s).Count(islam.Blocks{Tile: 7, Sweeps: 1}, 1e-4, 1e6)
		must(t, err)
		if want := s.PlainSweeps(1e-4); got != want {
			t.Errorf("%+v: %d sweeps, want %d", s, got, want)
		}
	}
}

// plainCube counts cycles on a cube of n³ unknowns, block by block on the host.
func plainCube(n int, b islam.Blocks, tolerance float64) int {
	row := n + 2
	at := func(i, j, k int) int { return i + row*(j+row*k) }
	f := 1 / float64((n+1)*(n+1))
	u, next := make([]float64, row*row*row), make([]float64, row*row*row)
	each := func(low, high [3]int, visit func(c int)) {
		for k := low[2]; k < high[2]; k++ {
			for j := low[1]; j < high[1]; j++ {
				for i := low[0]; i < high[0]; i++ {
					visit(at(i, j, k))
				}
			}
		}
	}
	around := func(x []float64, c int) float64 {
		return x[c-1] + x[c+1] + x[c-row] + x[c+row] + x[c-row*row] + x[c+row*row]
	}
	inner, outer := [3]int{1, 1, 1}, [3]int{n + 1, n + 1, n + 1}
	each(inner, outer, func(c int) { u[c] = 1 })
	residual := func() (sum float64) {
		each(inner, outer, func(c int) { sum += math.Pow(f-(6*u[c]-around(u, c)), 2) })
		return math.Sqrt(sum)
	}
	var from, low []int // where blocks begin, and the first that they hand on
	for first := 1; ; first += b.Tile - b.Overlap {
		from, low = append(from, first), append(low, first+b.Overlap/2)
		if first+b.Tile > n {
			break
		}
	}
	low[0] = 1
	low = append(low, n+1)
	first := residual()
	for count := 0; ; count++ {
		if residual() <= tolerance*first {
			return count
		}
		for block := range len(from) * len(from) * len(from) {
			var begin, end, own, past [3]int
			for d, p := range [3]int{block % len(from), block / len(from) % len(from), block / (len(from) * len(from))} {
				begin[d], end[d], own[d], past[d] = from[p], min(from[p]+b.Tile, n+1), low[p], low[p+1]
			}
			x, y := append([]float64(nil), u...), append([]float64(nil), u...)
			for range b.Sweeps {
				each(begin, end, func(c int) { y[c] = (around(x, c) + f) / 6 })
				x, y = y, x
			}
			each(own, past, func(c int) { next[c] = x[c] })
		}
		u, next = next, u
	}
}

// The cycles are those of the algorithm in three dimensions too.
func TestCyclesOfSmallCubes(t *testing.T) {
	devicetest.Long(t)
	for _, b := range []islam.Blocks{{Tile: 20, Sweeps: 1}, {Tile: 8, Sweeps: 4}, {Tile: 8, Overlap: 2, Sweeps: 6}, {Tile: 9, Overlap: 4, Sweeps: 3}, {Tile: 99, Sweeps: 5}} {
		got, err := problem(t, islam.Cube(20)).Count(b, 1e-4, 1e6)
		must(t, err)
		if want := plainCube(20, b, 1e-4); got != want {
			t.Errorf("%+v: %d cycles, want %d", b, got, want)
		}
	}
}

// Overlap and sweeps pay: fewer cycles, never fewer sweeps in all than half of plain Jacobi's.
func TestCyclesInThePlane(t *testing.T) {
	p := problem(t, islam.Plane(64))
	plain, err := p.Count(islam.Blocks{Tile: 64, Sweeps: 1}, 1e-4, 1e6)
	must(t, err)
	last := plain
	for _, b := range []islam.Blocks{{Tile: 16, Sweeps: 8}, {Tile: 16, Overlap: 4, Sweeps: 8}, {Tile: 16, Overlap: 8, Sweeps: 16}} {
		got, err := p.Count(b, 1e-4, 1e6)
		must(t, err)
		if t.Logf("%+v: %d cycles, plain %d", b, got, plain); got >= last || 2*got*b.Sweeps < plain {
			t.Errorf("%+v: %d cycles after %d, plain %d", b, got, last, plain)
		}
		last = got
	}
}

func TestRefusals(t *testing.T) {
	d, err := cpu.New(cpu.Options{})
	must(t, err)
	defer d.Close()
	for _, s := range []islam.Shape{{}, {N: 4, Copies: -1}} {
		if _, err := islam.New(d, kernels.Float64, s); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
	p, err := islam.New(d, kernels.Float64, islam.Lines(100, 1))
	must(t, err)
	defer p.Free()
	if _, err := p.Count(islam.Blocks{Tile: 100, Sweeps: 1}, 1e-4, 10); err == nil {
		t.Error("10 sweeps are enough")
	}
}

// BenchmarkCycle times cycles, ns for a sweep of an unknown.
func BenchmarkCycle(b *testing.B) {
	for _, s := range []struct {
		name string
		islam.Shape
	}{{"lines", islam.Lines(1024, 1024)}, {"big", islam.Lines(1024, 21845)}, {"plane", islam.Plane(1024)}} {
		p := problem(b, s.Shape)
		for _, c := range []struct {
			name string
			islam.Blocks
		}{
			{"plain", islam.Blocks{Tile: 1024, Sweeps: 1}}, {"32-16-4", islam.Blocks{Tile: 32, Overlap: 4, Sweeps: 16}},
			{"32-32-8", islam.Blocks{Tile: 32, Overlap: 8, Sweeps: 32}},
			{"64-32-8", islam.Blocks{Tile: 64, Overlap: 8, Sweeps: 32}}, {"128-32-8", islam.Blocks{Tile: 128, Overlap: 8, Sweeps: 32}},
			{"128-64-16", islam.Blocks{Tile: 128, Overlap: 16, Sweeps: 64}},
		} {
			b.Run(s.name+"/"+c.name, func(b *testing.B) {
				for b.Loop() {
					p.Cycle(c.Blocks)
				}
				must(b, p.Device.Sync())
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.Sweeps*s.Unknowns()), "ns/sweep")
			})
		}
	}
}
