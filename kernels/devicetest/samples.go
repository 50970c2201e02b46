package devicetest

import (
	"slices"

	"convect/kernels"
)

// sample is a valid call of a kernel, and the paths of the buffers in its arguments that it cannot do without.
type sample struct {
	kernel string
	paths  []string
	slots  int // reduction slots from args.Slot on
	args   func(b *bench) any
}

// declared is a sample of a kernel whose declaration tells what it does with its arrays of nodes: the paths of those that it writes, of those whose
// values are lost, and what it reads.
type declared struct {
	sample
	written []reach
	lost    []string
	read    []reach
}

// reach is how far a kernel reads an array: so many layers around the nodes of a box, named by their paths.
type reach struct {
	array, box string
	layers     int
}

// samples returns a call of every kernel but Fill, which takes any buffer of floats.
func samples() []sample {
	var all []sample
	for _, d := range declaredSamples() {
		all = append(all, d.sample)
	}
	return slices.Concat(all, vectorSamples(), solverSamples(), correctSamples(), conjugateSamples(), darcySamples(), conserveMeasuredSamples())
}

// sampleGrid is small and has all three axes.
func (b *bench) sampleGrid() *Grid { return b.grid(setting{n: [3]int{5, 4, 3}}) }

// sampleGridOf has so many nodes.
func (b *bench) sampleGridOf(n [3]int, flat bool) *Grid { return b.grid(setting{n: n, flat: flat}) }

// sampleWalls returns wall arrays for all sides of a box.
func (b *bench) sampleWalls(box kernels.Box) (w [6]kernels.Buffer) {
	for side := range w {
		w[side] = b.Floats(make([]float64, box.WallNodes(kernels.Side(side))))
	}
	return w
}

// sampleFaces returns an array for the faces of each axis that a box has.
func (b *bench) sampleFaces(box kernels.Box) (q [3]kernels.Buffer) {
	for axis := range q {
		if axis != kernels.Y || !box.Flat() {
			q[axis] = b.put(b.noise(box)).Buffer
		}
	}
	return q
}

// sampleOperator has a buffer in every place.
func (b *bench) sampleOperator() *kernels.Elliptic {
	return b.operator(setting{n: [3]int{5, 4, 3}, cells: "three", mass: "buffer", mask: "walls"}).Upload(&b.Memory)
}

// x returns a buffer laid out by the sample box.
func (b *bench) x() kernels.Buffer { return b.put(b.noise(b.sampleGrid().Box)).Buffer }

func vectorSamples() []sample {
	return []sample{
		{"Copy", []string{"Dst"}, 0, func(b *bench) any { return kernels.CopyArgs{Dst: b.x(), Src: b.x()} }},
		{"Combine", []string{"Out", "X.0", "X.3"}, 0, func(b *bench) any {
			return kernels.CombineArgs{Out: b.x(), C: [4]float64{1, 1, 1, 1}, X: [4]kernels.Buffer{b.x(), b.x(), b.x(), b.x()}}
		}},
		{"Reduce", []string{"X", "Y", "W.0", "W.1", "W.2", "Mask.Index", "Mask.Table"}, 1, func(b *bench) any {
			g := b.sampleGrid()
			return kernels.ReduceArgs{
				Kind: kernels.VolumeDot, Box: g.Box, X: b.x(), Y: b.x(), W: b.Axes(g.W), Mask: b.sampleOperator().Mask,
			}
		}},
		{"RemoveMean", []string{"X", "W.0", "W.1", "W.2"}, 0, func(b *bench) any {
			g := b.sampleGrid()
			return kernels.RemoveMeanArgs{Box: g.Box, X: b.x(), W: b.Axes(g.W)}
		}},
		{"HorizontalMean", []string{"X", "W.0", "W.1", "Out"}, 0, func(b *bench) any {
			g := b.sampleGrid()
			return kernels.HorizontalMeanArgs{Box: g.Box, X: b.x(), W: b.Axes(g.W), Out: b.Floats(make([]float64, g.Box.N[2]))}
		}},
	}
}

// elliptic returns paths with those of the buffers of A that every use of the operator needs.
func elliptic(paths ...string) []string {
	return append(paths, "A.H.0", "A.H.1", "A.H.2", "A.RH.0", "A.RH.1", "A.RH.2", "A.Cells.0", "A.Cells.1", "A.Cells.2")
}

// masked returns paths with those of A's mass and mask.
func masked(paths ...string) []string {
	return append(paths, "A.Mass", "A.Mask.Index", "A.Mask.Table")
}

func solverSamples() []sample {
	transfer := func(b *bench) any {
		coarse, fine := setting{n: [3]int{3, 2, 2}, mask: "walls"}, setting{n: [3]int{5, 3, 3}}
		g := b.grid(fine)
		return kernels.TransferArgs{
			Fine: g.Box, Coarse: b.grid(coarse).Box, Factor: [3]int{2, 2, 2},
			FineX: b.put(b.noise(g.Box)).Buffer, CoarseX: b.put(b.noise(b.grid(coarse).Box)).Buffer,
			Mask: b.mask(coarse).Upload(&b.Memory),
		}
	}
	level := func(b *bench) kernels.CycleArgs {
		o := b.sampleOperator()
		c := setting{n: [3]int{3, 4, 2}, mask: "walls"}
		box := b.grid(c).Box
		return kernels.CycleArgs{A: o, Out: b.x(), U: b.x(), F: b.x(), Omega: weights, Sweeps: 2, Coarse: box,
			Factor: [3]int{2, 1, 2}, CoarseX: b.put(b.noise(box)).Buffer, CoarseMask: b.mask(c).Upload(&b.Memory)}
	}
	return []sample{
		{"Restrict", []string{"FineX", "CoarseX", "Mask.Index", "Mask.Table"}, 0, transfer},
		{"Prolong", []string{"FineX", "CoarseX"}, 0, func(b *bench) any {
			args := transfer(b).(kernels.TransferArgs)
			args.Mask = nil
			return args
		}},
		{"ProlongCubic", []string{"FineX", "CoarseX"}, 0, func(b *bench) any {
			args := transfer(b).(kernels.TransferArgs)
			args.Mask = nil
			return args
		}},
		{"Inject", []string{"FineX", "CoarseX"}, 0, transfer},
		{"Descend", elliptic(masked("Out", "U", "F", "CoarseX", "CoarseMask.Index", "CoarseMask.Table")...), 0, func(b *bench) any {
			return level(b)
		}},
		{"Ascend", elliptic(masked("Out", "U", "F", "CoarseX")...), 0, func(b *bench) any { return level(b) }},
	}
}

func darcySamples() []sample {
	q := func(b *bench) [3]kernels.Buffer { return [3]kernels.Buffer{b.x(), b.x(), b.x()} }
	return []sample{
		{"AdvectMeasured", elliptic("W.0", "Q.0", "Q.1", "Q.2", "T", "Inflow.1", "Out", "Flow.P", "Flow.T", "Flow.TMean", "Flow.A.W.2"), kernels.MeasuredSlots, func(b *bench) any {
			g := b.sampleGrid()
			a := kernels.AdvectMeasuredArgs{A: b.sampleOperator(), Axis: 2, Enclosed: true, AdvectArgs: kernels.AdvectArgs{Box: g.Box,
				W: b.Axes(g.W), Q: q(b), T: b.x(), Inflow: b.sampleWalls(g.Box), Out: b.x()}}
			a.Flow = kernels.DarcyFluxArgs{A: b.sampleOperator(), P: b.x(), T: b.x(), TMean: b.Floats(make([]float64, g.Box.N[2])), Q: a.Q}
			return a
		}},
	}
}
