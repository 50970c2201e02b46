package multigrid

import (
	"math"
	"slices"
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
	"convect/stencil"
)

// corrections counts the calls of Correct that correct, and those that take the mean of a solution away.
type corrections struct {
	*cuda.Device
	made, means int
}

func (d *corrections) RemoveMean(a kernels.RemoveMeanArgs) {
	if !a.Integrated {
		d.means++
	}
	d.Device.RemoveMean(a)
}

func (d *corrections) Correct(a kernels.CorrectArgs) {
	if a.E != nil {
		d.made++
	}
	d.Device.Correct(a)
}

// On a device that corrects and measures in one pass, a solver to which room is lent does so, and solves as well as one without.
func TestLentRoom(t *testing.T) {
	gpu := must[*cuda.Device](t)(cuda.New(emulation.New(emulation.Options{})))
	t.Cleanup(func() { gpu.Close() })
	dev := &corrections{Device: gpu}
	for n, p := range []problem{
		{cells: cube(16), fixed: dirichlet},
		{cells: cube(16), fixed: dirichlet},
		{cells: [3]int{16, 8, 24}},
		{cells: [3]int{16, 8, 8}, periodic: [3]bool{true, false, false}, stencil: kernels.TwentySevenPoint},
		{cells: cube(16), float32: true},
	} {
		opt := Options{Mixed: !p.float32}
		if n == 0 {
			opt.Cycle = FullMultigrid
		}
		if p.float32 {
			opt.Tolerance = 1e-4
		}
		var solved [2][]float64
		for lend := range 2 {
			s, u, f := p.solver(t, dev, opt)
			var room *stencil.Field
			if lend == 1 {
				room = newField(t, s.op)
				s.SetScratch(room)
			}
			smoothRightSide(f)
			buffer := u.Buffer
			dev.made, dev.means = 0, 0
			r := must[Result](t)(s.Solve(u, f, 0))
			if fused := opt.Mixed && lend == 1; (dev.made > 0) != fused {
				t.Errorf("%+v: %d corrections of a solver with room: %v", p, dev.made, fused)
			}
			if odd := dev.made%2 == 1; odd != (u.Buffer != buffer) || odd && room.Buffer != buffer {
				t.Errorf("%+v: u has another buffer after %d corrections", p, dev.made)
			}
			residual := newField(t, s.op)
			s.op.Residual(residual, f, u)
			if got := must[float64](t)(norm(residual)); !r.Converged || got > s.options.Tolerance*r.Reference*(1+1e-6) {
				t.Errorf("%+v: residual %g, reported %g, wanted %g", p, got, last(r), s.options.Tolerance*r.Reference)
			}
			solved[lend] = must[[]float64](t)(u.Download())
			if s.op.Singular() {
				if lend == 1 && dev.means > 0 {
					t.Errorf("%+v: the mean took passes of its own", p)
				}
				mean, most := meanAndMost(t, u)
				if limit := s.options.Tolerance * most; math.Abs(mean) > limit {
					t.Errorf("%+v: the mean is %g, of values up to %g", p, mean, most)
				}
				for n := range solved[lend] { // solutions differ by what is left of it
					solved[lend][n] -= mean
				}
			}
			s.Free()
		}
		for n, v := range solved[0] {
			if d := math.Abs(v - solved[1][n]); d > 1e-12 {
				t.Fatalf("%+v: node %d is %g and with room lent %g", p, n, v, solved[1][n])
			}
		}
	}
}

// A solve from zero on such a device does not read what the solution's field holds, with and without room, and ends as one whose first guess is written.
func TestZeroIsNotWritten(t *testing.T) {
	dev := must[*cuda.Device](t)(cuda.New(emulation.New(emulation.Options{})))
	t.Cleanup(func() { dev.Close() })
	for _, c := range []struct {
		problem
		opt   Options
		lend  bool
		small bool // the right side is zero
	}{
		{problem: problem{cells: cube(16), fixed: dirichlet}, opt: Options{Mixed: true}},
		{problem: problem{cells: cube(16), fixed: mixed}, opt: Options{Mixed: true, Cycle: FullMultigrid}, lend: true},
		{problem: problem{cells: [3]int{16, 8, 8}, periodic: [3]bool{true, false, false}, stencil: kernels.TwentySevenPoint}, opt: Options{Mixed: true}, lend: true},
		{problem: problem{cells: cube(8)}, opt: Options{Mixed: true, Method: ConjugateGradients}},
		{problem: problem{cells: cube(8), fixed: mixed}, opt: Options{Mixed: true}, small: true},
		{problem: problem{cells: cube(8), fixed: mixed, float32: true}, opt: Options{Tolerance: 1e-4}},
	} {
		var solved [2]Result
		var values [2][]float64
		for way := range 2 {
			s, u, f := c.solver(t, dev, c.opt)
			if c.lend {
				s.SetScratch(newField(t, s.op))
			}
			if !c.small {
				smoothRightSide(f)
			}
			var r Result
			if way == 0 {
				r = must[Result](t)(s.Solve(u, f, 0))
			} else {
				u.Fill(math.NaN())
				var err error
				if r, _, err = s.SolveFromZero(u, f, 0, 0, nil); err != nil {
					t.Fatal(err)
				}
			}
			r.Residuals = slices.Clone(r.Residuals)
			solved[way], values[way] = r, download(t, u)
			s.Free()
		}
		want, got := solved[0], solved[1]
		if got.Iterations != want.Iterations || len(got.Residuals) != len(want.Residuals) || math.Abs(last(got)-last(want)) > 1e-3*last(want) {
			t.Errorf("%+v: residuals %g, from a field of zeros %g", c, got.Residuals, want.Residuals)
		}
		for n, v := range values[0] {
			if d := math.Abs(v - values[1][n]); !(d <= 1e-6*math.Abs(v)+1e-12) {
				t.Fatalf("%+v: node %d is %g, from a field of zeros %g", c, n, values[1][n], v)
			}
		}
	}
}

// meanAndMost returns the mean by volume and the largest magnitude.
func meanAndMost(t *testing.T, u *stencil.Field) (mean, most float64) {
	u.Reduce(kernels.VolumeSum, nil, 0)
	u.Reduce(kernels.MaxAbs, nil, 1)
	v := must[[]float64](t)(u.Grid.Device.Scalars())
	return v[0] / u.Grid.Volume(), v[1]
}

// Right sides that no solution has are made consistent, and small ones are scaled before they are rounded to float32.
func TestFirstResidualRepairsTheRightSide(t *testing.T) {
	gpu := must[*cuda.Device](t)(cuda.New(emulation.New(emulation.Options{})))
	t.Cleanup(func() { gpu.Close() })
	s, u, f := problem{cells: cube(8)}.solver(t, gpu, Options{Mixed: true})
	smoothRightSide(f)
	values := must[[]float64](t)(f.Download())
	for n := range values {
		values[n] = 1e-60 * (values[n] + 1)
	}
	for range 2 { // the second time the scale is known
		f.Upload(values)
		u.Fill(0)
		if r := must[Result](t)(s.Solve(u, f, 0)); !r.Converged || last(r) > s.options.Tolerance*r.Reference || r.Iterations == 0 {
			t.Errorf("%d iterations to %g of %g", r.Iterations, last(r), r.Reference)
		}
		f.Reduce(kernels.Sum, nil, 0)
		f.Reduce(kernels.MaxAbs, nil, 1)
		v := must[[]float64](t)(gpu.Scalars())
		if math.Abs(v[0]) > 1e-12*v[1]*float64(s.op.Grid.Nodes()) {
			t.Errorf("the right side sums to %g, its largest value is %g", v[0], v[1])
		}
	}
}
