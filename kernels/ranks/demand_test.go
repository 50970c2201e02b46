package ranks_test

import (
	"slices"
	"testing"

	"convect/kernels"
	"convect/kernels/ranks"
)

// Ranks compute the ghosts of a result that were read of it before, and no more; where more are read again, the result is the same, and they are computed from then on.
func TestGhostsThatAreRead(t *testing.T) {
	one, two := core(t), open(t, 2, ranks.Options{Rows: 2, Gather: -1, Poison: true})
	defer one.Close()
	defer two.Close()
	type side struct {
		d kernels.Device
		p *problem
	}
	sides := []side{{one, newProblem(t, one, [3]int{9, 17, 7})}, {two, newProblem(t, two, [3]int{9, 17, 7})}}
	given := make([]float64, sides[0].p.box.Nodes())
	for i := range given {
		given[i] = float64((7*i)%11) / 8
	}
	// residuals computes y from x, and x from y, of which it reads ghosts then or none.
	residuals := func(read bool) {
		t.Helper()
		for range 40 {
			for _, s := range sides {
				s.d.UploadBox(s.p.x, s.p.box, given)
				s.d.Residual(kernels.ResidualArgs{A: s.p.a, F: s.p.f, U: s.p.x, R: s.p.y})
				if read {
					s.d.Residual(kernels.ResidualArgs{A: s.p.a, F: s.p.f, U: s.p.y, R: s.p.x})
				} else {
					s.d.Residual(kernels.ResidualArgs{A: s.p.a, F: s.p.y, U: s.p.f, R: s.p.x})
				}
			}
			var values [2][]float64
			for n, s := range sides {
				values[n] = make([]float64, s.p.box.Nodes())
				if err := s.d.DownloadBox(values[n], s.p.x, s.p.box); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(values[0], values[1]) {
				t.Fatal("ranks have other numbers than one")
			}
		}
	}
	expect := func(rows int) {
		t.Helper()
		if got := ranks.Expected(sides[1].p.y, "Residual"); got != rows {
			t.Errorf("%d ghosts are expected to be read, want %d", got, rows)
		}
	}
	expect(4) // all, since nothing is known
	residuals(true)
	expect(1)
	residuals(false)
	expect(0)
	residuals(true)
	expect(1)
}
