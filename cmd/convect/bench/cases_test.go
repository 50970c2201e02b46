package bench

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"convect/cmd/convect/bench/report"
	"convect/cmd/convect/casefile"
	"convect/kernels"
	"convect/kernels/cpu"
)

// someCases runs the closed box and some others in a moment.
func someCases(env Environment, against string, rows ...string) (*report.Report, error) {
	return cases().Run(env, Options{Size: []int{9}, Repeat: 1, Budget: time.Millisecond, Rows: rows, Against: against})
}

// Every case is one that convect accepts, on cubes, from noise and from a snapshot, and the grids beside a closed box of 256³ are those of the documentation.
func TestOrdinaryCases(t *testing.T) {
	full := map[string][3]int{"slab": {300, 300, 180}, "flat": {600, 600, 50}, "decimal": {250, 250, 250}, "odd": {251, 257, 263}, "strip": {97, 1025, 33},
		"flat-large": {1000, 1000, 100}, "2-D": {4096, 0, 1024}, "2-D-lognormal": {4096, 0, 1024}}
	docs, err := os.ReadFile("../../../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	snapshot := filepath.Join(t.TempDir(), "snap.hdf")
	if err := os.WriteFile(snapshot, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range ordinaryCases() {
		want := full[c.name]
		if want == [3]int{} {
			want = [3]int{256, 256, 256}
		}
		if got := c.cells(256); got != want {
			t.Errorf("%s: %v cells, want %v", c.name, got, want)
		}
		if !strings.Contains(string(docs), "| `"+c.name+"` |") {
			t.Errorf("docs/benchmarks.md does not tell of %s", c.name)
		}
		for _, box := range []int{256, 128, 16, 2} {
			cells := c.cells(box)
			if c.odd && cells[0]*cells[1]*cells[2]%2 == 0 {
				t.Errorf("%s: %v cells beside %d", c.name, cells, box)
			}
			for _, start := range []string{"", snapshot} {
				loaded, err := casefile.Parse("case.yaml", []byte(c.text(cells, cells, mixedName, start)), nil)
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
					continue
				}
				for d, size := range loaded.Extent().Size {
					if n := loaded.Extent().Cells[d]; n != cells[d] || math.Abs(size*float64(cells[2])/float64(n)-1) > 1e-12 {
						t.Errorf("%s: %d cells on %g along axis %d", c.name, n, size, d)
					}
				}
				if !loaded.Parameters.Mixed || loaded.Parameters.Rayleigh != 2000 {
					t.Errorf("%s: %+v", c.name, loaded.Parameters)
				}
			}
		}
	}
}

// A case goes on from the flow of its coarser grid: every scalar has the mean that it had there, nearly.
func TestCasesGoOn(t *testing.T) {
	dev, err := cpu.New(cpu.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	r := &run{Benchmark: cases(), dev: dev, kinds: []string{mixedName}}
	for _, c := range ordinaryCases() {
		if c.beside == "" && !c.drawn && c.sides == "" && c.grading == "" {
			continue
		}
		cells, dir := [3]int{20, 6, 20}, t.TempDir()
		start, err := r.developed(c, cells, dir, 3)
		if err != nil || start == "" {
			t.Errorf("%s: from %q, %v", c.name, start, err)
			continue
		}
		loaded, err := r.loadCase(c, cells, cells, dir, start)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		p := loaded.Parameters
		for n, of := range p.Transported() {
			values := p.Initial.Nodes
			if n > 0 {
				values = p.Solutes[n-1].Initial.Nodes
			}
			if got := mean(values); !(math.Abs(got-0.5) < 0.1) || len(values) < 20*6*21 {
				t.Errorf("%s: %s begins with a mean of %g over %d nodes", c.name, of.Name, got, len(values))
			}
		}
		if k := p.Permeability.Cells; c.drawn && (len(k[0]) != 20*6*20 || math.Abs(k[2][7]/k[0][7]-0.5) > 1e-6) {
			t.Errorf("%s: %d cells", c.name, len(k[0]))
		}
	}
	if start, err := r.developed(ordinaryCases()[0], [3]int{16, 6, 12}, t.TempDir(), 3); start != "" || err != nil {
		t.Errorf("a small grid begins from %q, %v", start, err)
	}
}

// A row that is worse than in another report is a failure that names it and both figures; one that is not is none.
func TestCasesAgainst(t *testing.T) {
	before, err := someCases(here(), "", "periodic", "weno5")
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, row := range before.Tables[0].Rows {
		names += row["case"].(string) + " "
	}
	if names != "closed periodic weno5 closed " {
		t.Errorf("rows %s", names)
	}
	write := func(periodic, weno5 float64) string {
		other := *before
		table := *before.Tables[0]
		table.Rows = nil
		for n, row := range before.Tables[0].Rows {
			row = with(report.Row{}, row)
			row["to_closed"] = []float64{1, periodic, weno5, 1}[n]
			table.Rows = append(table.Rows, row)
		}
		other.Tables, other.Machine.Description = []*report.Table{&table}, "another device"
		dir := t.TempDir()
		if _, err := other.WriteFiles(dir); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, "cases.json")
	}
	path := write(100, 0.0125)
	after, err := someCases(here(), path, "periodic", "weno5", "27-points")
	var rows *RowsError
	if !errors.As(err, &rows) || len(rows.Failed) != 1 || !strings.HasPrefix(rows.Failed[0], "weno5 takes ") || !strings.HasSuffix(rows.Failed[0], ", 0.01 in "+path) {
		t.Errorf("error %v", err)
	}
	if notes := strings.Join(after.Notes, "\n"); !strings.Contains(notes, "Compared 2 rows") || !strings.Contains(notes, "The devices differ") {
		t.Errorf("%s", notes)
	}
	if _, err := someCases(here(), write(100, 100), "periodic", "weno5"); err != nil {
		t.Error(err)
	}
	if _, err := someCases(here(), path, "odd"); err == nil || !strings.Contains(err.Error(), "has no row to compare") {
		t.Errorf("error %v", err)
	}
	for name, o := range map[string]Options{"no file": {Against: filepath.Join(t.TempDir(), "cases.json")}, "no case": {Rows: []string{"closed", "cube"}},
		"another benchmark": {Against: "../../../docs/benchmarks/jacobi.json"}, "steps": {Develop: -1}} {
		var option *OptionError
		if err := cases().Check(o); !errors.As(err, &option) {
			t.Errorf("%s: error %v", name, err)
		}
		if err := jacobi().Check(o); !errors.As(err, &option) {
			t.Errorf("jacobi, %s: error %v", name, err)
		}
	}
}

// Where the closed box beside itself takes another time the machine was not quiet; a case without it has nothing to be compared with.
func TestRestlessMachine(t *testing.T) {
	for _, c := range []struct {
		last, odd float64
		noted     bool
	}{{1.06, 2, true}, {0.9, 2, true}, {0.99, 2, false}, {math.NaN(), math.NaN(), false}} {
		r := &run{Benchmark: cases(), options: Options{Size: []int{9}}, report: &report.Report{}}
		r.tableOfCases([]*caseResult{{name: "odd", nodes: 1, relative: c.odd}, {name: closedBox, nodes: 1, relative: c.last}})
		if got, has := r.report.Tables[0].Rows[0].Number("to_closed"); has == math.IsNaN(c.odd) || has && got != c.odd {
			t.Errorf("%+v: %g, %v", c, got, has)
		}
		if noted := strings.Contains(r.report.Notes[0], "times its own time"); noted != c.noted {
			t.Errorf("%+v: %v", c, r.report.Notes)
		}
		for _, p := range r.report.Plots {
			if _, err := p.PNG(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A case that does not fit is told, and the others go on.
func TestCaseThatDoesNotFit(t *testing.T) {
	env := here()
	env.Open = func(threads int) (kernels.Device, error) {
		d, err := cpu.New(cpu.Options{Threads: threads})
		return &fullDevice{Device: d}, err
	}
	r, err := someCases(env, "", "flat", "decimal")
	var rows *RowsError
	if !errors.As(err, &rows) || len(rows.Failed) != 1 || !strings.HasPrefix(rows.Failed[0], "flat: ") || !strings.HasSuffix(rows.Failed[0], errFull.Error()) {
		t.Fatalf("error %v", err)
	}
	for n, row := range r.Tables[0].Rows {
		if _, has := row.Number("to_closed"); has == (n == 1) {
			t.Errorf("row %d: %v", n+1, row)
		}
	}
}

var errFull = errors.New("full")

// fullDevice has no room for an array of the flat case.
type fullDevice struct{ kernels.Device }

func (d *fullDevice) Alloc(e kernels.Elem, n int) (kernels.Buffer, error) {
	if flat := ordinaryCases()[2].cells(8); n == kernels.NewBox([3]int{flat[0] + 1, flat[1] + 1, flat[2] + 1}, false).Len {
		return nil, errFull
	}
	return d.Device.Alloc(e, n)
}
