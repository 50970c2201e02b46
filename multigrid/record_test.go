package multigrid

import (
	"errors"
	"slices"
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
	"convect/stencil"
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

// Records outlive new conductivities: solves that replay them have the bits of one without records.
func TestRecordsOutliveRefresh(t *testing.T) {
	gpu := must[*cuda.Device](t)(cuda.New(emulation.New(emulation.Options{})))
	t.Cleanup(func() { gpu.Close() })
	for name, p := range map[string]problem{
		"closed": {cells: cube(12)}, "mixed, odd": {cells: [3]int{11, 12, 13}, fixed: mixed}, "mass": {cells: cube(12), mass: 1, fixed: mixed},
		"27": {cells: cube(12), fixed: mixed, stencil: kernels.TwentySevenPoint}, "float32": {cells: cube(12), float32: true}, "adaptive": {cells: cube(12), fixed: mixed},
	} {
		t.Run(name, func(t *testing.T) {
			p.layout = func(n [3]int) []float64 { return lognormal(n, 1, 3, 1) }
			o, opt := p.operator(t, gpu), Options{Mixed: !p.float32, Method: ConjugateGradients}
			if name == "adaptive" {
				opt.Method = Adaptive
			}
			if p.float32 {
				opt.Tolerance = 1e-4
			}
			m := must[*stencil.Mobility](t)(stencil.NewMobility(o, 2))
			temperature := newField(t, o)
			temperature.Upload(bump(o.Grid))
			m.Update(temperature)
			u, f := newField(t, o), newField(t, o)
			smoothRightSide(f)
			solve := func(s *Solver) []float64 {
				u.Fill(0)
				s.Learned = Learned{ConvergenceFactor: usualFactor}
				must[Result](t)(s.Solve(u, f, 0))
				return must[[]float64](t)(u.Download())
			}
			s, twin := must[*Solver](t)(New(o, opt)), must[*Solver](t)(New(o, opt))
			defer s.Free()
			defer twin.Free()
			for range 3 {
				solve(s)
			}
			kept := len(s.records)
			before := solve(twin)
			m.SetTable(0, 1, []float64{1, 4})
			m.Update(temperature)
			if err := errors.Join(s.Refresh(), twin.Refresh()); err != nil {
				t.Fatal(err)
			}
			twin.forget()
			anew := solve(twin)
			for n := range 3 {
				if !slices.Equal(solve(s), anew) {
					t.Errorf("solve %d after Refresh has other bits than without records", n+1)
				}
			}
			if slices.Equal(before, anew) {
				t.Error("other conductivities give the same solution")
			}
			if kept == 0 || opt.Method != Adaptive && len(s.records) > kept+1 {
				t.Errorf("%d records before Refresh, %d after it", kept, len(s.records))
			}
		})
	}
}
