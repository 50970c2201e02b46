package mueller_test

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
	"convect/lab/mueller"
)

// On a GPU, where the scalars stay and the host follows an iteration behind, conjugate gradients go as on the processor: the same
// residuals to rounding, which grows from iteration to iteration, and the solution that the last of them is of. So does multigrid.
func TestSolversOnEmulatedGPU(t *testing.T) {
	for _, order := range orders() {
		own := problem(t, kernels.Float64, order, mueller.Standard(16, 20, false))
		d, err := cuda.New(emulation.New(emulation.Options{}))
		must(t, err)
		p, err := mueller.New(d, kernels.Float64, order, own.Parameters)
		must(t, err)
		t.Cleanup(func() {
			p.Free()
			must(t, d.Close())
		})
		var results [2][2]mueller.Result
		var solutions [2][2][]float64
		for n, q := range []*mueller.Problem{own, p} {
			u, f := field(t, q), field(t, q)
			q.Set(f, true, bump(q))
			m, err := q.NewMultigrid(2, 2)
			must(t, err)
			for s, solve := range []func(u, f kernels.Buffer, tolerance float64, most int) (mueller.Result, error){
				krylov(t, q, mueller.Interleaved).Solve, m.Solve,
			} {
				r, err := solve(u, f, 1e-5, 200)
				must(t, err)
				results[n][s], solutions[n][s] = r, values(t, q, u)
			}
			m.Free()
		}
		for s, want := range results[0] {
			got := results[1][s]
			if got.Iterations != want.Iterations || !got.Converged {
				t.Errorf("%v, solver %d: %d iterations on a GPU, %d on the processor", order, s, got.Iterations, want.Iterations)
				continue
			}
			for i, r := range want.Residuals[:min(20, len(want.Residuals))] {
				if math.Abs(got.Residuals[i]-r) > 1e-9*r {
					t.Errorf("%v, solver %d: residual %d is %v on a GPU, %v on the processor", order, s, i, got.Residuals[i], r)
				}
			}
			// An iteration more or less would change a solution by its residual, 1e-5.
			if e := distance(solutions[1][s], solutions[0][s]); e > 1e-8 {
				t.Errorf("%v, solver %d: the solutions are %g apart", order, s, e)
			}
		}
	}
}
