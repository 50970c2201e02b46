package physics

import (
	"context"
	"fmt"
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
	"convect/multigrid"
	"convect/stencil"
)

// openDevice opens the CPU with a number of threads (0: all) until the test ends.
func openDevice(t testing.TB, threads int) kernels.Device {
	t.Helper()
	dev, err := cpu.New(cpu.Options{Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// simulate makes a simulation that is freed when the test ends.
func simulate(t testing.TB, dev kernels.Device, p Parameters, c Controls) *Simulation {
	t.Helper()
	s, err := New(dev, p, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Free)
	return s
}

// run runs a simulation to its end.
func run(t testing.TB, s *Simulation, observers ...Observer) Outcome {
	t.Helper()
	outcome, err := s.Run(context.Background(), observers...)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

// observe is an Observer made of a function.
type observe func(s *Simulation, e Event) error

func (f observe) Observe(s *Simulation, e Event) error { return f(s, e) }

// plane and cube are the extents of n cells along each axis of a unit square (x–z) and cube.
func plane(n int) stencil.Extent {
	return stencil.Extent{Cells: [3]int{n, 0, n}, Size: [3]float64{1, 0, 1}}
}

func cube(n int) stencil.Extent {
	return stencil.Extent{Cells: [3]int{n, n, n}, Size: [3]float64{1, 1, 1}}
}

// graded returns an extent with widths that differ along all axes, by a factor of 5 along z.
func graded(e stencil.Extent) stencil.Extent {
	e.Grading = [3]stencil.Grading{{Cluster: stencil.ClusterBoth, Ratio: 3}, {Cluster: stencil.ClusterBoth, Ratio: 2}, {Cluster: stencil.ClusterLow, Ratio: 5}}
	return e
}

// bothStencils are the discretisations that every test of a whole model is made with.
var bothStencils = [2]kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint}

// stencilName is the value of solver.stencil.
func stencilName(s kernels.Stencil) string { return fmt.Sprintf("%d points", s.Points()) }

// withPoints27 returns the parameters with the 27-point stencil.
func withPoints27(p Parameters) Parameters {
	p.Stencil = kernels.TwentySevenPoint
	return p
}

// heated is a closed box heated from below with insulated sides: the Horton–Rogers–Lapwood problem, central transport.
func heated(e stencil.Extent, rayleigh float64) Parameters {
	p := Parameters{Extent: e, Rayleigh: rayleigh, Permeability: Uniform(1), HeatCapacityRatio: Uniform(1), Diffusivity: Uniform(1),
		Transport: kernels.Central, Precision: kernels.Float64,
		Pressure:  multigrid.Options{Tolerance: 1e-10},
		Diffusion: multigrid.Options{Tolerance: 1e-10},
		Initial:   Initial{Conduction: true}}
	p.Walls[kernels.Bottom] = Wall{Heat: FixedTemperature, HeatValue: Constant(1)}
	p.Walls[kernels.Top] = Wall{Heat: FixedTemperature, HeatValue: Constant(0)}
	return p
}

// cells returns a material with the values of one function per direction at the cell centres.
func cells(e stencil.Extent, f [3]func(x [3]float64) float64) Material {
	n := e.Cells
	n[kernels.Y] = max(n[kernels.Y], 1)
	centres := [3][]float64{e.Centres(0), e.Centres(1), e.Centres(2)}
	var m Material
	for d := range 3 {
		m.Cells[d] = make([]float64, n[0]*n[1]*n[2])
		for c := range m.Cells[d] {
			ijk := [3]int{c % n[0], c / n[0] % n[1], c / (n[0] * n[1])}
			m.Cells[d][c] = f[d]([3]float64{centres[0][ijk[0]], centres[1][ijk[1]], centres[2][ijk[2]]})
		}
	}
	return m
}

// isotropicCells is cells with the same function along all directions.
func isotropicCells(e stencil.Extent, f func(x [3]float64) float64) Material {
	return cells(e, [3]func(x [3]float64) float64{f, f, f})
}

// faces holds the normal velocities on all dual faces of an axis: between nodes i-1 and i at index i, 0 <= i <= N,
// so that wall faces (or both copies of the periodic one) come first and last.
type faces struct {
	grid   *stencil.Grid
	axis   int
	shape  [3]int // of values, x fastest
	values []float64
}

// downloadFaces returns the velocities of one axis.
func downloadFaces(t testing.TB, s *Simulation, axis int) *faces {
	t.Helper()
	g := s.Grid()
	f := &faces{grid: g, axis: axis, shape: g.Box.N}
	f.shape[axis]++
	f.values = make([]float64, f.shape[0]*f.shape[1]*f.shape[2])
	raw := make([]float64, g.Box.Len)
	if err := g.Device.Download(raw, s.model.flow.Velocities()[axis].Buffer); err != nil {
		t.Fatal(err)
	}
	for n := range f.values {
		ijk := [3]int{n % f.shape[0], n / f.shape[0] % f.shape[1], n / (f.shape[0] * f.shape[1])}
		ijk[axis]--
		f.values[n] = raw[g.Box.Index(ijk[0], ijk[1], ijk[2])]
	}
	return f
}

// at returns the face below node (i,j,k) along the axis.
func (f *faces) at(i, j, k int) float64 { return f.values[i+f.shape[0]*(j+f.shape[1]*k)] }

// imbalances returns for every node the volume that flows out of its dual volume per time.
func imbalances(t testing.TB, s *Simulation) []float64 {
	t.Helper()
	g := s.Grid()
	out := make([]float64, g.Nodes())
	for d := range 3 {
		if g.Cells[d] == 0 {
			continue
		}
		q := downloadFaces(t, s, d)
		eachNode(g, func(n int, ijk [3]int) {
			area := 1.0
			for a := range 3 {
				if a != d {
					area *= g.DualWidth(a, ijk[a])
				}
			}
			up := ijk
			up[d]++
			out[n] += area * (q.at(up[0], up[1], up[2]) - q.at(ijk[0], ijk[1], ijk[2]))
		})
	}
	return out
}

// eachNode calls f with the position of every node in a host array and its indices.
func eachNode(g *stencil.Grid, f func(n int, ijk [3]int)) {
	nodes := g.Box.N
	for n := range g.Nodes() {
		f(n, [3]int{n % nodes[0], n / nodes[0] % nodes[1], n / (nodes[0] * nodes[1])})
	}
}

// nodeVolume returns the dual volume of a node.
func nodeVolume(g *stencil.Grid, ijk [3]int) float64 {
	return g.DualWidth(0, ijk[0]) * g.DualWidth(1, ijk[1]) * g.DualWidth(2, ijk[2])
}

// download returns a quantity of a simulation.
func download(t testing.TB, s *Simulation, name string) []float64 {
	t.Helper()
	v, err := s.Download(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// norm is the Euclidean norm.
func norm(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum)
}

// within fails the test unless got is want to a relative tolerance.
func within(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s: %.8g, want %.8g within %g %%: off by %.3g %%", what, got, want, 100*tolerance, 100*(got/want-1))
	}
}

// sameFrom wants the state of a whole run, to the bit, from one that goes on from its own state at a step.
func sameFrom(t *testing.T, dev kernels.Device, p Parameters, c Controls, at int64, whole *Simulation) {
	t.Helper()
	first := simulate(t, dev, p, c)
	runTo(t, first, at)
	state, err := first.State()
	if err != nil {
		t.Fatal(err)
	}
	second, err := Resume(dev, p, c, state)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(second.Free)
	run(t, second)
	sameState(t, second, whole)
}

// emulatedGPU opens an emulated GPU.
func emulatedGPU(t *testing.T) *cuda.Device {
	t.Helper()
	gpu, err := cuda.New(emulation.New(emulation.Options{}))
	must(t, err)
	t.Cleanup(func() { gpu.Close() })
	return gpu
}
