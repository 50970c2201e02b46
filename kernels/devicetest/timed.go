package devicetest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"convect/kernels"
)

// Fixture is a closed unit cube of even widths, bottom and top fixed, on a device, with arrays for every kernel of [TimedKernels].
type Fixture struct {
	kernels.Device
	Elem             kernels.Elem
	Box              kernels.Box
	X                [6]kernels.Buffer // fields
	Q                [3]kernels.Buffer
	Copied           kernels.Buffer // where the copy goes that kernels are compared with
	coarse           kernels.Box
	constant         *kernels.Elliptic
	variable, tensor *kernels.Elliptic   // one K for all directions, three
	faces            *kernels.Elliptic   // one, with what faces conduct where the device goes by it
	trilinear        [3]kernels.Elliptic // the three with 27 points
	coarseX          kernels.Buffer
	single           kernels.Buffer // a field of float32
}

// NewFixture makes a fixture of n nodes along each axis, whose arrays are freed when the test ends.
func NewFixture(tb testing.TB, d kernels.Device, e kernels.Elem, n int) *Fixture {
	tb.Helper()
	f := &Fixture{Device: d, Elem: e}
	width := Uniform(n-1, 1/float64(n-1))
	host := Operator{K: [3]float64{1, 1, 1}, MassScale: 1,
		Grid: NewGrid(e, [3][]float64{width, width, width}, [3]bool{})}
	host.Mask = NewMask(host.Box, func(p Node) bool { return p[2] > 0 && p[2] < n-1 })
	f.Box = host.Box
	f.coarse = kernels.NewBox([3]int{n/2 + 1, n/2 + 1, n/2 + 1}, false)
	f.constant = host.Upload(&Memory{TB: tb, Device: f.Device, Elem: e})
	alloc := func(length int, value float64) kernels.Buffer {
		b, err := f.Alloc(e, length)
		if err != nil {
			tb.Fatal(err)
		}
		f.Fill(kernels.FillArgs{X: b, Value: value})
		tb.Cleanup(func() { f.Free(b) })
		return b
	}
	noise := make([]float64, f.Box.Nodes())
	for i := range f.X {
		for n := range noise {
			noise[n] = 0.5 + rand.Float64()
		}
		f.X[i] = alloc(f.Box.Len, 0)
		f.UploadBox(f.X[i], f.Box, noise)
	}
	for i := range f.Q {
		f.Q[i] = alloc(f.Box.Len, 0.5-float64(i))
	}
	f.coarseX = alloc(f.coarse.Len, 1)
	f.Copied = alloc(f.Box.Len, 1)
	var err error
	if f.single, err = f.Alloc(kernels.Float32, f.Box.Len); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { f.Free(f.single) })
	v, w := *f.constant, *f.constant
	v.Cells = [3]kernels.Buffer{f.X[5], f.X[5], f.X[5]}
	w.Cells = [3]kernels.Buffer{f.X[5], f.X[4], f.X[3]}
	f.variable, f.tensor = &v, &w
	f.trilinear = [3]kernels.Elliptic{*f.constant, v, w}
	for k := range f.trilinear {
		f.trilinear[k].Stencil = kernels.TwentySevenPoint
	}
	g := v
	if d := (kernels.Optional{Device: f.Device}); d.Conducts(&g) {
		for axis := range g.Faces {
			if g.Faces[axis], err = f.Alloc(e, f.Box.Len); err != nil {
				tb.Fatal(err)
			}
			tb.Cleanup(func() { f.Free(g.Faces[axis]) })
		}
	}
	f.faces = &g
	f.conduct()
	return f
}

// conduct computes what faces conduct, where the device goes by it.
func (f *Fixture) conduct() {
	if f.faces.Faces[0] != nil {
		kernels.Optional{Device: f.Device}.Conductance(kernels.ConductanceArgs{A: f.variable, Out: f.faces.Faces})
	}
}

// Timed is one kernel and the words a node that it must move.
type Timed struct {
	Name  string
	Words float64
	Run   func(f *Fixture)
}

// TimedKernels returns the kernels that every device has, each with the kinds of coefficients that make a difference to it.
func TimedKernels() []Timed {
	return slices.Concat(operatorKernels(), levelKernels(), flowKernels(), vectorKernels())
}

// operatorKernels are those of the elliptic operator and of Darcy's law, with constant coefficients, one a cell (K) and three (K3).
func operatorKernels() []Timed {
	elliptic := func(f *Fixture, k int) *kernels.Elliptic {
		return []*kernels.Elliptic{f.constant, f.variable, f.tensor}[k]
	}
	var all []Timed
	for k, name := range []string{"", "K", "K3"} {
		extra := []float64{0, 1, 3}[k]
		all = append(all,
			Timed{"Smooth" + name, 3 + extra, func(f *Fixture) {
				f.Smooth(kernels.SmoothArgs{A: elliptic(f, k), Out: f.X[0], U: f.X[1], F: f.X[2], Omega: 0.9})
			}},
			Timed{"Apply" + name, 2 + extra, func(f *Fixture) {
				f.Apply(kernels.ApplyArgs{A: elliptic(f, k), Y: f.X[0], X: f.X[1]})
			}},
			Timed{"Residual" + name, 3 + extra, func(f *Fixture) {
				f.Residual(kernels.ResidualArgs{A: elliptic(f, k), R: f.X[0], U: f.X[1], F: f.X[2]})
			}},
			Timed{"ResidualSingle" + name, 2.5 + extra, func(f *Fixture) { // words of float64
				f.Residual(kernels.ResidualArgs{A: elliptic(f, k), R: f.single, U: f.X[1], F: f.X[2], Scale: 10})
			}},
			Timed{"Smooth27" + name, 3 + extra, func(f *Fixture) {
				f.Smooth(kernels.SmoothArgs{A: &f.trilinear[k], Out: f.X[0], U: f.X[1], F: f.X[2], Omega: 0.9})
			}},
			Timed{"Apply27" + name, 2 + extra, func(f *Fixture) {
				f.Apply(kernels.ApplyArgs{A: &f.trilinear[k], Y: f.X[0], X: f.X[1]})
			}},
			Timed{"Residual27" + name, 3 + extra, func(f *Fixture) {
				f.Residual(kernels.ResidualArgs{A: &f.trilinear[k], R: f.X[0], U: f.X[1], F: f.X[2]})
			}},
			Timed{"ResidualSingle27" + name, 2.5 + extra, func(f *Fixture) { // words of float64
				f.Residual(kernels.ResidualArgs{A: &f.trilinear[k], R: f.single, U: f.X[1], F: f.X[2], Scale: 10})
			}},
			Timed{"DarcyFlux27" + name, 5 + extra, func(f *Fixture) {
				f.DarcyFlux(kernels.DarcyFluxArgs{A: &f.trilinear[k], P: f.X[0], T: f.X[1], TMean: f.coarseX,
					Rayleigh: 10, Q: f.Q})
			}},
			Timed{"RedBlack" + name, 3 + extra, func(f *Fixture) {
				f.RedBlack(kernels.RedBlackArgs{A: elliptic(f, k), U: f.X[1], F: f.X[2], Omega: 1, Colour: 1})
			}},
			Timed{"LineSmooth" + name, 3 + extra, func(f *Fixture) {
				f.LineSmooth(kernels.LineSmoothArgs{A: elliptic(f, k), Out: f.X[0], U: f.X[1], F: f.X[2], Omega: 0.9})
			}},
			Timed{"DarcyFlux" + name, 5 + extra, func(f *Fixture) {
				f.DarcyFlux(kernels.DarcyFluxArgs{A: elliptic(f, k), P: f.X[0], T: f.X[1], TMean: f.coarseX,
					Rayleigh: 10, Q: f.Q})
			}},
			Timed{"BuoyancySource" + name, 2 + min(extra, 1), func(f *Fixture) {
				f.BuoyancySource(kernels.BuoyancySourceArgs{A: elliptic(f, k), T: f.X[1], TMean: f.coarseX, Rayleigh: 10,
					Q: f.Q, F: f.X[0]})
			}},
			Timed{"Dissipation" + name, 1 + extra, func(f *Fixture) {
				f.Dissipation(kernels.DissipationArgs{A: elliptic(f, k), T: f.X[1]})
			}},
			Timed{"HeatFlux" + name, 2 + min(extra, 1), func(f *Fixture) {
				f.HeatFlux(kernels.HeatFluxArgs{A: elliptic(f, k), Axis: 2, Q: f.Q[2], T: f.X[1], Scheme: kernels.TVD})
			}})
	}
	return all
}

// levelKernels are those of cells, transfers and cycles.
func levelKernels() []Timed {
	return []Timed{
		Timed{"Mobility", 2, func(f *Fixture) {
			f.Mobility(kernels.MobilityArgs{Box: f.Box, T: f.X[1], K: 1, Table: f.X[2], Entries: 1000, PerUnit: 500, Out: f.X[0]})
		}},
		Timed{"Tabulate", 3, func(f *Fixture) {
			f.Tabulate(kernels.TabulateArgs{Box: f.Box, X: f.X[1], Y: f.X[3], Table: f.X[2], Entries: 1024, Columns: 32, Rows: 32, PerX: 16, PerY: 16, Out: f.X[0]})
		}},
		Timed{"CoarsenCells", 1.125, func(f *Fixture) {
			f.CoarsenCells(kernels.CoarsenCellsArgs{Fine: f.Box, Coarse: f.coarse, Factor: [3]int{2, 2, 2}, H: f.constant.H,
				Axis: 2, FineK: f.X[5], CoarseK: f.coarseX})
		}},
		Timed{"Coupling", 1, func(f *Fixture) {
			f.Coupling(kernels.CouplingArgs{Box: f.Box, Axis: 2, RH: f.constant.RH[2], K: f.X[5]})
		}},
		Timed{"SmoothZero", 2, func(f *Fixture) {
			f.Smooth(kernels.SmoothArgs{A: f.constant, Out: f.X[0], F: f.X[2], Omega: 0.9})
		}},
		Timed{"MassUpdate", 3, func(f *Fixture) {
			f.MassUpdate(kernels.MassUpdateArgs{A: f.constant, U: f.X[0], R: f.X[1]})
		}},
		Timed{"Restrict", 1.125, func(f *Fixture) { f.Restrict(f.transfer()) }},
		Timed{"Prolong", 2.125, func(f *Fixture) { f.Prolong(f.transfer()) }},
		Timed{"ProlongCubic", 2.125, func(f *Fixture) { f.ProlongCubic(f.transfer()) }},
		Timed{"ProlongCubicReplaces", 1.125, func(f *Fixture) {
			args := f.transfer()
			args.Replaces = true
			f.ProlongCubic(args)
		}},
		Timed{"Inject", 0.25, func(f *Fixture) { f.Inject(f.transfer()) }},
		Timed{"Descend", 2.125, func(f *Fixture) { f.Descend(fromZero(f.cycle(f.constant))) }},
		Timed{"Ascend", 3.125, func(f *Fixture) { f.Ascend(f.cycle(f.constant)) }},
		Timed{"Descend27", 2.125, func(f *Fixture) { f.Descend(fromZero(f.cycle(&f.trilinear[0]))) }},
		Timed{"Ascend27", 3.125, func(f *Fixture) { f.Ascend(f.cycle(&f.trilinear[0])) }},
		Timed{"DescendK27", 3.125, func(f *Fixture) { f.Descend(fromZero(f.cycle(&f.trilinear[1]))) }},
		Timed{"DescendK", 3.125, func(f *Fixture) { f.Descend(fromZero(f.cycle(f.variable))) }},
		Timed{"AscendK", 4.125, func(f *Fixture) { f.Ascend(f.cycle(f.variable)) }},
		Timed{"Conductance", 4, func(f *Fixture) { f.conduct() }},
		Timed{"DescendFaces", 5.125, func(f *Fixture) { f.Descend(fromZero(f.cycle(f.faces))) }},
		Timed{"AscendFaces", 6.125, func(f *Fixture) { f.Ascend(f.cycle(f.faces)) }},
		Timed{"SmoothFaces", 6, func(f *Fixture) {
			f.Smooth(kernels.SmoothArgs{A: f.faces, Out: f.X[0], U: f.X[1], F: f.X[2], Omega: 0.9})
		}},
		Timed{"ResidualSingleFaces", 5.5, func(f *Fixture) { // words of float64
			f.Residual(kernels.ResidualArgs{A: f.faces, R: f.single, U: f.X[1], F: f.X[2], Scale: 10})
		}},
	}
}

// flowKernels are those of transport, of what the flow spreads and of walls.
func flowKernels() []Timed {
	return []Timed{
		Timed{"AdvectTVD", 5, func(f *Fixture) { f.advect(kernels.TVD) }},
		Timed{"AdvectWENO5", 5, func(f *Fixture) { f.advect(kernels.WENO5) }},
		Timed{"AdvectCentral", 5, func(f *Fixture) { f.advect(kernels.Central) }},
		Timed{"Dispersivity", 4, func(f *Fixture) {
			f.Dispersivity(kernels.DispersivityArgs{Box: f.Box, Q: f.Q, K: 1, Length: 0.02, Out: f.X[0]})
		}},
		Timed{"DisperseLimited", 6, func(f *Fixture) {
			f.Disperse(kernels.DisperseArgs{Box: f.Box, H: f.constant.H, RH: f.constant.RH, Q: f.Q, T: f.X[1], Longitudinal: 0.02, Transverse: 0.002,
				Form: kernels.SpreadLimited, Axis: 2, Out: f.X[0]})
		}},
		Timed{"NodeVelocity", 2, func(f *Fixture) {
			f.NodeVelocity(kernels.NodeVelocityArgs{Box: f.Box, Q: f.Q[2], Axis: 2, Out: f.X[0]})
		}},
		Timed{"FlowStatistics", 3, func(f *Fixture) {
			f.FlowStatistics(kernels.FlowStatisticsArgs{Box: f.Box, W: f.constant.W, Q: f.Q})
		}},
		Timed{"WallFlux", 0, func(f *Fixture) {
			f.WallFlux(kernels.WallFluxArgs{Box: f.Box, W: f.constant.W, Q: f.Q, Share: [6]kernels.Buffer{5: f.X[1]}})
		}},
		Timed{"WallSum", 0, func(f *Fixture) {
			f.WallSum(kernels.WallSumArgs{Box: f.Box, X: f.X[0], Side: kernels.Left, Weight: f.X[1]})
		}},
		Timed{"WallThrough", 0, func(f *Fixture) {
			f.WallThrough(kernels.WallThroughArgs{Box: f.Box, Q: f.Q[0], T: f.X[0], Side: kernels.Left, Weight: f.X[1]})
		}},
		Timed{"SetWall", 0, func(f *Fixture) {
			f.SetWall(kernels.SetWallArgs{Box: f.Box, X: f.X[0], Side: kernels.Left, Where: f.X[1], Value: f.X[2]})
		}},
	}
}

// vectorKernels are those of single fields.
func vectorKernels() []Timed {
	return []Timed{
		Timed{"Fill", 1, func(f *Fixture) { f.Fill(kernels.FillArgs{X: f.X[0], Value: 1}) }},
		Timed{"Copy", 2, func(f *Fixture) { f.Copy(kernels.CopyArgs{Dst: f.X[0], Src: f.X[1]}) }},
		Timed{"Combine3", 4, func(f *Fixture) {
			f.Combine(kernels.CombineArgs{Out: f.X[0], C: [4]float64{1, -2, 0.5}, X: [4]kernels.Buffer{f.X[1], f.X[2], f.X[3]}})
		}},
		Timed{"CombineInPlace", 3, func(f *Fixture) {
			f.Combine(kernels.CombineArgs{Out: f.X[0], C: [4]float64{1, -2}, X: [4]kernels.Buffer{f.X[0], f.X[1]}})
		}},
		Timed{"CombineSingle", 2.5, func(f *Fixture) { // words of float64
			f.Combine(kernels.CombineArgs{Out: f.X[0], C: [4]float64{1, 0.1}, X: [4]kernels.Buffer{f.X[0], f.single}})
		}},
		Timed{"Halo", 0, func(f *Fixture) {
			f.Halo(kernels.HaloArgs{Box: f.Box, X: f.X[0], Periodic: [3]bool{true, true, true}, Width: 1})
		}},
		Timed{"Dot", 2, func(f *Fixture) { f.reduce(kernels.Dot) }},
		Timed{"MaxDiff", 2, func(f *Fixture) { f.reduce(kernels.MaxDiff) }},
		Timed{"VolumeSum", 1, func(f *Fixture) { f.reduce(kernels.VolumeSum) }},
		Timed{"Finite", 1, func(f *Fixture) { f.reduce(kernels.Finite) }},
		Timed{"RemoveMean", 3, func(f *Fixture) {
			f.RemoveMean(kernels.RemoveMeanArgs{Box: f.Box, X: f.X[0], W: f.constant.W})
		}},
		Timed{"HorizontalMean", 1, func(f *Fixture) {
			f.HorizontalMean(kernels.HorizontalMeanArgs{Box: f.Box, X: f.X[0], W: f.constant.W, Out: f.coarseX})
		}},
	}
}

func (f *Fixture) transfer() kernels.TransferArgs {
	return kernels.TransferArgs{Fine: f.Box, Coarse: f.coarse, Factor: [3]int{2, 2, 2}, FineX: f.X[0], CoarseX: f.coarseX}
}

// cycle returns a level of a V(2,2) cycle.
func (f *Fixture) cycle(a *kernels.Elliptic) kernels.CycleArgs {
	return kernels.CycleArgs{A: a, Out: f.X[0], U: f.X[1], F: f.X[2], Omega: [kernels.MaxSweeps]float64{0.57, 1.2}, Sweeps: 2,
		Coarse: f.coarse, Factor: [3]int{2, 2, 2}, CoarseX: f.coarseX}
}

// fromZero drops the first guess.
func fromZero(a kernels.CycleArgs) kernels.CycleArgs {
	a.U = nil
	return a
}

func (f *Fixture) advect(s kernels.Scheme) {
	f.Advect(kernels.AdvectArgs{Box: f.Box, W: f.constant.W, Q: f.Q, T: f.X[1], Scheme: s, Out: f.X[0]})
}

func (f *Fixture) reduce(kind kernels.Reduction) {
	f.Reduce(kernels.ReduceArgs{Kind: kind, Box: f.Box, X: f.X[0], Y: f.X[1], W: f.constant.W})
}
