package sweep

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"convect/io/h5"
)

// read reads the text of a sweep and plans it.
func read(t *testing.T, text string) (*Sweep, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sweep.yaml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := Read(path)
	if err != nil {
		return nil, err
	}
	return s.Plan()
}

// names returns the names of runs in the order of the tables.
func (s *Sweep) names() string {
	var all []string
	for _, r := range s.Runs {
		all = append(all, r.Name)
	}
	return strings.Join(all, " ")
}

func TestRuns(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"grid, the last key first", "case: a.yaml\nvary:\n  physics.rayleigh: [60, 80]\n  initial.perturbation.seed: {count: 2}\n",
			"rayleigh=60,seed=1 rayleigh=60,seed=2 rayleigh=80,seed=1 rayleigh=80,seed=2"},
		{"ranges", "case: a\nvary: {a.b: {from: 1, to: 100, count: 3, scale: log}, c: {from: 0, to: 1, count: 2}}", "b=1,c=0 b=1,c=1 b=10,c=0 b=10,c=1 b=100,c=0 b=100,c=1"},
		{"one value of a range", "case: a\nvary: {a: {from: 1, to: 100, count: 1}}", "a=1"},
		{"zip", "case: a\ncombine: zip\nvary: {a: [1, 2], b: [x, y]}", "a=1,b=x a=2,b=y"},
		{"list", "case: a\nvary:\n  - {a: 1, b: 2}\n  - {b: 4, a: 3}\n", "a=1,b=2 a=3,b=4"},
		{"names that differ in more than the last part", "case: a\nvary: {x.seed: [1], y.seed: [2]}", "x_seed=1,y_seed=2"},
		{"reserved names", "case: a\nvary: {x.run: [1], state: [2]}", "x_run=1,state=2"},
		{"a result of the same name", "case: a\nvary: {physics.rayleigh: [1]}\nresults: [rayleigh]", "physics_rayleigh=1"},
		{"there and back", "case: a\nvary: {a: [1, 2, 3]}\ncontinue: a\nback: true", "a=1 a=2 a=3 a=2,back a=1,back"},
	} {
		s, err := read(t, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := s.names(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A run of a value with other characters has a folder of its own, and its value reaches the case as it was.
func TestValues(t *testing.T) {
	s, err := read(t, "case: a\nvary:\n  grid.cells: [[32, 32], [64, 64]]\n  initial.temperature:\n    - {file: \"a b.h5\"}\n    - 'x > 0.5 ? 1 : 0'\n    - 1e-14\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Runs) != 6 || strings.ContainsAny(s.names(), "/ {[?") && strings.ContainsAny(strings.ReplaceAll(s.names(), " ", ""), "/{[?:") {
		t.Errorf("runs %s", s.names())
	}
	got := s.Overrides(s.Runs[5])
	if want := []string{"grid.cells=[64, 64]", "initial.temperature=1e-14"}; !slices.Equal(got, want) {
		t.Errorf("overrides %q, want %q", got, want)
	}
	if got := s.Overrides(s.Runs[0])[1]; got != `initial.temperature={file: a b.h5}` && got != `initial.temperature={file: "a b.h5"}` {
		t.Errorf("override %q", got)
	}
}

// What all runs set comes as it is written, and before what varies.
func TestSet(t *testing.T) {
	s, err := read(t, "case: a\nset: {time.end: 1e-3, initial.perturbation: {noise: 0.1, seed: 3}}\nvary: {a: [1]}\n")
	if want := []string{"time.end=1e-3", "initial.perturbation={noise: 0.1, seed: 3}"}; err != nil || !slices.Equal(s.Set, want) {
		t.Errorf("%q, %v", s.Set, err)
	}
}

// Each chain follows the key of continue for one choice of the others; each run knows the one before.
func TestChains(t *testing.T) {
	s, err := read(t, "case: a\nvary: {ra: [1, 2, 3], seed: [7, 8]}\ncontinue: ra\nback: true")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Chains) != 2 {
		t.Fatalf("%d chains", len(s.Chains))
	}
	var names []string
	for i, r := range s.Chains[1] {
		names = append(names, r.Name)
		if before := r.Before; (i == 0) != (before == nil) || i > 0 && before != s.Chains[1][i-1] {
			t.Errorf("%s starts from %v", r.Name, before)
		}
	}
	if got := strings.Join(names, " "); got != "ra=1,seed=8 ra=2,seed=8 ra=3,seed=8 ra=2,seed=8,back ra=1,seed=8,back" {
		t.Errorf("chain %s", got)
	}
	zipped, err := read(t, "case: a\ncombine: zip\nvary: {a: [1, 2], b: [3, 4]}\ncontinue: a")
	if err != nil || len(zipped.Chains) != 1 || zipped.Runs[1].Before != zipped.Runs[0] {
		t.Errorf("zip: %d chains, %v", len(zipped.Chains), err)
	}
}

// A latin hypercube has one run in each part of each range, the same runs of the same seed, and others of another.
func TestLatinHypercube(t *testing.T) {
	const text = "case: a\ncombine: latin-hypercube\nsamples: 8\nvary: {a: {from: 10, to: 18}, b: {from: 1, to: 256, scale: log}, c: [x, y]}\nseed: "
	s, err := read(t, text+"3")
	if err != nil {
		t.Fatal(err)
	}
	seen := [3]map[int]int{{}, {}, {}}
	for _, r := range s.Runs {
		a, _ := Number(r.Values[0])
		b, _ := Number(r.Values[1])
		seen[0][int(a-10)]++
		seen[1][int(math.Log2(b))]++
		seen[2][int(r.Values[2][0]-'x')]++
	}
	if len(seen[0]) != 8 || len(seen[1]) != 8 || seen[2][0] != 4 || seen[2][1] != 4 {
		t.Errorf("parts of the ranges: %v", seen)
	}
	same, err := read(t, text+"3")
	if err != nil || same.names() != s.names() {
		t.Errorf("another draw of the same seed: %v", err)
	}
	if other, err := read(t, text+"4"); err != nil || other.names() == s.names() {
		t.Errorf("the same draw of another seed: %v", err)
	}
}

// What is wrong is told with its line and with what is accepted.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"case: a\n", "vary is missing"},
		{"vary: {a: [1]}\n", "case is missing"},
		{"case: a\nvary: {a: [1]}\nvari: 2\n", `:3: there is no key "vari"; accepted: case, set, vary`},
		{"case: a\nvary:\n  a: 3\n", ":3: a: 3 is not understood; accepted: a list of values"},
		{"case: a\nvary:\n  a: [1]\n  a: [2]\n", "a"},
		{"case: a\nvary:\n  a: []\n", ":3: a has no values"},
		{"case: a\nvary:\n  a: {from: 1}\n", "from and to belong together"},
		{"case: a\nvary:\n  a: {from: 3, to: 1, count: 2}\n", ":3: a: from 3 is not below to 1"},
		{"case: a\nvary:\n  a: {from: 0, to: 1, count: 2, scale: log}\n", "begins above 0"},
		{"case: a\nvary:\n  a: {from: 0, to: 1}\n", "a range without a count is for combine: latin-hypercube"},
		{"case: a\nvary:\n  a: {count: 0}\n", ":3: a: count: 0 is not understood"},
		{"case: a\nvary:\n  a: {cuont: 2}\n", `there is no key "cuont"`},
		{"case: a\nvary: {a: [1]}\ncombine: mix\n", ":3: combine: mix is not understood; accepted: grid, zip"},
		{"case: a\ncombine: zip\nvary: {a: [1, 2], b: [1]}\n", "b has 1 values and a has 2"},
		{"case: a\ncombine: latin-hypercube\nvary: {a: [1, 2]}\n", "samples is missing"},
		{"case: a\nsamples: 3\nvary: {a: [1, 2]}\n", "samples are for combine"},
		{"case: a\nvary: {a: [1, 2]}\ncontinue: b\n", "continue: b is none of the keys"},
		{"case: a\nvary: {a.seed: [1, 2]}\ncontinue: a.seed\n", "no branch to follow"},
		{"case: a\nvary: {a: [1, 2]}\nback: true\n", "back is for a sweep that continues"},
		{"case: a\nvary: {a: [1, 2, 1]}\n", "two runs are the same: a = 1"},
		{"case: a\nvary: {a: {count: 200}, b: {count: 200}}\n", "40000 runs are too many"},
		{"case: a\nvary:\n - {a: 1}\n - {b: 1}\n", ":4: b is not among the keys of the first run"},
		{"case: a\nvary:\n - {a: 1, b: 2}\n - {b: 1}\n", ":4: a is missing in this run"},
		{"case: a\nvary: {a: [1]}\nresults: nusselt\n", ":3: results: nusselt is not understood"},
		{"- 1\n", "is no section"},
		{"{", "sweep.yaml"},
	} {
		if _, err := read(t, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
}

func TestOption(t *testing.T) {
	for _, c := range []struct {
		text  string
		latin bool
		want  string // of the values, or of the error
	}{
		{"a=60,80,100", false, "60|80|100"},
		{"a=[1, 2],[3,4]", false, "[1, 2]|[3,4]"},
		{`a="x, y",{b: 1, c: (2,3)}`, false, `"x, y"|{b: 1, c: (2,3)}`},
		{"a=1..3", false, "1|2|3"},
		{"a=-1..1", false, "-1|0|1"},
		{"a=0..1:5", false, "0|0.25|0.5|0.75|1"},
		{"a=1..100:3:log", false, "1|10|100"},
		{"a=1e-14..1e-12:3:log", false, "1e-14|1e-13|1e-12"},
		{"a=0.5..2", false, "needs a count"},
		{"a=1..3:log", false, "needs a count"},
		{"a=3..1", false, "has no values"},
		{"a=1..1e9", false, "more than"},
		{"a", false, "accepted: KEY="},
		{"=3", false, "accepted: KEY="},
		{"a=1..3", true, ""},
	} {
		v, err := Option(c.text, c.latin)
		got := strings.Join(v.Values, "|")
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// Times with units are numbers in the unit of their column; words stay what they are, and their places have no unit.
func TestTimesWithUnits(t *testing.T) {
	s, err := read(t, "case: a\nvary: {time.end: [6 h, 1 d, 90], top: [10*t, -t]}\nresults: [nusselt]\n")
	if err != nil {
		t.Fatal(err)
	}
	table := &Table{Sweep: s, Units: []string{"1"}, KeyUnits: []string{"s", "K"}}
	for _, r := range s.Runs {
		table.Rows = append(table.Rows, Row{Run: r, State: Done, Values: []float64{1}, Errors: []float64{math.NaN()}})
	}
	want := "end,top,nusselt,state,run\n#s,K,1,,\n"
	for i, cells := range []string{"21600,10*t", "21600,-t", "86400,10*t", "86400,-t", "90,10*t", "90,-t"} {
		want += cells + ",1,done,\"" + s.Runs[i].Name + "\"\n"
	}
	if got := string(table.CSV()); got != want {
		t.Errorf("results.csv:\n%s\nwant\n%s", got, want)
	}
	r := writtenTable(t, table)
	if values, _, err := r.Float64s("/end"); err != nil || !slices.Equal(values, []float64{21600, 86400, 90}) {
		t.Errorf("times %v, %v", values, err)
	}
	if unit, err := r.AttrString("/end", "units"); err != nil || unit != "s" {
		t.Errorf("unit of the time %q, %v", unit, err)
	}
	if unit, err := r.AttrString("/top", "units"); err == nil && unit == "K" {
		t.Errorf("places of words are in %s", unit)
	}
	if chart := table.Charts()[0]; !slices.Equal(chart.Curves[0].X, []float64{21600, 86400, 90}) {
		t.Errorf("the picture is over %v", chart.Curves[0].X)
	}
}

// Texts have no quotes in tables, pictures and messages, whatever quotes they have in the file; the case gets them as they stand there.
func TestTextsWithoutQuotes(t *testing.T) {
	s, err := read(t, `case: a
vary: {a.seed: {count: 2}, initial.temperature: ["1 - z", 'x, "y"', z], grid.cells: [[8, 8]]}
results: [nusselt]
`)
	if err != nil {
		t.Fatal(err)
	}
	table := &Table{Sweep: s, Units: []string{"1"}, KeyUnits: []string{"", "", ""}}
	for _, r := range s.Runs {
		table.Rows = append(table.Rows, Row{Run: r, State: Done, Values: []float64{1}, Errors: []float64{math.NaN()}})
	}
	if got, want := string(table.MeansCSV()), "temperature,cells,runs,nusselt,nusselt_deviation\n#,,1,1,1\n1 - z,\"[8, 8]\",2,1,0\n\"x, \"\"y\"\"\",\"[8, 8]\",2,1,0\nz,\"[8, 8]\",2,1,0\n"; got != want {
		t.Errorf("results_mean.csv:\n%s\nwant\n%s", got, want)
	}
	if got := string(table.CSV()); !strings.Contains(got, "\n1,1 - z,") {
		t.Errorf("results.csv:\n%s", got)
	}
	if got, want := s.Runs[1].Texts(), []string{"1", `x, "y"`, "[8, 8]"}; !slices.Equal(got, want) {
		t.Errorf("a run has %q, want %q", got, want)
	}
	if got, want := s.Describe(s.Runs[0]), "seed = 1, temperature = 1 - z, cells = [8, 8]"; got != want {
		t.Errorf("a run is called %q, want %q", got, want)
	}
	if got, want := s.Overrides(s.Runs[0])[1], `initial.temperature="1 - z"`; got != want {
		t.Errorf("a run sets %s, want %s", got, want)
	}
	if got, want := table.others(table.Groups()[1], -1), `T = x, "y"`; got != want {
		t.Errorf("a curve is called %s, want %s", got, want)
	}
	r := writtenTable(t, table)
	if got, err := r.AttrString("/temperature", "flag_meanings"); err != nil || got != `1_-_z x,_"y" z` {
		t.Errorf("flags mean %q, %v", got, err)
	}
}

// Where seeds alone vary the picture has each run over its seed, and a band around their mean.
func TestSeedsAlone(t *testing.T) {
	s, err := read(t, "case: a\nvary: {a.seed: [3, 5, 4]}\nresults: [nusselt]\n")
	if err != nil {
		t.Fatal(err)
	}
	table := &Table{Sweep: s, Units: []string{"1"}, KeyUnits: []string{""}}
	for i, v := range []float64{1, 4, 1} {
		table.Rows = append(table.Rows, Row{Run: s.Runs[i], State: Done, Values: []float64{v}, Errors: []float64{math.NaN()}})
	}
	charts := table.Charts()
	if len(charts) != 1 || len(charts[0].Curves) != 2 || charts[0].X.Label != "seed" {
		t.Fatalf("charts %+v", charts)
	}
	band, runs := charts[0].Curves[0], charts[0].Curves[1]
	deviation := math.Sqrt(3)
	if !slices.Equal(band.X, []float64{3, 5}) || band.Y[1] != 2 || math.Abs(band.Low[0]-2+deviation) > 1e-15 || math.Abs(band.High[1]-2-deviation) > 1e-15 {
		t.Errorf("band %+v", band)
	}
	if !slices.Equal(runs.X, []float64{3, 5, 4}) || !slices.Equal(runs.Y, []float64{1, 4, 1}) {
		t.Errorf("runs %+v", runs)
	}
}

// The table has quotes where a value has a comma, nothing where there is no number, and means over seeds that leave out what is missing.
func TestTables(t *testing.T) {
	s, err := read(t, "case: a\nvary: {grid.cells: [[8, 8]], a.seed: {count: 3}}\nresults: [nusselt]\n")
	if err != nil {
		t.Fatal(err)
	}
	table := &Table{Sweep: s, Units: []string{"1"}, KeyUnits: []string{"", ""}}
	for i, v := range []float64{1, 2, math.NaN()} {
		table.Rows = append(table.Rows, Row{Run: s.Runs[i], State: []string{Steady, Done, Failed}[i], Values: []float64{v}, Errors: []float64{math.NaN()}})
	}
	want := "cells,seed,nusselt,state,run\n#,,1,,\n\"[8, 8]\",1,1,steady,\"" + s.Runs[0].Name + "\"\n\"[8, 8]\",2,2,done,\"" + s.Runs[1].Name +
		"\"\n\"[8, 8]\",3,,failed,\"" + s.Runs[2].Name + "\"\n"
	if got := string(table.CSV()); got != want {
		t.Errorf("results.csv:\n%s\nwant\n%s", got, want)
	}
	if got, want := string(table.MeansCSV()), "cells,runs,nusselt,nusselt_deviation\n#,1,1,1\n\"[8, 8]\",2,1.5,0.7071067811865476\n"; got != want {
		t.Errorf("results_mean.csv:\n%s\nwant\n%s", got, want)
	}
	if n := len(table.Missing()); n != 1 {
		t.Errorf("%d rows are missing", n)
	}
	charts := table.Charts()
	if len(charts) != 1 || len(charts[0].Curves) != 1 || math.Abs(charts[0].Curves[0].High[0]-1.5-math.Sqrt(0.5)) > 1e-15 {
		t.Errorf("charts %+v", charts)
	}
}

// writtenTable writes a table as NetCDF and opens it.
func writtenTable(t *testing.T, table *Table) *h5.Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results.nc")
	if err := table.WriteNetCDF(path, "title"); err != nil {
		t.Fatal(err)
	}
	r, err := h5.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}
