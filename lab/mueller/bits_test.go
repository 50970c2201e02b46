package mueller_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/lab/labtest"
	"convect/lab/mueller"
)

// columnOutcome runs the kernels that sum, solve and relax columns and returns their fields and slots.
func columnOutcome(t *testing.T, e kernels.Elem, order mueller.Order, opts cpu.Options) []float64 {
	t.Helper()
	d := on(t, labtest.Processor(t, opts))
	p := mueller.NewPanel([3]int{70, 9, 37}, order)
	random := rand.New(rand.NewPCG(5, 6))
	fill := func(n, inner int, at func(i int) int) kernels.Buffer {
		b, err := d.Alloc(e, n)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Free(b) })
		v := make([]float64, n)
		for i := range inner {
			v[at(i)] = 0.5 + random.Float64()
		}
		d.Upload(b, v)
		return b
	}
	level := func() kernels.Buffer { return fill(p.Levels(), p.N[2], func(k int) int { return k }) }
	column := func(nx, ny int) kernels.Buffer {
		return fill(p.Around, nx*ny, func(c int) int { return p.Horizontal(c%nx, c/nx) })
	}
	field := func() kernels.Buffer {
		return fill(p.Len, p.Cells(), func(c int) int {
			return p.Index(c%p.N[0], c/p.N[0]%p.N[1], c/p.N[0]/p.N[1])
		})
	}
	a := &mueller.ColumnOperator{Panel: p, Mass: level(), Vertical: level(), Horizontal: level(),
		Area: column(p.N[0], p.N[1]), EdgeX: column(p.N[0]-1, p.N[1]), EdgeY: column(p.N[0], p.N[1]-1)}
	x := []kernels.Buffer{field(), field(), field(), field()}
	d.ColumnSearch(mueller.ColumnSearchArgs{A: a, U: x[0], P: x[1], Q: x[2], Z: x[3], Alpha: 0.3, Beta: 0.7, Slot: 0})
	d.ColumnDescend(mueller.ColumnDescendArgs{A: a, R: x[3], Q: x[2], Z: x[1], Alpha: 0.2, Slot: 1})
	d.ColumnSmooth(mueller.ColumnSmoothArgs{A: a, Out: x[2], U: x[0], F: x[3], Omega: 0.8})
	d.ColumnDot(mueller.ColumnDotArgs{X: x[2], Y: x[1], Slot: 3})
	slots, err := d.Scalars()
	if err != nil {
		t.Fatal(err)
	}
	all := append([]float64(nil), slots[:4]...)
	for _, b := range x {
		v := make([]float64, p.Len)
		if err := d.Download(v, b); err != nil {
			t.Fatal(err)
		}
		all = append(all, v...)
	}
	return all
}

// Kernels on columns give the same bits with any number of threads and any instruction set.
func TestSameColumnBitsWithAnyThreadsAndInstructions(t *testing.T) {
	for _, order := range []mueller.Order{mueller.ColumnOrder, mueller.RowOrder} {
		for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
			want := columnOutcome(t, e, order, cpu.Options{Threads: 1, Instruction: "baseline"})
			for _, instruction := range cpu.Instructions() {
				for _, threads := range []int{1, 3} {
					got := columnOutcome(t, e, order, cpu.Options{Threads: threads, Instruction: instruction})
					for n := range want {
						if math.Float64bits(got[n]) != math.Float64bits(want[n]) {
							t.Errorf("%v, %v, %s, %d threads: value %d is %v, want %v", order, e, instruction, threads, n, got[n], want[n])
							break
						}
					}
				}
			}
		}
	}
}
