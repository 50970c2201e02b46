package cuda_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
)

// laplace are the numbers of each node of Laplace's operator on equal cells.
var laplace = map[int]float64{kernels.ModesFirst: 1, kernels.ModesSecond: 1, kernels.ModesVolume: 1, kernels.ModesUp: 1}

// tableOfModes returns the table of ModesArgs of systems between natural ends, of which all nodes have the same numbers, and its LeastModes.
func tableOfModes(d *cuda.Device, e kernels.Elem, n [3]int, heights map[int]float64) (kernels.Buffer, [6]float64) {
	var v []float64
	for _, nodes := range n[:2] {
		for i := range nodes {
			sine := 2 * math.Sin(math.Pi*float64(i)/float64(2*(nodes-1)))
			v = append(v, sine*sine)
		}
		for range nodes {
			v = append(v, 1)
		}
	}
	for number := range kernels.ModesHeights {
		for range n[2] {
			v = append(v, heights[number])
		}
	}
	table, err := d.Alloc(e, len(v))
	if err != nil {
		panic(err)
	}
	d.Upload(table, v)
	return table, kernels.LeastModes(v, n, 0)
}

// TestUnfeltNodesAreNotRead: what a GPU finds of its part of long systems does not depend on whether it knows how fast x falls along them, up to roundings; and where it knows,
// nodes that are far from both ends may hold anything, but in the first systems, one of which falls slowly.
func TestUnfeltNodesAreNotRead(t *testing.T) {
	d := must[*cuda.Device](t)(cuda.New(emulation.New(emulation.Options{})))
	defer d.Close()
	n, first, all := [3]int{32, 500, 6}, 300, 900
	box := kernels.NewBox(n, false)
	array := func(length int) kernels.Buffer { return must[kernels.Buffer](t)(d.Alloc(kernels.Float32, length)) }
	table, least := tableOfModes(d, kernels.Float32, [3]int{n[0], n[2], all}, laplace)
	cut := kernels.Cut{First: first, Rows: all, Rank: 1, N: 3}
	systems := n[0] * n[2]
	entries := cut.Entries(systems)
	cut.Own, cut.All = array(entries), array(3*entries)
	x, work, random := array(box.Len), array(box.Len), rand.New(rand.NewPCG(5, 6))
	values := make([]float64, box.Len)
	for i := range values {
		values[i] = float64(float32(random.NormFloat64()))
	}
	ends := func(least [6]float64) []float64 {
		d.Upload(x, values)
		of := cut
		of.Least = least
		d.ModesEnds(kernels.ModesArgs{Box: box, X: x, Work: work, Table: table, Entries: kernels.ModesEntries([3]int{n[0], n[2], all}), Turned: true}, of)
		v := make([]float64, entries)
		if err := d.Download(v, cut.Own); err != nil {
			t.Fatal(err)
		}
		return v[:6*systems]
	}
	whole, known := ends([6]float64{}), ends(least)
	for j := 150; j < 350; j++ {
		for k := range n[2] {
			for i := range n[0] {
				values[box.Index(i, j, k)] = math.NaN()
			}
		}
	}
	poisoned := ends(least)
	for i, want := range whole {
		if !(math.Abs(known[i]-want) <= 1e-6*math.Max(1, math.Abs(want))) {
			t.Errorf("number %d of system %d is %g, not %g", i/systems, i%systems, known[i], want)
		}
		if i%systems >= n[0] && poisoned[i] != known[i] {
			t.Errorf("number %d of system %d is %g, not %g, where nodes in the middle are NaN", i/systems, i%systems, poisoned[i], known[i])
		}
	}
	if !math.IsNaN(poisoned[3*systems]) {
		t.Error("the first system does not feel nodes in the middle")
	}
	for _, b := range []kernels.Buffer{table, cut.Own, cut.All, x, work} {
		d.Free(b)
	}
}

// TestNegativeCouplings: systems whose couplings are negative, as those of short waves with 27 points, come out in single precision, in registers, as in double.
func TestNegativeCouplings(t *testing.T) {
	d := must[*cuda.Device](t)(cuda.New(emulation.New(emulation.Options{})))
	defer d.Close()
	n, first, all := [3]int{32, 200, 6}, 100, 400
	box, random := kernels.NewBox(n, false), rand.New(rand.NewPCG(7, 8))
	values := make([]float64, box.Len)
	for i := range values {
		values[i] = float64(float32(random.NormFloat64()))
	}
	heights := map[int]float64{kernels.ModesFirst: 2, kernels.ModesSecond: 2, kernels.ModesUp: 1, kernels.ModesUpFirst: 1. / 3, kernels.ModesUpSecond: 1. / 3}
	systems := n[0] * n[2]
	var got [2][]float64
	for m, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
		array := func(length int) kernels.Buffer { return must[kernels.Buffer](t)(d.Alloc(e, length)) }
		of := [3]int{n[0], n[2], all}
		table, least := tableOfModes(d, e, of, heights)
		cut := kernels.Cut{First: first, Rows: all, Rank: 1, N: 3, Least: least}
		entries := cut.Entries(systems)
		x, work := array(box.Len), array(box.Len)
		cut.Own, cut.All = array(entries), array(3*entries)
		d.Upload(x, values)
		d.ModesEnds(kernels.ModesArgs{Box: box, X: x, Work: work, Table: table, Entries: kernels.ModesEntries(of), Turned: true}, cut)
		got[m] = make([]float64, entries)
		if err := d.Download(got[m], cut.Own); err != nil {
			t.Fatal(err)
		}
		for _, b := range []kernels.Buffer{x, work, table, cut.Own, cut.All} {
			d.Free(b)
		}
	}
	for i, want := range got[1][:6*systems] {
		if !(math.Abs(got[0][i]-want) <= 1e-3*math.Max(1, math.Abs(want))) {
			t.Errorf("number %d of system %d is %g, not %g", i/systems, i%systems, got[0][i], want)
		}
	}
}
