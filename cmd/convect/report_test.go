package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"convect/kernels"
	"convect/multigrid"
	"convect/physics"
)

// A run ends with a page that has its numbers, pictures, curves, flows, solver, times, case and references; it asks for nothing from elsewhere.
func TestReport(t *testing.T) {
	for name, text := range map[string]string{"everything": everythingCase, "box": boxCase, "salt": saltAloneCase, "heat": smallCase} {
		t.Run(name, func(t *testing.T) {
			dir := writeCase(t, text)
			out, errs := mustRun(t, dir, "run", "small.yaml", "--profile")
			if !strings.Contains(out, "small.out/report.html") || strings.Contains(errs, "no report") {
				t.Errorf("the end of the run:\n%s%s", out, errs)
			}
			page := sweptText(t, dir, "small.out", reportName)
			tables := tablesOf(t, page)
			for _, id := range []string{"numbers", "solver", "time", "flows"} {
				if len(tables[id].rows) == 0 {
					t.Errorf("there is no table %s", id)
				}
			}
			for _, want := range []string{"data:image/png;base64,", "data:image/svg", "What to cite", "Ascher", "% of the time of steps", "over all steps they differed"} {
				if !strings.Contains(page, want) {
					t.Errorf("the page has no %q", want)
				}
			}
			page = regexp.MustCompile(`src="data:[^"]*"`).ReplaceAllString(page, "")
			for _, bad := range []string{"NaN", "http://", "https://", "<script", "ZgotmplZ"} {
				if strings.Contains(page, bad) {
					t.Errorf("the page has %q", bad)
				}
			}
			bib := sweptText(t, dir, "small.out", referencesName)
			if strings.Contains(text, "wells:") != strings.Contains(bib, "@article{peaceman1983,") || strings.Contains(text, "dispersion:") != strings.Contains(bib, "scheidegger1961") {
				t.Errorf("references:\n%s", bib)
			}
		})
	}
}

// On a phone pictures keep a size at which their numbers can be read, and scroll by themselves.
func TestReportOnAPhone(t *testing.T) {
	dir := writeCase(t, smallCase)
	b := openBrowser(t)
	mustRun(t, dir, "run", "small.yaml")
	for width, want := range map[int64]string{390: "w >= 540", 1500: "w <= 960"} {
		b.open("file://"+filepath.Join(dir, "small.out", reportName), width)
		b.wait("document.images.length > 3 && [...document.images].every(e => e.complete)")
		if page := evaluate[int](b, "document.documentElement.scrollWidth"); int64(page) > width {
			t.Errorf("the page is %d wide on %d", page, width)
		}
		widths := evaluate[[]float64](b, "[...document.images].slice(1).map(e => e.clientWidth)") // of the curves: the picture of the field is small
		if !evaluate[bool](b, "[...document.images].slice(1).every(e => { const w = e.clientWidth; return "+want+"; })") {
			t.Errorf("on %d pictures have the widths %v, want %s", width, widths, want)
		}
	}
	b.quiet()
}

// Files of the same names that no run has written stay, and are not taken for those of a run.
func TestReportLeavesOthersAlone(t *testing.T) {
	dir := writeCase(t, smallCase)
	own := filepath.Join(dir, "small.out")
	if err := os.Mkdir(own, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{reportName, referencesName} {
		writeText(t, filepath.Join(own, name), "mine")
	}
	for _, args := range [][]string{{"run", "small.yaml"}, {"run", "small.yaml", "--force"}} {
		if _, errs := mustRun(t, dir, args...); !strings.Contains(errs, "is not of a run and stays as it is") {
			t.Errorf("%v does not tell: %s", args, errs)
		}
	}
	for _, name := range []string{reportName, referencesName} {
		if sweptText(t, own, name) != "mine" {
			t.Errorf("%s was changed", name)
		}
		os.Remove(filepath.Join(own, name))
	}
	mustRun(t, dir, "run", "small.yaml", "--force")
	stopped := program(t, dir, "run", "small.yaml", "--force", "--set", "time.end=1e9")
	if err := stopped.Start(); err != nil {
		t.Fatal(err)
	}
	gone := false
	for began := time.Now(); !gone && time.Since(began) < time.Minute; time.Sleep(5 * time.Millisecond) {
		_, err := os.Stat(filepath.Join(own, reportName))
		gone = err != nil
	}
	stopped.Process.Kill()
	stopped.Wait()
	if !gone {
		t.Error("the report of the run before is still there")
	}
}

func TestReferences(t *testing.T) {
	keys := func(p physics.Parameters, methods ...multigrid.Method) string {
		var all []string
		for _, r := range cited(&p, methods) {
			all = append(all, r.key)
		}
		return strings.Join(all, " ")
	}
	if got := keys(physics.Parameters{Transport: kernels.WENO5}, multigrid.Direct); got != "nield2017 ascher1995 vanleer1974 borges2008 lynch1964 crameri2021" {
		t.Errorf("cited are %s", got)
	}
	if got := keys(physics.Parameters{Stencil: kernels.SevenPoint + 1}, multigrid.ConjugateGradients); !strings.Contains(got, "hughes2000") || !strings.Contains(got, "hestenes1952") ||
		strings.Contains(got, "vanleer") {
		t.Errorf("cited are %s", got)
	}
	for _, r := range references() {
		if text := r.String(); r.field("author") == "" || r.field("year") == "" || strings.ContainsAny(text, "{}\\") {
			t.Errorf("%s: %s", r.key, text)
		}
	}
}
