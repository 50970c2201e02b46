package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"convect/cmd/convect/bench"
	"convect/kernels"
	"convect/kernels/devicetest"
)

// benchAll runs all benchmarks in a moment, each device changed as wanted, and returns the exit code and what was written.
func benchAll(t *testing.T, dir string, change func(d device) device, more ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	e := &environment{out: &stdout, errors: &stderr, version: "test", open: func(name string, threads int) (device, error) {
		d, err := openTestDevice(name, threads)
		if err != nil || change == nil {
			return d, err
		}
		return change(d), nil
	}}
	code = e.execute(append([]string{"bench", "all", "--quick", "--repeat", "1", "--budget", "1ms", "--threads", "1", "--device", "cpu", "--out", dir}, more...))
	return code, stdout.String(), stderr.String()
}

// Every figure of every table on the page is that of the JSON, every figure of the summary stands there, every plot is on the page; and the page
// that is made of the files later is the same.
func TestPageHasTheFiguresOfTheJSON(t *testing.T) {
	devicetest.Long(t)
	dir := filepath.Join(t.TempDir(), "new")
	if code, out, errs := benchAll(t, dir, nil); code != exitDone {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	first := readFile(t, filepath.Join(dir, pageName))
	for _, b := range bench.All() {
		if !readJSON(t, filepath.Join(dir, b.Name+".json")).Quick {
			t.Errorf("%s is not marked as quick", b.Name)
		}
	}
	if found := comparePage(t, dir, first); found < 20 {
		t.Errorf("the summary has only %d figures", found)
	}
	if !strings.Contains(first, "QUICK RUN") || strings.Contains(first, "is not there") {
		t.Error("no warning of a quick run, or a plot is missing")
	}
	mustRun(t, dir, "bench", "report", "--out", ".")
	if second := readFile(t, filepath.Join(dir, pageName)); second != first {
		t.Error("bench report makes another page of the same files")
	}
	changeAndRenew(t, dir)
}

// comparePage compares every table of a page with the files of its folder, looks for their plots, and for every figure of the summary, of which it
// returns the number, in the tables.
func comparePage(t *testing.T, dir, page string) (found int) {
	t.Helper()
	tables, text := tablesOf(t, page), html.UnescapeString(page)
	numbers, count := map[string]bool{}, 2 // the summary, and what ran
	for _, b := range bench.All() {
		path := filepath.Join(dir, b.Name+".json")
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		r := readJSON(t, path)
		for _, j := range r.Tables {
			count++
			compareTable(t, b.Name+"-"+j.Key, tables[b.Name+"-"+j.Key], j)
			j.numbers(numbers)
		}
		for _, p := range r.Plots {
			picture := base64.StdEncoding.EncodeToString([]byte(readFile(t, filepath.Join(dir, p.File))))
			if !strings.Contains(text, p.File) || !strings.Contains(text, picture) {
				t.Errorf("%s is not on the page, or is another one", p.File)
			}
		}
	}
	if len(tables) != count {
		t.Errorf("%d tables on the page, %d in the files", len(tables), count)
	}
	for _, row := range tables["summary-headlines"].rows {
		for _, cell := range row[4:6] { // theirs and ours
			if cell.value == "" {
				continue
			}
			if found++; !numbers[cell.value] {
				t.Errorf("%s (%s) of %s stands in no table", cell.value, cell.text, row[1].text)
			}
		}
	}
	return found
}

// The committed figures of docs/benchmarks make their pages, which are not committed: `convect bench report --out FOLDER`.
func TestCommittedFiguresMakePages(t *testing.T) {
	for _, from := range []string{"../../docs/benchmarks", "../../docs/benchmarks/h200"} {
		t.Run(filepath.Base(from), func(t *testing.T) {
			dir := t.TempDir()
			for _, pattern := range []string{"*.json", "*.png"} {
				files, err := filepath.Glob(filepath.Join(from, pattern))
				if err != nil || len(files) == 0 {
					t.Fatalf("%s: %d files, %v", pattern, len(files), err)
				}
				for _, f := range files {
					if err := os.WriteFile(filepath.Join(dir, filepath.Base(f)), []byte(readFile(t, f)), 0o666); err != nil {
						t.Fatal(err)
					}
				}
			}
			mustRun(t, dir, "bench", "report", "--out", ".")
			page := readFile(t, filepath.Join(dir, pageName))
			if found := comparePage(t, dir, page); found < 20 {
				t.Errorf("the summary has only %d figures", found)
			}
			if strings.Contains(page, "is not there") {
				t.Error("a plot is missing")
			}
		})
	}
}

// changeAndRenew changes a figure, spoils one file, and takes another away: the page follows, and the spoilt one is an error.
func changeAndRenew(t *testing.T, dir string) {
	t.Helper()
	r := readJSON(t, filepath.Join(dir, "jacobi.json"))
	old := fmt.Sprint(r.Tables[0].Rows[0]["milliseconds"])
	text := strings.Replace(readFile(t, filepath.Join(dir, "jacobi.json")), `"milliseconds": `+old, `"milliseconds": 77.125`, 1)
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "jacobi.json"), []byte(text), 0o666),
		os.WriteFile(filepath.Join(dir, "step.json"), []byte("{"), 0o666), os.Remove(filepath.Join(dir, "pcg.json"))); err != nil {
		t.Fatal(err)
	}
	code, _, errs := convect(t, dir, "bench", "report", "--out", ".")
	html := readFile(t, filepath.Join(dir, pageName))
	for _, want := range []string{`<data value="77.125">77.125`, "step: report: step.json", "pcg: there is no pcg.json"} {
		if !strings.Contains(html, want) {
			t.Errorf("%s is not on the page", want)
		}
	}
	if code != exitFailed || !strings.Contains(errs, "step.json") || strings.Contains(errs, "pcg") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if code, _, errs := convect(t, t.TempDir(), "bench", "report", "--out", "."); code != exitFailed || !strings.Contains(errs, "there is no report") {
		t.Errorf("an empty folder: exit code %d: %s", code, errs)
	}
}

// bareDevice offers nothing but the kernels of solvers.
type bareDevice struct{ device }

// What a device does not offer, and what fails, is told on the page, in the files and by the exit code; the others go on.
func TestFailuresDoNotStopTheOthers(t *testing.T) {
	devicetest.Long(t)
	dir := t.TempDir()
	opened := 0
	code, _, errs := benchAll(t, dir, func(d device) device {
		if opened++; opened == 6 { // after the trial, jacobi, poisson2d, stencil, multigrid
			return bareBroken{d}
		}
		return bareDevice{d}
	}, "--precision", "mixed")
	html := readFile(t, filepath.Join(dir, pageName))
	const none = "does not offer the kernels of this benchmark"
	for _, name := range []string{"jacobi", "poisson2d", "pcg", "hierarchical"} {
		if r := readJSON(t, filepath.Join(dir, name+".json")); !strings.Contains(r.Error, none) || !strings.Contains(errs, name+" (not offered by the device)") {
			t.Errorf("%s: %q", name, r.Error)
		}
		if !strings.Contains(html, "<li>"+name+": bench "+name) {
			t.Errorf("%s is not told on the page", name)
		}
	}
	if r := readJSON(t, filepath.Join(dir, "step.json")); r.Error == "" || !strings.Contains(errs, "step (failed)") || !strings.Contains(html, "<li>step: bench step") {
		t.Errorf("step: %q", r.Error)
	}
	for name, precision := range map[string]string{"stencil": "float32", "multigrid": "mixed"} {
		r := readJSON(t, filepath.Join(dir, name+".json"))
		noted := strings.Contains(strings.Join(r.Notes, "\n"), "--precision mixed is not offered here")
		if r.Error != "" || len(r.Precision) != 1 || r.Precision[0] != precision || noted != (precision != "mixed") {
			t.Errorf("%s: %q, precision %v, noted %v", name, r.Error, r.Precision, noted)
		}
	}
	if code != exitFailed || !strings.Contains(errs, "5 of 8 benchmarks lack figures") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// bareBroken cannot allocate.
type bareBroken struct{ device }

func (bareBroken) Alloc(kernels.Elem, int) (kernels.Buffer, error) {
	return nil, errors.New("no memory")
}

// jsonReport is the JSON form of a report, read without its package.
type jsonReport struct {
	Error, Title     string
	Quick            bool
	Precision, Notes []string
	Plots            []struct{ File string }
	Tables           []jsonTable
}

type jsonTable struct {
	Key     string
	Columns []struct{ Key, Title, Unit, Origin, Format string }
	Rows    []map[string]any
}

func readJSON(t *testing.T, path string) (r jsonReport) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(readFile(t, path)))
	d.UseNumber()
	if err := d.Decode(&r); err != nil {
		t.Fatal(err)
	}
	return r
}

// numbers collects the figures of a table.
func (j jsonTable) numbers(into map[string]bool) {
	for _, row := range j.Rows {
		for _, v := range row {
			if n, ok := v.(json.Number); ok {
				f, _ := n.Float64()
				into[strconv.FormatFloat(f, 'g', -1, 64)] = true
			}
		}
	}
}

// compareTable compares titles, units, origins and every value of a table.
func compareTable(t *testing.T, id string, h htmlTable, j jsonTable) {
	t.Helper()
	if len(h.head) != len(j.Columns) || len(h.rows) != len(j.Rows) {
		t.Errorf("%s: %d columns and %d rows on the page, %d and %d in the JSON", id, len(h.head), len(h.rows), len(j.Columns), len(j.Rows))
		return
	}
	for n, c := range j.Columns {
		want := c.Title + " " + c.Unit
		if c.Origin != "measured" && c.Origin != "label" {
			want += " " + c.Origin
		}
		if strings.Join(strings.Fields(h.head[n]), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%s: column %q, want %q", id, h.head[n], want)
		}
		for m, row := range j.Rows {
			if cell, want := h.rows[m][n], wantedCell(c.Format, row[c.Key]); cell != want {
				t.Errorf("%s, row %d, %s: %+v, want %+v", id, m+1, c.Key, cell, want)
			}
		}
	}
}

// wantedCell returns the cell of a value of the JSON.
func wantedCell(format string, v any) htmlCell {
	n, isNumber := v.(json.Number)
	switch {
	case v == nil:
		return htmlCell{text: "–"}
	case !isNumber:
		return htmlCell{text: strings.Join(strings.Fields(fmt.Sprint(v)), " ")}
	}
	f, _ := n.Float64()
	switch {
	case format == "significant":
		text := strconv.FormatFloat(f, 'g', 3, 64)
		if short, _ := strconv.ParseFloat(text, 64); short >= 1000 {
			text = strconv.FormatFloat(f, 'f', 0, 64)
		} else if !strings.Contains(text, "e") {
			text = fmt.Sprintf("%#.3g", f)
		}
		return htmlCell{strings.TrimSuffix(text, "."), n.String()}
	case format == "" && f == math.Trunc(f):
		return htmlCell{n.String(), n.String()}
	case format == "":
		format = "%.4g"
	}
	return htmlCell{fmt.Sprintf(format, f), n.String()}
}
