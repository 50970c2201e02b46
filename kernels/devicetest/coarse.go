package devicetest

import (
	"math"
	"math/rand/v2"
	"testing"

	"convect/kernels"
)

// RunCoarseMean checks, on right sides that are always the same, that a constant in the right side of a singular coarse problem changes
// nothing. To take the mean of F from every node leaves its rounding, the same at each: as a sum not small beside the residual that is asked for, and
// beyond what any correction can change, so that conjugate gradients may blow it up.
func RunCoarseMean(t *testing.T, device kernels.Device) {
	t.Helper()
	n := [3]int{33, 5, 12}
	grid := NewGrid(kernels.Float64, [3][]float64{Uniform(n[0], 1), Uniform(n[1], 1), Uniform(n[2], 1)}, [3]bool{true, true, true})
	least := 4 * math.Pow(math.Sin(math.Pi/float64(n[0])), 2) // eigenvalue of both stencils: the longest wave
	const rows = 12                                           // Σ |A_mn| at most
	for _, points := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
		for seed := range uint64(2) {
			solve := func(constant float64) (f, u Field) {
				random, f := rand.New(rand.NewPCG(seed, 0)), NewField(grid.Box)
				EachNode(grid.Box, func(at Node) { f.Set(at, constant+random.NormFloat64()) })
				return f, coarseSolution(t, device, grid, points, f)
			}
			_, without := solve(0)
			f, with := solve(1)
			difference, size := 0.0, 0.0 // their squares
			EachNode(grid.Box, func(at Node) {
				difference += math.Pow(with.At(at)-without.At(at), 2)
				size += math.Pow(math.Abs(f.At(at))+rows*math.Abs(without.At(at)), 2)
			})
			// Each leaves a residual of at most 16 roundings, and differs from the solution by that over the least eigenvalue.
			if bound := 2 * 16 * kernels.Float64.Epsilon() * math.Sqrt(size) / least; !(math.Sqrt(difference) <= bound) {
				t.Errorf("%d points, right side %d: a constant changes the solution by %.2g, want at most %.2g", points.Points(), seed, math.Sqrt(difference), bound)
			}
		}
	}
}

// coarseSolution solves a singular problem that is periodic along all axes.
func coarseSolution(t *testing.T, device kernels.Device, grid *Grid, points kernels.Stencil, f Field) Field {
	t.Helper()
	m := &Memory{TB: t, Device: device, Elem: kernels.Float64}
	o := Operator{Grid: grid, Stencil: points, K: [3]float64{1, 1, 1}}
	u := NewField(grid.Box)
	args := kernels.SolveCoarseArgs{A: o.Upload(m), Singular: true, Periodic: [3]bool{true, true, true}, F: m.Floats(f.V), U: m.Floats(u.V)}
	for i := range args.Work {
		args.Work[i] = m.Floats(u.V)
	}
	device.SolveCoarse(args)
	if err := device.Download(u.V, args.U); err != nil {
		t.Fatal(err)
	}
	return u
}
