package series

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// However a run is torn, cutting at a checkpoint and running on gives the tables of an uninterrupted run.
func TestCutAndResume(t *testing.T) {
	whole := t.TempDir()
	run(t, newWriter(t, whole), 0, 23)
	for _, torn := range []struct{ series, profiles string }{
		{"", ""}, {"18,1.8000000000000000", "20,2,0"}, {"18", "20,2,0,1,0\n20,2,0.5,2.8"},
		{"\x00\x00\x00\n\x00\x00", "20,\n\x00\x00"},
	} {
		dir := t.TempDir()
		w := newWriter(t, dir)
		run(t, w, 0, 17)
		must(t, w.Sync(17))
		appendTo(t, filepath.Join(dir, SeriesName), torn.series)
		appendTo(t, filepath.Join(dir, ProfilesName), torn.profiles)
		must(t, Cut(dir, 12))
		w = newWriter(t, dir)
		run(t, w, 12, 23)
		if diff := cmp.Diff(exact(t, whole), exact(t, dir)); diff != "" {
			t.Errorf("series (-uninterrupted +resumed):\n%s", diff)
		}
		if diff := cmp.Diff(text(t, whole, ProfilesName), text(t, dir, ProfilesName)); diff != "" {
			t.Errorf("profiles (-uninterrupted +resumed):\n%s", diff)
		}
		// Wall time goes on from that of the row of the checkpoint: 13 s there, then a second a row.
		if steps, seconds := w.Elapsed(); steps != 23 || seconds != 13+11 {
			t.Errorf("%d steps in %g s", steps, seconds)
		}
	}
}

func appendTo(t testing.TB, path, s string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(s)
	must(t, err, f.Close())
}

// Without a cut a torn line goes, and nothing else.
func TestTornLine(t *testing.T) {
	dir := t.TempDir()
	run(t, newWriter(t, dir), 0, 5)
	want := text(t, dir, SeriesName)
	appendTo(t, filepath.Join(dir, SeriesName), "6,0.6,1.2")
	table, err := Read(filepath.Join(dir, SeriesName))
	must(t, err)
	if table.Rows() != 6 {
		t.Errorf("%d rows", table.Rows())
	}
	newWriter(t, dir)
	if got := text(t, dir, SeriesName); got != want {
		t.Errorf("the table is now\n%s", got)
	}
	must(t, os.Truncate(filepath.Join(dir, SeriesName), 100)) // within the header
	must(t, Cut(dir, 5))
	run(t, newWriter(t, dir), 5, 6)
	if got := strings.Count(text(t, dir, SeriesName), "\n"); got != 3 {
		t.Errorf("%d lines after a torn header", got)
	}
}

func TestCut(t *testing.T) {
	dir := t.TempDir()
	must(t, Cut(dir, 3), Cut(dir, -1)) // nothing there
	run(t, newWriter(t, dir), 0, 5)
	must(t, Cut(dir, -1))
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("%d files after everything was cut", len(files))
	}
	// A row that a checkpoint relies on is not dropped silently.
	path := filepath.Join(dir, SeriesName)
	run(t, newWriter(t, dir), 0, 5)
	must(t, os.WriteFile(path, []byte(strings.Replace(text(t, dir, SeriesName), "\n3,", "\n3;", 1)), 0o666))
	err := Cut(dir, 4)
	if err == nil || !strings.Contains(err.Error(), path+":6: ") {
		t.Errorf("error %v, want %s:6", err, path)
	}
	must(t, Cut(dir, 2))
}
