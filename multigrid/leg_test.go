package multigrid

import (
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
)

// doubleResiduals counts residuals of float64.
type doubleResiduals struct {
	*cpu.Device
	made int
}

func (d *doubleResiduals) Residual(a kernels.ResidualArgs) {
	if a.F.Elem() == kernels.Float64 {
		d.made++
	}
	d.Device.Residual(a)
}

// Conjugate gradients with mixed precision bring their residual forward from step to step: where each gains much, that of u is computed less often than there are steps, and
// decides in the end; where most gain little it is computed after most. A tolerance that single precision could not see is reached.
func TestResidualIsBroughtForward(t *testing.T) {
	own := must[*cpu.Device](t)(cpu.New(cpu.Options{}))
	t.Cleanup(func() { own.Close() })
	dev := &doubleResiduals{Device: own}
	media := func(n [3]int) []float64 { return lognormal(n, 2, 4, 5) }
	for _, c := range []struct {
		name string
		problem
		options Options
		few     bool
	}{
		{"log-normal", problem{cells: cube(32), fixed: mixed, layout: media}, Options{}, true},
		{"log-normal, closed", problem{cells: [3]int{25, 30, 22}, layout: media}, Options{}, true},
		{"log-normal, 27 points", problem{cells: cube(24), fixed: mixed, layout: media, stencil: kernels.TwentySevenPoint}, Options{}, true},
		{"log-normal, 1e-12", problem{cells: cube(32), fixed: mixed, layout: media}, Options{Tolerance: 1e-12}, true},
		{"lines alone, slow", problem{cells: cube(16), fixed: mixed, layout: func(n [3]int) []float64 { return layers(n, 1e6, 1) }}, Options{Method: LineGradients}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.options.Mixed = true
			if c.options.Method == BestMethod {
				c.options.Method = ConjugateGradients
			}
			s, u, f := c.solver(t, dev, c.options)
			defer s.Free()
			smoothRightSide(f)
			before := dev.made
			r := must[Result](t)(s.Solve(u, f, 0))
			residuals := dev.made - before
			if few := residuals <= (3*r.Iterations+3)/4; !r.Converged || few != c.few {
				t.Errorf("%d residuals in float64 of %d steps, converged %v: %.1e", residuals, r.Iterations, r.Converged, r.Residuals)
			}
			finest := newField(t, s.op)
			s.op.Residual(finest, f, u)
			if left := must[float64](t)(norm(finest)); !(left <= 1.001*s.Options().Tolerance*r.Reference) {
				t.Errorf("the residual is %.3e of %.3e", left, r.Reference)
			}
		})
	}
}
