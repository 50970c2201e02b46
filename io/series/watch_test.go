package series

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"convect/physics"
)

// watched is a writer of a directory and what it has told.
func watched(t testing.TB, dir string) (w *Writer, said *[]string) {
	t.Helper()
	said = new([]string)
	w, err := New(Options{Dir: dir, Dimensions: 3, Now: (&clock{}).Now, Notice: func(s string) { *said = append(*said, s) }})
	must(t, err)
	return w, said
}

// stepsOf returns the first column of a table.
func stepsOf(t testing.TB, path string) []float64 {
	t.Helper()
	table, err := Read(path)
	must(t, err)
	return table.Columns[0]
}

// Whatever others do to series.csv during a run is said at the next row, and what is written from then on can be read, with all that is left.
func TestTableChangedDuringTheRun(t *testing.T) {
	cut := func(n int) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			lines := strings.SplitAfter(text(t, filepath.Dir(path), SeriesName), "\n")
			must(t, os.Truncate(path, int64(len(strings.Join(lines[:n], "")))))
		}
	}
	for name, c := range map[string]struct {
		change func(t *testing.T, path string)
		says   string
		lost   []float64
		aside  bool
	}{
		"emptied": {func(t *testing.T, path string) { must(t, os.Truncate(path, 0)) }, "cut during the run by somebody else; the rows of steps 0 to 9 are lost", []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, false},
		"emptied while a row was written": {func(t *testing.T, path string) {
			whole := text(t, filepath.Dir(path), SeriesName)
			at := strings.LastIndexByte(whole[:len(whole)-1], '\n') + 1
			must(t, os.Truncate(path, 0), os.Truncate(path, int64(at)))
			appendTo(t, path, whole[at:])
		}, "cut during the run by somebody else; the rows of steps 0 to 8 are lost", []float64{0, 1, 2, 3, 4, 5, 6, 7, 8}, false},
		"cut": {cut(8), "the rows of steps 6 to 9 are lost", []float64{6, 7, 8, 9}, false},
		"torn": {func(t *testing.T, path string) {
			must(t, os.Truncate(path, int64(len(text(t, filepath.Dir(path), SeriesName))-7)))
		}, "the rows of steps 9 are lost", []float64{9}, false},
		"removed":             {func(t *testing.T, path string) { must(t, os.Remove(path)) }, "was removed during the run: the table is there again; no row is lost", nil, false},
		"moved":               {func(t *testing.T, path string) { must(t, os.Rename(path, path+".1")) }, "was removed during the run: the table is there again; no row is lost", nil, false},
		"replaced":            {replaceBy("step,time\n#1,1\n0,0\n"), "kept as series.csv.old: the table is there again; no row is lost", nil, true},
		"replaced by nothing": {replaceBy(""), "was replaced by another file during the run: the table is there again", nil, false},
		"written behind":      {func(t *testing.T, path string) { appendTo(t, path, "a remark\n") }, "kept as series.csv.old; no row is lost", nil, true},
		"written over": {func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte(strings.Replace(text(t, filepath.Dir(path), SeriesName), "\n4,", "\n4 the fourth,", 1)), 0o666))
		}, "kept as series.csv.old; the rows of steps 4 are lost", []float64{4}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, SeriesName)
			w, said := watched(t, dir)
			run(t, w, 0, 9)
			c.change(t, path)
			must(t, w.observe(&fake{10}, physics.Event{Output: true}))
			if len(*said) != 1 || !strings.Contains((*said)[0], c.says) || !strings.HasPrefix((*said)[0], path) {
				t.Errorf("said %q, want one sentence with %q", *said, c.says)
			}
			must(t, w.observe(&fake{11}, physics.Event{}), w.Sync(11), w.Close())
			var want []float64
			for step := range 12 {
				if !slices.Contains(c.lost, float64(step)) {
					want = append(want, float64(step))
				}
			}
			if got := stepsOf(t, path); !slices.Equal(got, want) {
				t.Errorf("rows of steps %v, want %v", got, want)
			}
			if _, err := os.Stat(path + asideSuffix); (err == nil) != c.aside {
				t.Errorf("kept aside: %v, want %v", err == nil, c.aside)
			}
			if len(*said) != 1 {
				t.Errorf("said again: %q", (*said)[1:])
			}
			a, err := TimeAverage(path, HalfRun)
			must(t, err)
			if a.Missing != int64(len(c.lost)) {
				t.Errorf("%d rows are missing, want %d", a.Missing, len(c.lost))
			}
		})
	}
}

// replaceBy puts another file into the place of a table.
func replaceBy(content string) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		must(t, os.WriteFile(path+".new", []byte(content), 0o666), os.Rename(path+".new", path))
	}
}

// The profiles are looked after as well, and a checkpoint never relies on a table that is gone.
func TestProfilesAndSync(t *testing.T) {
	dir := t.TempDir()
	w, said := watched(t, dir)
	run(t, w, 0, 9)
	must(t, os.Truncate(filepath.Join(dir, ProfilesName), 0), os.Remove(filepath.Join(dir, SeriesName)))
	must(t, w.Sync(9))
	if len(*said) != 2 || !strings.Contains((*said)[1], "profiles.csv was cut during the run by somebody else; rows of output times are lost") {
		t.Errorf("said %q", *said)
	}
	must(t, w.observe(&fake{10}, physics.Event{Output: true}))
	if got := stepsOf(t, filepath.Join(dir, ProfilesName)); !slices.Equal(got, []float64{10, 10, 10}) {
		t.Errorf("profiles of steps %v", got)
	}
	if got := stepsOf(t, filepath.Join(dir, SeriesName)); len(got) != 11 {
		t.Errorf("rows of steps %v", got)
	}
}

// Before a run goes on, a table that others have damaged is mended, and whatever is not in it any more is named.
func TestMend(t *testing.T) {
	for name, c := range map[string]struct {
		content func(whole []string) string // from the lines of steps 0 to 12
		held    []Range
		aside   bool
		silent  bool
	}{
		"whole":            {func(l []string) string { return strings.Join(l, "") }, []Range{{0, 12}}, false, true},
		"torn":             {func(l []string) string { return strings.Join(l, "") + "13,1." }, []Range{{0, 12}}, false, true},
		"junk behind":      {func(l []string) string { return strings.Join(l, "") + "\x00\x00\n13\n" }, []Range{{0, 12}}, false, true},
		"a hole of zeroes": {func(l []string) string { return strings.Repeat("\x00", 4000) + strings.Join(l[8:], "") }, []Range{{6, 12}}, false, false},
		"no header":        {func(l []string) string { return strings.Join(l[2:], "") }, []Range{{0, 12}}, false, false},
		"a strange line":   {func(l []string) string { return strings.Join(l[:6], "") + "who?\n" + strings.Join(l[7:], "") }, []Range{{0, 3}, {5, 12}}, true, false},
		"other columns":    {func(l []string) string { return "step,time\n#1,1\n0,0\n1,1\n" }, nil, true, false},
		"other units":      {func(l []string) string { return l[0] + strings.Replace(l[1], "1", "s", 1) + l[2] }, nil, true, false},
		"ends too early":   {func(l []string) string { return strings.Join(l[:10], "") }, []Range{{0, 7}}, false, true},
		"another text":     {func(l []string) string { return "Dear diary,\nnothing happened.\n" }, nil, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, SeriesName)
			run(t, newWriter(t, dir), 0, 12)
			content := c.content(strings.SplitAfter(text(t, dir, SeriesName), "\n"))
			must(t, os.WriteFile(path, []byte(content), 0o666))
			said, err := Mend(Options{Dir: dir, Dimensions: 3}, 12)
			must(t, err, Cut(dir, 12))
			if (len(said) == 0) != c.silent {
				t.Errorf("said %q", said)
			}
			held, err := Held(dir, 12)
			must(t, err)
			if !slices.Equal(held, c.held) {
				t.Errorf("rows of steps %v, want %v", held, c.held)
			}
			kept, err := os.ReadFile(path + asideSuffix)
			if (err == nil) != c.aside || err == nil && string(kept) != content {
				t.Errorf("kept aside %q: %v", kept, err)
			}
			run(t, newWriter(t, dir), 12, 14)
			if got := stepsOf(t, path); !slices.Equal(got[len(got)-2:], []float64{13, 14}) {
				t.Errorf("rows of steps %v", got)
			}
		})
	}
	if said, err := Mend(Options{Dir: t.TempDir(), Dimensions: 2}, 5); err != nil || said != nil {
		t.Errorf("without tables: %v %v", said, err)
	}
}

// With N = 1 up to t = 4, N = 9 from 6 on and nothing known between, the mean over [0, 10] is that of both spans of 4: 5. A window
// that begins in the hole begins behind it.
func TestTimeAverageLeavesOutHoles(t *testing.T) {
	path := filepath.Join(t.TempDir(), SeriesName)
	b := []byte("step,time,nusselt_hot,nusselt_cold\n#1,1,1,1\n")
	for step := range 11 {
		if n := 1.0; step != 5 {
			if step > 5 {
				n = 9
			}
			b = format(b, []float64{float64(step), float64(step), n, n})
		}
	}
	must(t, os.WriteFile(path, b, 0o666))
	for fraction, want := range map[float64]float64{1: 5, 0.5: 9, 0.7: (1*1 + 4*9) / 5.0} {
		a, err := TimeAverage(path, fraction)
		must(t, err)
		if a.Mean-want > 1e-14 || want-a.Mean > 1e-14 || a.Missing != 1 {
			t.Errorf("over the last %g: %+v, want mean %g", fraction, a, want)
		}
	}
}

func TestRangesText(t *testing.T) {
	for want, ranges := range map[string][]Range{
		"": nil, "3": {{3, 3}}, "0 to 2 and 5": {{0, 2}, {5, 5}}, "1, 3 and 5 to 6": {{1, 1}, {3, 3}, {5, 6}},
		"1, 3, 5, 7, 9 and 3 more such spans": {{1, 1}, {3, 3}, {5, 5}, {7, 7}, {9, 9}, {11, 11}, {13, 13}, {15, 15}},
	} {
		if got := RangesText(ranges); got != want {
			t.Errorf("%v: %q, want %q", ranges, got, want)
		}
	}
}
