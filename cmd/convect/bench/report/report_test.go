package report

import (
	"bytes"
	"encoding/json"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sample returns a report with every kind of value.
func sample() *Report {
	t := &Table{Key: "speeds", Title: "Speeds", Columns: []Column{
		{Key: "kernel", Title: "kernel", Origin: Label}, {Key: "time", Title: "time", Unit: "ms", Origin: Measured, Format: "%.2f"},
		{Key: "bytes", Title: "bytes", Origin: Counted}, {Key: "theirs", Title: "theirs", Origin: Paper, Format: "%.1f"},
	}}
	t.Add(Row{"kernel": "apply", "time": 1.234, "bytes": 8})
	t.Add(Row{"kernel": "smooth", "time": math.NaN(), "bytes": nil, "theirs": 3.0})
	return &Report{Benchmark: "sample", Title: "A sample", Source: "nobody", Command: "convect bench sample",
		Checks: []Check{{"difference", 0, 1e-6}}, Tables: []*Table{t}, Notes: []string{"noted"},
		Plots: []*Plot{
			{File: "sample.png", Title: "Lines", X: Axis{"n", true}, Y: Axis{"s", true},
				Series: []Series{{Name: "a", X: []float64{1, 10, 100}, Y: []float64{3, 2, 5}}}},
			{File: "sample-bars.png", Title: "Bars", Bars: []string{"a", "b"}, Series: []Series{{Name: "f", Y: []float64{1, 2}}}},
		}}
}

func TestTextIsAligned(t *testing.T) {
	var b bytes.Buffer
	if err := sample().WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := "Speeds\n" +
		"  kernel  time    bytes  theirs\n" +
		"            ms\n" +
		"                counted   paper\n" +
		"  apply   1.23        8       –\n" +
		"  smooth     –        –     3.0\n"
	if !strings.Contains(b.String(), want) {
		t.Errorf("got\n%s\nwant in it\n%s", b.String(), want)
	}
}

func TestHeadingOfMachines(t *testing.T) {
	for want, m := range map[string]Machine{"cpu: A, 1 of 2 cores, avx2": {Device: "cpu", Description: "A", Instruction: "avx2", Threads: 1, Cores: 2},
		"cuda:0: B, 132 multiprocessors, sm_90": {Device: "cuda:0", Description: "B", Instruction: "sm_90", Threads: 132, Cores: 16}} {
		if heading := strings.Join((&Report{Machine: m}).heading(), "\n"); !strings.Contains(heading, want) {
			t.Errorf("%q is missing in\n%s", want, heading)
		}
	}
}

func TestMarkdownNamesOrigins(t *testing.T) {
	var b bytes.Buffer
	if err := sample().WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| kernel | time, ms | bytes (counted) | theirs (paper) |\n|---|--:|--:|--:|\n| apply | 1.23 | 8 | – |\n",
		"![Lines](sample.png)", "- noted"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	paths, err := sample().WriteFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) != 4 {
		t.Fatalf("wrote %v", paths)
	}
	for _, p := range paths[2:] {
		f, err := os.Open(p)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(f)
		f.Close()
		if err != nil || img.Bounds().Dx() < 500 {
			t.Errorf("%s: %v", p, err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "sample.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if v, _ := r.Tables[0].Rows[0].Number("time"); v != 1.234 || len(r.Tables[0].Rows[1]) != 2 {
		t.Errorf("rows are %v", r.Tables[0].Rows)
	}
}

func TestVerify(t *testing.T) {
	for name, damage := range map[string]func(r *Report){
		"no column": func(r *Report) { r.Tables[0].Add(Row{"tiem": 1.0}) },
		"no origin": func(r *Report) { r.Tables[0].Columns[1].Origin = "" },
		"failed":    func(r *Report) { r.Checks[0].Value = 1 },
		"NaN":       func(r *Report) { r.Checks[0].Value = math.NaN() },
	} {
		r := sample()
		if err := r.Verify(); err != nil {
			t.Fatal(err)
		}
		damage(r)
		if r.Verify() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
