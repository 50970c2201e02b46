package bench

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"convect/cmd/convect/bench/report"
	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
	"convect/kernels/devicetest"
	_ "convect/lab/emulated" // the laboratory's kernels
	"convect/lab/giles"
	"convect/lab/islam"
	"convect/lab/jaugey"
	"convect/lab/mueller"
	"convect/multigrid"
)

// here runs benchmarks on the host.
func here() Environment {
	return Environment{Command: "test", Version: "test",
		Open: func(threads int) (kernels.Device, error) { return cpu.New(cpu.Options{Threads: threads}) }}
}

// smallSizes are sizes at which each benchmark takes a moment.
var smallSizes = map[string][]int{"jacobi": {40}, "poisson2d": {70}, "stencil": {33}, "multigrid": {33}, "step": {17, 17, 9}, "cases": {9},
	"pcg": {24, 16, 11}, "hierarchical": {40}}

// Every benchmark runs in every precision, passes its checks and returns consistent tables: the speed is bytes over time,
// the fraction is speed over copy.
func TestBenchmarks(t *testing.T) {
	var reports []*report.Report
	for _, b := range All() {
		t.Run(b.Name, func(t *testing.T) {
			r, err := b.Run(here(), Options{Size: smallSizes[b.Name], Precision: allNames, Repeat: 1, Budget: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Checks) == 0 || len(r.Tables) == 0 || len(r.Plots) == 0 || r.Machine.Threads == 0 {
				t.Errorf("incomplete: %+v", r)
			}
			if err := r.WriteText(io.Discard); err != nil {
				t.Error(err)
			}
			for _, p := range r.Plots {
				if _, err := p.PNG(); err != nil {
					t.Error(err)
				}
				for _, text := range append(namesOf(p), p.Bars...) {
					if strings.Contains(text, "%!") || strings.Contains(text, "<nil>") {
						t.Errorf("%s says %q", p.File, text)
					}
				}
			}
			for _, table := range r.Tables {
				consistent(t, table)
			}
			checkPlots(t, r)
			reports = append(reports, r)
		})
	}
	if len(reports) == len(All()) {
		checkSummary(t, reports)
	}
}

// namesOf returns the title of a plot and the names of its series.
func namesOf(p *report.Plot) []string {
	names := []string{p.Title}
	for _, s := range p.Series {
		names = append(names, s.Name)
	}
	return names
}

// The benchmarks of the papers' kernels have more to measure on a GPU.
func TestBenchmarksOnGPU(t *testing.T) {
	devicetest.Long(t)
	env := here()
	env.Open = func(int) (kernels.Device, error) { return cuda.New(emulation.New(emulation.Options{})) }
	for name, size := range devicetest.Part(t, 3, map[string][]int{"jacobi": {21}, "poisson2d": {24}, "hierarchical": {16}}) {
		b, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := b.Run(env, Options{Size: size, Repeat: 1, Budget: time.Millisecond})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, table := range r.Tables {
			consistent(t, table)
		}
		if name == "jacobi" && !slices.ContainsFunc(r.Tables[0].Rows, func(row report.Row) bool { return row["sweeps"] == 4 }) {
			t.Error("no row of four sweeps in a pass")
		}
	}
}

// consistent checks the relations between shared columns.
func consistent(t *testing.T, table *report.Table) {
	for _, row := range table.Rows {
		speed, ok := row.Number(columnSpeed.Key)
		copied, both := row.Number(columnCopy.Key)
		if !ok || !both || table.Column(columnSpeed.Key).Origin != report.Measured {
			continue
		}
		fraction, _ := row.Number(columnFraction.Key)
		ms, _ := row.Number(columnTime.Key)
		model, isModel := row.Number(columnModel.Key)
		if !(speed > 0 && copied > 0) || math.Abs(fraction-speed/copied) > 1e-9*fraction {
			t.Errorf("table %s: speed %g, copy %g, fraction %g", table.Key, speed, copied, fraction)
		}
		if isModel && math.Abs(model/ms-fraction) > 1e-9*fraction {
			t.Errorf("table %s: model %g ms, measured %g ms, fraction %g", table.Key, model, ms, fraction)
		}
	}
}

// A device that computes something else fails the checks: nothing wrong is timed.
func TestWrongDeviceFails(t *testing.T) {
	for _, b := range All() {
		env := here()
		env.Open = func(threads int) (kernels.Device, error) {
			d, err := cpu.New(cpu.Options{Threads: threads})
			on, _ := mueller.On(d)
			return &wrongDevice{on, d}, err
		}
		_, err := b.Run(env, Options{Size: smallSizes[b.Name], Repeat: 1, Budget: time.Millisecond})
		if err == nil {
			t.Errorf("%s times a device that is wrong", b.Name)
		}
	}
}

// wrongDevice is wrong by one part in a thousand.
type wrongDevice struct {
	mueller.Device
	own *cpu.Device
}

func (d *wrongDevice) spoil(b kernels.Buffer) {
	d.Combine(kernels.CombineArgs{Out: b, C: [4]float64{1.001}, X: [4]kernels.Buffer{b}})
}

func (d *wrongDevice) Apply(a kernels.ApplyArgs) {
	d.Device.Apply(a)
	d.spoil(a.Y)
}

// Residual has a little mass.
func (d *wrongDevice) Residual(a kernels.ResidualArgs) {
	d.Device.Residual(a)
	mass := 1e-3
	if a.R.Elem() != a.U.Elem() {
		mass *= a.Scale
	}
	d.Combine(kernels.CombineArgs{Out: a.R, C: [4]float64{1, -mass}, X: [4]kernels.Buffer{a.R, a.U}})
}

func (d *wrongDevice) Poisson2D(a jaugey.Poisson2DArgs) {
	k, _ := jaugey.On(d.own)
	k.Poisson2D(a)
	d.spoil(a.Out)
}

func (d *wrongDevice) ColumnApply(a mueller.ColumnApplyArgs) {
	d.Device.ColumnApply(a)
	d.spoil(a.Y)
}

func (d *wrongDevice) HierarchicalJacobi(a islam.HierarchicalJacobiArgs) {
	k, _ := islam.On(d.own)
	k.HierarchicalJacobi(a)
	d.spoil(a.Out)
}

func (d *wrongDevice) HierarchicalCube(a islam.HierarchicalCubeArgs) {
	k, _ := islam.On(d.own)
	k.HierarchicalCube(a)
	d.spoil(a.Out)
}

func (d *wrongDevice) HierarchicalSmooth(a islam.HierarchicalSmoothArgs) {
	k, _ := islam.On(d.own)
	k.HierarchicalSmooth(a)
	d.spoil(a.Out)
}

func (d *wrongDevice) LaplaceJacobi(a giles.LaplaceJacobiArgs) {
	k, _ := giles.On(d.own)
	k.LaplaceJacobi(a)
	d.spoil(a.Out)
}

// A device without the kernels of a benchmark is refused.
func TestDeviceWithoutKernels(t *testing.T) {
	env := here()
	env.Open = func(threads int) (kernels.Device, error) {
		d, err := cpu.New(cpu.Options{Threads: threads})
		return struct{ kernels.Device }{d}, err
	}
	if _, err := jacobi().Run(env, Options{Size: []int{8}}); !errors.Is(err, ErrNotOffered) {
		t.Errorf("error %v", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for name, o := range map[string]Options{
		"two numbers": {Size: []int{8, 8}}, "small": {Size: []int{2}}, "precision": {Precision: "half"}, "repeat": {Repeat: -1},
	} {
		var option *OptionError
		if _, err := jacobi().Run(here(), o); !errors.As(err, &option) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for name, o := range map[string]Options{"omega": {Omega: -1}, "lambda": {Lambda: math.Inf(1)}, "H": {Depth: math.NaN()}} {
		var option *OptionError
		if _, err := columns().Run(here(), o); !errors.As(err, &option) {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := jacobi().Run(here(), o); !errors.As(err, &option) {
			t.Errorf("jacobi takes %s: error %v", name, err)
		}
	}
	var option *OptionError
	if _, err := Find("jacoby"); !errors.As(err, &option) {
		t.Errorf("error %v", err)
	}
}

// ω, λ and H reach the problem: iterations grow with ω in column widths c as √(1 + 8c²), the root of the condition number, and with
// another λ or H a solve ends at another residual.
func TestColumnOptions(t *testing.T) {
	devicetest.Long(t)
	solve := func(o Options) (iterations, residual float64) {
		t.Helper()
		o.Size, o.Repeat, o.Budget = []int{32, 32, 8}, 1, time.Millisecond
		r, err := columns().Run(here(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range r.Tables {
			if table.Key == "solves" {
				iterations, _ = table.Rows[1].Number("iterations")
				residual, _ = table.Rows[1].Number("residual")
			}
		}
		return iterations, residual
	}
	weak, _ := solve(Options{Omega: 0.25})
	strong, _ := solve(Options{Omega: 4})
	if !(weak*3 < strong) {
		t.Errorf("%g iterations with ω of 0.25 column widths, %g of 4", weak, strong)
	}
	_, standard := solve(Options{})
	for name, o := range map[string]Options{"λ": {Lambda: 0.01}, "H": {Depth: 0.5}} {
		if _, left := solve(o); left == standard {
			t.Errorf("%s changes nothing: the residual ends at %g", name, left)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		v    []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{5, 1, 3}, 3}, {[]float64{4, 1, 2, 9}, 3}} {
		if got := median(c.v); got != c.want {
			t.Errorf("median of %v is %g", c.v, got)
		}
	}
}

// Every kernel of a device is counted: a new one must say what it moves.
func TestCountingKnowsAllKernels(t *testing.T) {
	declared := map[string]bool{}
	for _, path := range []string{"counting.go", "zz_counting.go"} {
		for _, d := range parse(t, path).Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				declared[f.Name.Name] = true
			}
		}
	}
	found := 0
	count := func(n ast.Node) bool {
		s, ok := n.(*ast.TypeSpec)
		if !ok || s.Name.Name == "Device" || s.Name.Name == "Memory" || s.Name.Name == "Buffer" || s.Name.Name == "Recording" {
			return true
		}
		i, ok := s.Type.(*ast.InterfaceType)
		if !ok {
			return true
		}
		for _, m := range i.Methods.List {
			if f, ok := m.Type.(*ast.FuncType); ok && f.Results != nil && s.Name.Name != "Recorder" { // it asks what a kernel knows
				continue
			}
			for _, name := range m.Names {
				if found++; !declared[name.Name] {
					t.Errorf("counting.go does not count %s", name.Name)
				}
			}
		}
		return true
	}
	for _, path := range []string{"device.go", "zz_device.go"} {
		ast.Inspect(parse(t, "../../../kernels/"+path), count)
	}
	if found < 25 {
		t.Errorf("found only %d kernels", found)
	}
}

func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The bytes counted are those of the two passes of a level: down 2 words a node (on the finest level 3, with a first guess),
// up 3, and each one word for each node of the next level.
func TestCountedBytesOfACycle(t *testing.T) {
	dev, err := cpu.New(cpu.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	p, err := newDirichlet(dev, discretisations()[0], kernels.Float64, 33)
	if err != nil {
		t.Fatal(err)
	}
	defer p.free()
	s, err := p.solver(multigrid.Options{Method: multigrid.Multigrid, Smoother: multigrid.Jacobi, Pre: 2, Post: 2}, float64Name)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	before := p.dev.bytes
	s.Cycle(p.u, p.f)
	levels, words := s.Levels(), 0.0
	for n, l := range levels[:len(levels)-1] {
		passes := 5.0
		if n == 0 {
			passes = 6
		}
		words += float64(l.Nodes)*passes + 2*float64(levels[n+1].Nodes)
	}
	words += 2 * float64(levels[len(levels)-1].Nodes) // coarsest
	if got := (p.dev.bytes - before) / 8; got != words {
		t.Errorf("counted %g words, want %g", got, words)
	}
}
