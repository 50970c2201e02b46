package snapshot

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"convect/io/h5"
	"convect/io/header"
	"convect/physics"
)

// A file that is damaged, foreign or of another step is left out of the sidecars, with the reason; those beside it are not.
func TestDamagedSnapshotsAreLeftOut(t *testing.T) {
	o := options(filepath.Join(t.TempDir(), "a [strange] *name?"))
	must(t, os.Mkdir(o.Dir, 0o777))
	write(t, newWriter(t, o), box(), 0, 1, 2, 3, 4, 5)
	at := func(step int64) string { return filepath.Join(o.Dir, Folder, fileName(step)) }
	must(t, os.Truncate(at(1), 3000))
	must(t, os.WriteFile(at(2), []byte("not HDF5"), 0o666))
	foreign(t, at(3))
	must(t, os.Rename(at(4), at(9)))
	must(t, os.WriteFile(at(7)+".tmp", nil, 0o666), os.WriteFile(filepath.Join(o.Dir, XDMFName+".tmp"), nil, 0o666))
	present, skipped, err := List(o.Dir, 9)
	must(t, err)
	var steps []int64
	for _, e := range present {
		steps = append(steps, e.Step)
	}
	if !slices.Equal(steps, []int64{0, 5}) {
		t.Errorf("listed %v", steps)
	}
	reasons := []error{h5.ErrDamaged, h5.ErrNotHDF5, header.ErrForeign}
	if len(skipped) != 4 || !strings.Contains(skipped[3].Error(), "it holds step 4") {
		t.Fatalf("skipped %v", skipped)
	}
	for i, reason := range reasons {
		if err := skipped[i]; !errors.Is(err, reason) || !strings.Contains(err.Error(), fileName(int64(i+1))) {
			t.Errorf("skipped with %v, want %v", err, reason)
		}
	}
	if _, early, err := List(o.Dir, 2); err != nil || len(early) != 2 {
		t.Errorf("skipped %v up to step 2: %v", early, err)
	}
	o.Present = present
	write(t, newWriter(t, o), box(), 6)
	if xmf := text(t, o.Dir, XDMFName); strings.Count(xmf, "<Time ") != 3 || strings.Contains(xmf, fileName(2)) {
		t.Errorf("sidecar:\n%s", xmf)
	}
	for _, name := range []string{at(7), filepath.Join(o.Dir, XDMFName)} {
		if _, err := os.Stat(name + ".tmp"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s.tmp is still there", name)
		}
	}
	cutAt(t, o.Dir, 0) // removes the unusable ones too
	if got := files(t, o.Dir); !slices.Equal(got, []string{fileName(0)}) {
		t.Errorf("files after a cut at 0: %v", got)
	}
}

// foreign replaces a file by HDF5 of someone else.
func foreign(t *testing.T, path string) {
	t.Helper()
	w, err := h5.Create(path)
	must(t, err, w.Float64s("/k", []int{2}, []float64{1, 2}), w.Commit())
}

// A file that the system does not let be read may be whole: no list is made without it.
func TestUnreadableIsNotLeftOut(t *testing.T) {
	o := options(t.TempDir())
	must(t, os.MkdirAll(filepath.Join(o.Dir, Folder), 0o777))
	path := filepath.Join(o.Dir, Folder, fileName(3))
	must(t, os.Symlink(path, path)) // to itself
	present, skipped, err := List(o.Dir, 9)
	if err == nil || len(present) > 0 || len(skipped) > 0 {
		t.Fatalf("present %v, skipped %v, error %v", present, skipped, err)
	}
	for _, want := range []string{path, "too many levels of symbolic links", "may be whole", "move it out of " + filepath.Dir(path)} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q, want %q", err, want)
		}
	}
	if _, _, err := List(o.Dir, 2); err != nil {
		t.Errorf("up to an earlier step: %v", err)
	}
}

func TestReadRefuses(t *testing.T) {
	o := options(t.TempDir())
	write(t, newWriter(t, o), box(), 1)
	path := filepath.Join(o.Dir, Folder, fileName(1))
	if _, err := Read(path, "vorticity"); err == nil || !strings.Contains(err.Error(), `"vorticity"`) {
		t.Errorf("error %v", err)
	}
	if _, err := Read(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	data, err := os.ReadFile(path)
	must(t, err)
	data[len(data)/2] ^= 1
	must(t, os.WriteFile(path, data, 0o666))
	if _, err := Read(path); !errors.Is(err, h5.ErrDamaged) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want damaged", err)
	}
}

// On a full disk the earlier snapshots and their sidecars stay as they are.
func TestDiskFull(t *testing.T) {
	o := options(t.TempDir())
	w := newWriter(t, o)
	write(t, w, box(), 1)
	xmf := text(t, o.Dir, XDMFName)
	release := limitFileSize(t, 3000)
	must(t, w.observe(&fake{step: 2, grid: box()}, physics.Event{Output: true}))
	err := w.Wait()
	release()
	if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), fileName(2)) {
		t.Errorf("error %v, want EFBIG and the path", err)
	}
	if got := files(t, o.Dir); !slices.Equal(got, []string{fileName(1)}) || text(t, o.Dir, XDMFName) != xmf {
		t.Errorf("files %v and sidecar after a failure", got)
	}
	if err := w.Write(&fake{step: 3, grid: box(), fail: "velocity"}); err == nil || !strings.Contains(err.Error(), "velocity: device lost") {
		t.Errorf("error %v", err)
	}
	write(t, w, box(), 4)
	if got := files(t, o.Dir); !slices.Equal(got, []string{fileName(1), fileName(4)}) {
		t.Errorf("files %v after there was room again", got)
	}
}

// A file that cannot be named, when it and others are under way, fails within four outputs, by the number of its step; the others are there.
func TestFailureShows(t *testing.T) {
	o := options(t.TempDir())
	w := newWriter(t, o)
	must(t, os.Mkdir(filepath.Join(o.Dir, Folder, fileName(2)), 0o777)) // in the way of the name
	var failures []error
	failed := int64(0)
	for step := int64(1); step <= 8; step++ {
		err := w.observe(&fake{step: step, grid: box()}, physics.Event{Output: true})
		if err == nil {
			continue
		}
		failures, failed = append(failures, err), step
	}
	if err := w.Wait(); err != nil {
		failures = append(failures, err)
	}
	if len(failures) != 1 || !strings.Contains(failures[0].Error(), "snapshot of step 2") || failed > 6 {
		t.Fatalf("failures %v, at output %d", failures, failed)
	}
	must(t, os.Remove(filepath.Join(o.Dir, Folder, fileName(2))))
	var want []string
	for step := int64(1); step <= 8; step++ {
		if step != 2 && step != failed { // that output was not taken
			want = append(want, fileName(step))
		}
	}
	if got := files(t, o.Dir); !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	if xmf := text(t, o.Dir, XDMFName); strings.Count(xmf, "<Time ") != len(want) {
		t.Errorf("sidecar:\n%s", xmf)
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

func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, Folder), nil, 0o666)) // a file in place of the folder
	if _, err := New(options(dir)); err == nil || !strings.Contains(err.Error(), Folder) {
		t.Errorf("error %v", err)
	}
}
