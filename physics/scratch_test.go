package physics

import (
	"strings"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// A field that is lent is not lent again, by whichever way, and what is given back was lent.
func TestScratch(t *testing.T) {
	g, err := stencil.NewGrid(openDevice(t, 1), kernels.Float64, plane(4))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Free()
	outside, err := g.NewField("outside", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Free()
	var s scratch
	if err := s.build(g, 3); err != nil {
		t.Fatal(err)
	}
	defer s.free()
	panics := func(what, says string, do func()) {
		t.Helper()
		defer func() {
			if text, ok := recover().(string); !ok || !strings.Contains(text, says) {
				t.Errorf("%s: panicked with %q, want a text with %q", what, text, says)
			}
		}()
		do()
	}
	a, b := s.borrow("a"), s.borrow("b")
	if a == b || a == outside {
		t.Fatal("two loans share a field")
	}
	panics("the same name", "a is lent already", func() { s.borrow("a") })
	s.borrow("c")
	panics("one too many", "no field is left for d; lent are c, b, a", func() { s.borrow("d") })
	if s.reuse("d", outside) != outside {
		t.Error("another field than the one to reuse")
	}
	panics("a field that is lent", "the field for e is in use", func() { s.reuse("e", outside) })
	panics("a field of the pool that is lent", "the field for e is in use", func() { s.reuse("e", a) })
	s.giveBack(b)
	panics("given back twice", "not lent", func() { s.giveBack(b) })
	if s.borrow("d again") != b {
		t.Error("a field that was given back is not lent again")
	}
}

// A step gives back all that it borrows, and so does one whose solve fails.
func TestStepsGiveBack(t *testing.T) {
	dev := openDevice(t, 0)
	p := heated(plane(16), 200)
	p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 0, 1}, 0.3
	s := simulate(t, dev, p, Controls{End: 1, Courant: 0.5})
	for range 2 {
		if err := s.advance(); err != nil {
			t.Fatal(err)
		}
		if names := s.model.scratch.names(); names != "" {
			t.Errorf("after a step %s are lent", names)
		}
	}
	p.Diffusion.MaxIterations, p.Diffusion.Tolerance = 1, 1e-15
	p.Initial.Conduction, p.Initial.Temperature = false, func(x, _, z, _ float64) float64 { return 1 - z + 0.3*x*z }
	failing := simulate(t, dev, p, Controls{End: 1, Courant: 0.5})
	var err error
	for n := 0; n < 3 && err == nil; n++ {
		err = failing.advance()
	}
	if err == nil {
		t.Fatal("no solve failed")
	}
	if names := failing.model.scratch.names(); names != "" {
		t.Errorf("after a solve that failed %s are lent", names)
	}
}
