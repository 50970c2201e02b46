package cpu_test

import (
	"math/rand/v2"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/devicetest"
)

// open returns a device that is closed when the test ends.
func open(tb testing.TB, opts cpu.Options) *cpu.Device {
	tb.Helper()
	d, err := cpu.New(opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := d.Close(); err != nil {
			tb.Error(err)
		}
	})
	return d
}

// fixture is a device with a closed unit cube on it.
type fixture struct {
	*cpu.Device
	elem             kernels.Elem
	box, coarse      kernels.Box
	constant         *kernels.Elliptic
	variable, tensor *kernels.Elliptic   // one K for all directions, three
	trilinear        [3]kernels.Elliptic // the three with 27 points
	x                [6]kernels.Buffer   // fields
	q                [3]kernels.Buffer
	coarseX          kernels.Buffer
	single           kernels.Buffer // a field of float32
	copied           kernels.Buffer // where the copy goes that kernels are compared with
}

func newFixture(tb testing.TB, e kernels.Elem, n int, opts cpu.Options) *fixture {
	f := &fixture{Device: open(tb, opts), elem: e}
	width := devicetest.Uniform(n-1, 1/float64(n-1))
	host := devicetest.Operator{K: [3]float64{1, 1, 1}, MassScale: 1,
		Grid: devicetest.NewGrid(e, [3][]float64{width, width, width}, [3]bool{})}
	host.Mask = devicetest.NewMask(host.Box, func(p devicetest.Node) bool { return p[2] > 0 && p[2] < n-1 })
	f.box = host.Box
	f.coarse = kernels.NewBox([3]int{n/2 + 1, n/2 + 1, n/2 + 1}, false)
	f.constant = host.Upload(&devicetest.Memory{TB: tb, Device: f.Device, Elem: e})
	alloc := func(length int, value float64) kernels.Buffer {
		b, err := f.Alloc(e, length)
		if err != nil {
			tb.Fatal(err)
		}
		f.Fill(kernels.FillArgs{X: b, Value: value})
		tb.Cleanup(func() { f.Free(b) })
		return b
	}
	noise := make([]float64, f.box.Nodes())
	for i := range f.x {
		for n := range noise {
			noise[n] = 0.5 + rand.Float64()
		}
		f.x[i] = alloc(f.box.Len, 0)
		f.UploadBox(f.x[i], f.box, noise)
	}
	for i := range f.q {
		f.q[i] = alloc(f.box.Len, 0.5-float64(i))
	}
	f.coarseX = alloc(f.coarse.Len, 1)
	f.copied = alloc(f.box.Len, 1)
	var err error
	if f.single, err = f.Alloc(kernels.Float32, f.box.Len); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { f.Free(f.single) })
	v, w := *f.constant, *f.constant
	v.Cells = [3]kernels.Buffer{f.x[5], f.x[5], f.x[5]}
	w.Cells = [3]kernels.Buffer{f.x[5], f.x[4], f.x[3]}
	f.variable, f.tensor = &v, &w
	f.trilinear = [3]kernels.Elliptic{*f.constant, v, w}
	for k := range f.trilinear {
		f.trilinear[k].Stencil = kernels.TwentySevenPoint
	}
	return f
}

// timed is one kernel and the words a node that it must move.
type timed struct {
	name  string
	words float64
	run   func(f *fixture)
}

func timedKernels() []timed {
	elliptic := func(f *fixture, k int) *kernels.Elliptic {
		return []*kernels.Elliptic{f.constant, f.variable, f.tensor}[k]
	}
	var all []timed
	for k, name := range []string{"", "K", "K3"} {
		extra := []float64{0, 1, 3}[k]
		all = append(all,
			timed{"Smooth" + name, 3 + extra, func(f *fixture) {
				f.Smooth(kernels.SmoothArgs{A: elliptic(f, k), Out: f.x[0], U: f.x[1], F: f.x[2], Omega: 0.9})
			}},
			timed{"Apply" + name, 2 + extra, func(f *fixture) {
				f.Apply(kernels.ApplyArgs{A: elliptic(f, k), Y: f.x[0], X: f.x[1]})
			}},
			timed{"Residual" + name, 3 + extra, func(f *fixture) {
				f.Residual(kernels.ResidualArgs{A: elliptic(f, k), R: f.x[0], U: f.x[1], F: f.x[2]})
			}},
			timed{"ResidualSingle" + name, 2.5 + extra, func(f *fixture) { // words of float64
				f.Residual(kernels.ResidualArgs{A: elliptic(f, k), R: f.single, U: f.x[1], F: f.x[2], Scale: 10})
			}},
			timed{"Smooth27" + name, 3 + extra, func(f *fixture) {
				f.Smooth(kernels.SmoothArgs{A: &f.trilinear[k], Out: f.x[0], U: f.x[1], F: f.x[2], Omega: 0.9})
			}},
			timed{"Apply27" + name, 2 + extra, func(f *fixture) {
				f.Apply(kernels.ApplyArgs{A: &f.trilinear[k], Y: f.x[0], X: f.x[1]})
			}},
			timed{"Residual27" + name, 3 + extra, func(f *fixture) {
				f.Residual(kernels.ResidualArgs{A: &f.trilinear[k], R: f.x[0], U: f.x[1], F: f.x[2]})
			}},
			timed{"ResidualSingle27" + name, 2.5 + extra, func(f *fixture) { // words of float64
				f.Residual(kernels.ResidualArgs{A: &f.trilinear[k], R: f.single, U: f.x[1], F: f.x[2], Scale: 10})
			}},
			timed{"DarcyFlux27" + name, 5 + extra, func(f *fixture) {
				f.DarcyFlux(kernels.DarcyFluxArgs{A: &f.trilinear[k], P: f.x[0], T: f.x[1], TMean: f.coarseX,
					Rayleigh: 10, Q: f.q})
			}},
			timed{"RedBlack" + name, 3 + extra, func(f *fixture) {
				f.RedBlack(kernels.RedBlackArgs{A: elliptic(f, k), U: f.x[1], F: f.x[2], Omega: 1, Colour: 1})
			}},
			timed{"LineSmooth" + name, 3 + extra, func(f *fixture) {
				f.LineSmooth(kernels.LineSmoothArgs{A: elliptic(f, k), Out: f.x[0], U: f.x[1], F: f.x[2], Omega: 0.9})
			}},
			timed{"HierarchicalSmooth" + name, 3 + extra, func(f *fixture) {
				a := kernels.HierarchicalSmoothArgs{A: elliptic(f, k), Out: f.x[0], U: f.x[1], F: f.x[2], Sweeps: 4, Tile: [2]int{7, 9}, Margin: 2}
				copy(a.Omega[:], []float64{0.57, 1.2, 0.9, 0.75})
				f.HierarchicalSmooth(a)
			}},
			timed{"DarcyFlux" + name, 5 + extra, func(f *fixture) {
				f.DarcyFlux(kernels.DarcyFluxArgs{A: elliptic(f, k), P: f.x[0], T: f.x[1], TMean: f.coarseX,
					Rayleigh: 10, Q: f.q})
			}},
			timed{"BuoyancySource" + name, 2 + min(extra, 1), func(f *fixture) {
				f.BuoyancySource(kernels.BuoyancySourceArgs{A: elliptic(f, k), T: f.x[1], TMean: f.coarseX, Rayleigh: 10,
					Q: f.q, F: f.x[0]})
			}},
			timed{"Dissipation" + name, 1 + extra, func(f *fixture) {
				f.Dissipation(kernels.DissipationArgs{A: elliptic(f, k), T: f.x[1]})
			}},
			timed{"HeatFlux" + name, 2 + min(extra, 1), func(f *fixture) {
				f.HeatFlux(kernels.HeatFluxArgs{A: elliptic(f, k), Axis: 2, Q: f.q[2], T: f.x[1], Scheme: kernels.TVD})
			}})
	}
	all = append(all, publishedKernels()...)
	return append(all,
		timed{"Mobility", 2, func(f *fixture) {
			f.Mobility(kernels.MobilityArgs{Box: f.box, T: f.x[1], K: 1, Table: f.x[2], Entries: 1000, PerUnit: 500, Out: f.x[0]})
		}},
		timed{"CoarsenCells", 1.125, func(f *fixture) {
			f.CoarsenCells(kernels.CoarsenCellsArgs{Fine: f.box, Coarse: f.coarse, Factor: [3]int{2, 2, 2}, H: f.constant.H,
				Axis: 2, FineK: f.x[5], CoarseK: f.coarseX})
		}},
		timed{"Coupling", 1, func(f *fixture) {
			f.Coupling(kernels.CouplingArgs{Box: f.box, Axis: 2, RH: f.constant.RH[2], K: f.x[5]})
		}},
		timed{"SmoothZero", 2, func(f *fixture) {
			f.Smooth(kernels.SmoothArgs{A: f.constant, Out: f.x[0], F: f.x[2], Omega: 0.9})
		}},
		timed{"MassUpdate", 3, func(f *fixture) {
			f.MassUpdate(kernels.MassUpdateArgs{A: f.constant, U: f.x[0], R: f.x[1]})
		}},
		timed{"Restrict", 1.125, func(f *fixture) { f.Restrict(f.transfer()) }},
		timed{"Prolong", 2.125, func(f *fixture) { f.Prolong(f.transfer()) }},
		timed{"ProlongCubic", 2.125, func(f *fixture) { f.ProlongCubic(f.transfer()) }},
		timed{"Inject", 0.25, func(f *fixture) { f.Inject(f.transfer()) }},
		timed{"Descend", 2.125, func(f *fixture) { f.Descend(fromZero(f.cycle(f.constant))) }},
		timed{"Ascend", 3.125, func(f *fixture) { f.Ascend(f.cycle(f.constant)) }},
		timed{"Descend27", 2.125, func(f *fixture) { f.Descend(fromZero(f.cycle(&f.trilinear[0]))) }},
		timed{"Ascend27", 3.125, func(f *fixture) { f.Ascend(f.cycle(&f.trilinear[0])) }},
		timed{"DescendK27", 3.125, func(f *fixture) { f.Descend(fromZero(f.cycle(&f.trilinear[1]))) }},
		timed{"DescendK", 3.125, func(f *fixture) { f.Descend(fromZero(f.cycle(f.variable))) }},
		timed{"AscendK", 4.125, func(f *fixture) { f.Ascend(f.cycle(f.variable)) }},
		timed{"AdvectTVD", 5, func(f *fixture) { f.advect(kernels.TVD) }},
		timed{"AdvectWENO5", 5, func(f *fixture) { f.advect(kernels.WENO5) }},
		timed{"AdvectCentral", 5, func(f *fixture) { f.advect(kernels.Central) }},
		timed{"NodeVelocity", 2, func(f *fixture) {
			f.NodeVelocity(kernels.NodeVelocityArgs{Box: f.box, Q: f.q[2], Axis: 2, Out: f.x[0]})
		}},
		timed{"FlowStatistics", 3, func(f *fixture) {
			f.FlowStatistics(kernels.FlowStatisticsArgs{Box: f.box, W: f.constant.W, Q: f.q})
		}},
		timed{"WallFlux", 0, func(f *fixture) {
			f.WallFlux(kernels.WallFluxArgs{Box: f.box, W: f.constant.W, Q: f.q, Share: [6]kernels.Buffer{5: f.x[1]}})
		}},
		timed{"WallSum", 0, func(f *fixture) {
			f.WallSum(kernels.WallSumArgs{Box: f.box, X: f.x[0], Side: kernels.Left, Weight: f.x[1]})
		}},
		timed{"SetWall", 0, func(f *fixture) {
			f.SetWall(kernels.SetWallArgs{Box: f.box, X: f.x[0], Side: kernels.Left, Where: f.x[1], Value: f.x[2]})
		}},
		timed{"Fill", 1, func(f *fixture) { f.Fill(kernels.FillArgs{X: f.x[0], Value: 1}) }},
		timed{"Copy", 2, func(f *fixture) { f.Copy(kernels.CopyArgs{Dst: f.x[0], Src: f.x[1]}) }},
		timed{"Combine3", 4, func(f *fixture) {
			f.Combine(kernels.CombineArgs{Out: f.x[0], C: [4]float64{1, -2, 0.5}, X: [4]kernels.Buffer{f.x[1], f.x[2], f.x[3]}})
		}},
		timed{"CombineInPlace", 3, func(f *fixture) {
			f.Combine(kernels.CombineArgs{Out: f.x[0], C: [4]float64{1, -2}, X: [4]kernels.Buffer{f.x[0], f.x[1]}})
		}},
		timed{"CombineSingle", 2.5, func(f *fixture) { // words of float64
			f.Combine(kernels.CombineArgs{Out: f.x[0], C: [4]float64{1, 0.1}, X: [4]kernels.Buffer{f.x[0], f.single}})
		}},
		timed{"Halo", 0, func(f *fixture) {
			f.Halo(kernels.HaloArgs{Box: f.box, X: f.x[0], Periodic: [3]bool{true, true, true}, Width: 1})
		}},
		timed{"Dot", 2, func(f *fixture) { f.reduce(kernels.Dot) }},
		timed{"MaxDiff", 2, func(f *fixture) { f.reduce(kernels.MaxDiff) }},
		timed{"VolumeSum", 1, func(f *fixture) { f.reduce(kernels.VolumeSum) }},
		timed{"Finite", 1, func(f *fixture) { f.reduce(kernels.Finite) }},
		timed{"RemoveMean", 3, func(f *fixture) {
			f.RemoveMean(kernels.RemoveMeanArgs{Box: f.box, X: f.x[0], W: f.constant.W})
		}},
		timed{"HorizontalMean", 1, func(f *fixture) {
			f.HorizontalMean(kernels.HorizontalMeanArgs{Box: f.box, X: f.x[0], W: f.constant.W, Out: f.coarseX})
		}})
}

func (f *fixture) transfer() kernels.TransferArgs {
	return kernels.TransferArgs{Fine: f.box, Coarse: f.coarse, Factor: [3]int{2, 2, 2}, FineX: f.x[0], CoarseX: f.coarseX}
}

// cycle returns a level of a V(2,2) cycle.
func (f *fixture) cycle(a *kernels.Elliptic) kernels.CycleArgs {
	return kernels.CycleArgs{A: a, Out: f.x[0], U: f.x[1], F: f.x[2], Omega: [kernels.MaxSweeps]float64{0.57, 1.2}, Sweeps: 2,
		Coarse: f.coarse, Factor: [3]int{2, 2, 2}, CoarseX: f.coarseX}
}

// fromZero drops the first guess.
func fromZero(a kernels.CycleArgs) kernels.CycleArgs {
	a.U = nil
	return a
}

func (f *fixture) advect(s kernels.Scheme) {
	f.Advect(kernels.AdvectArgs{Box: f.box, W: f.constant.W, Q: f.q, T: f.x[1], Scheme: s, Out: f.x[0]})
}

func (f *fixture) reduce(kind kernels.Reduction) {
	f.Reduce(kernels.ReduceArgs{Kind: kind, Box: f.box, X: f.x[0], Y: f.x[1], W: f.constant.W})
}
