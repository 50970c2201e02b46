package multigrid

import (
	"slices"
	"testing"

	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
)

// The second time that cycles run on the same buffers they are recorded, and from then on replayed, to the same bits, wherever their sweeps leave the
// solution; another mass is another problem.
func TestCyclesAreRecorded(t *testing.T) {
	gpu := must[*cuda.Device](t)(cuda.New(emulation.New(emulation.Options{})))
	t.Cleanup(func() { gpu.Close() })
	for _, c := range []struct {
		problem
		opt Options
	}{
		{problem{cells: cube(12), mass: 1, fixed: mixed}, Options{Mixed: true}},
		{problem{cells: [3]int{12, 0, 8}, mass: 1}, Options{Mixed: true, Method: ConjugateGradients}},
		{problem{cells: cube(12), mass: 1, float32: true}, Options{Tolerance: 1e-4}},
		{problem{cells: cube(12), mass: 1}, Options{Method: Multigrid, Smoother: RedBlack}},
		{problem{cells: [3]int{11, 12, 13}, mass: 1, fixed: mixed}, Options{Mixed: true}}, // an odd number of sweeps, one by one
		{problem{cells: [3]int{11, 12, 13}, mass: 1, fixed: mixed, float32: true}, Options{Tolerance: 1e-4}},
		{problem{cells: cube(12), mass: 1, fixed: mixed}, Options{Mixed: true, Method: Multigrid, Smoother: Line}},
		{problem{cells: cube(12), mass: 1, fixed: mixed}, Options{Method: ConjugateGradients, Smoother: Line}},
	} {
		s, u, f := c.solver(t, gpu, c.opt)
		smoothRightSide(f)
		solve := func() []float64 {
			u.Fill(0)
			must[Result](t)(s.Solve(u, f, 0))
			return must[[]float64](t)(u.Download())
		}
		replayed := func() bool {
			return slices.ContainsFunc(s.records, func(r record) bool { return r.kernels != nil })
		}
		first := solve()
		for n := range 3 {
			pace := s.ConvergenceFactor
			s.ConvergenceFactor = usualFactor
			if again := solve(); !slices.Equal(first, again) {
				t.Errorf("%+v: solve %d gives other bits", c, n+2)
			}
			s.ConvergenceFactor = pace
		}
		if !replayed() {
			t.Errorf("%+v: nothing was recorded", c)
		}
		s.SetMassScale(1)
		if !replayed() {
			t.Errorf("%+v: the same mass is no reason to forget", c)
		}
		s.op.SetMassScale(50) // as a caller may who uses the operator too
		s.SetMassScale(50)
		if replayed() {
			t.Errorf("%+v: records of another mass are kept", c)
		}
		if other := solve(); slices.Equal(first, other) {
			t.Errorf("%+v: another mass gives the same solution", c)
		}
		s.Free()
	}
}
