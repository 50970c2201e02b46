package series

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"convect/physics"
)

// A table with other columns, or rows later than the start, is refused.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, SeriesName), []byte("step,time\n#1,1\n0,0\n"), 0o666))
	if _, err := New(Options{Dir: dir, Dimensions: 2}); err == nil || !strings.Contains(err.Error(), "other columns") {
		t.Errorf("error %v", err)
	}
	dir = t.TempDir()
	run(t, newWriter(t, dir), 0, 5)
	err := newWriter(t, dir).observe(&fake{3}, physics.Event{Start: true})
	if err == nil || !strings.Contains(err.Error(), "step 5") {
		t.Errorf("error %v", err)
	}
	if _, err := New(Options{Dir: filepath.Join(dir, "none"), Dimensions: 2}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if _, err := New(Options{Dir: t.TempDir()}); err == nil {
		t.Error("a case without dimensions is accepted")
	}
}

// A checkpoint of a step whose row is not there is refused.
func TestSync(t *testing.T) {
	w := newWriter(t, t.TempDir())
	run(t, w, 0, 5)
	must(t, w.Sync(5))
	if err := w.Sync(6); err == nil {
		t.Error("synced a step without a row")
	}
	// A run resumed in another directory has no row of its first step, which is fine.
	w = newWriter(t, t.TempDir())
	run(t, w, 7, 7)
	must(t, w.Sync(7))
	run(t, w, 7, 10)
	if steps, _ := w.Elapsed(); steps != 3 {
		t.Errorf("%d steps", steps)
	}
}

// On a full disk the table ends with a whole row, and no checkpoint can follow.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	w := newWriter(t, dir)
	const last = 3000 // so that the table is longer than what the test itself may write beside it, which the limit holds for as well
	run(t, w, 0, last)
	before := text(t, dir, SeriesName)
	release := limitFileSize(t, uint64(len(before)+50))
	err := w.observe(&fake{last + 1}, physics.Event{})
	release()
	if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), SeriesName) {
		t.Errorf("error %v, want EFBIG and the path", err)
	}
	if after := text(t, dir, SeriesName); after != before {
		t.Errorf("the table has %d bytes where it had %d", len(after), len(before))
	}
	if err := w.Sync(last); err == nil {
		t.Error("synced after a failure")
	}
}

func limitFileSize(t *testing.T, bytes uint64) (release func()) {
	t.Helper()
	var old syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: old.Max}); err != nil {
		t.Skip(err)
	}
	return func() {
		must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old))
		signal.Reset(syscall.SIGXFSZ)
	}
}

func TestReadErrors(t *testing.T) {
	for content, want := range map[string]string{
		"":                          "no header",
		"step,time\n":               "no header",
		"step,time\n0,0\n":          ":2: ",
		"step,time\n#1,1\n0,0\n1\n": ":4: ",
		"step,time\n#1,1\n0,zero\n": `"zero" is no number`,
	} {
		path := filepath.Join(t.TempDir(), SeriesName)
		must(t, os.WriteFile(path, []byte(content), 0o666))
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: error %v, want %q and the path", content, err, want)
		}
	}
}
