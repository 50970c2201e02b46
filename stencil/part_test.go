package stencil

import "testing"

// A part of a field comes and goes without the rest, on flat and other grids; one beyond the grid is refused.
func TestPart(t *testing.T) {
	for _, flat := range []bool{false, true} {
		g := gradedGrid(t, device(t), flat)
		n := g.Box.N
		size := [3]int{2, min(2, n[1]), 3}
		low := [3]int{n[0] - 2, n[1] - size[1], 1}
		p, err := g.Part(low, size)
		if err != nil {
			t.Fatal(err)
		}
		f := must[*Field](t)(g.NewField("field", nil))
		values := noise(g.Nodes(), 3)
		f.Upload(values)
		v := make([]float64, p.Nodes())
		if err := p.Download(v, f); err != nil {
			t.Fatal(err)
		}
		for e := range v {
			i, j, k := p.Node(e)
			at := i + n[0]*(j+n[1]*k)
			if v[e] != values[at] {
				t.Fatalf("flat=%v: node %d %d %d is %g, not %g", flat, i, j, k, v[e], values[at])
			}
			v[e] += 1
			values[at] += 1
		}
		p.Upload(f, v)
		for at, got := range must[[]float64](t)(f.Download()) {
			if got != values[at] {
				t.Fatalf("flat=%v: node %d became %g, want %g", flat, at, got, values[at])
			}
		}
		low[2] = n[2] - 2
		if _, err := g.Part(low, size); err == nil {
			t.Error("a part beyond the grid is accepted")
		}
	}
}
