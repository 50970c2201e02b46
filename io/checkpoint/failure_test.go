package checkpoint

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"convect/io/h5"
	"convect/io/header"
	"convect/kernels"
	"convect/physics"
)

func flip(t testing.TB, path string, at int) {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	data[at] ^= 0x10
	must(t, os.WriteFile(path, data, 0o666))
}

// A full disk leaves the last whole checkpoint, and says what failed.
func TestDiskFull(t *testing.T) {
	o := options(t.TempDir())
	o.Keep = 1
	w := newWriter(t, o)
	must(t, w.Write(&fake{step: 1, precision: kernels.Float64}))
	release := limitFileSize(t, 4000)
	err := w.Write(&fake{step: 2, precision: kernels.Float64})
	release()
	if err == nil || !strings.Contains(err.Error(), fileName(2)) || !errors.Is(err, syscall.EFBIG) {
		t.Errorf("error %v, want EFBIG and the path", err)
	}
	found, skipped, err := Latest(o.Dir)
	if found != path(o.Dir, 1) || len(skipped) != 0 || err != nil {
		t.Errorf("latest %q, skipped %v, error %v", found, skipped, err)
	}
	if files, _ := os.ReadDir(filepath.Join(o.Dir, Folder)); len(files) != 1 {
		t.Errorf("%d files are left, want 1", len(files))
	}
	must(t, w.Write(&fake{step: 2})) // room again
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
	if _, _, err := Latest(dir); err == nil {
		t.Error("a file in place of the folder passes for no checkpoints")
	}
}

// Files of others, and of ours whose parts do not fit together, are refused.
func TestForeign(t *testing.T) {
	tests := map[string]struct {
		change  func(w *h5.Writer, c *Checkpoint)
		message string
	}{
		"no header": {func(w *h5.Writer, c *Checkpoint) { w.Float64s("/k", []int{2}, []float64{1, 2}) }, "foreign file"},
		"snapshot":  {func(w *h5.Writer, c *Checkpoint) { c.Kind = header.Snapshot; c.Header.Write(w) }, "a snapshot where"},
		"no device": {func(w *h5.Writer, c *Checkpoint) { c.Header.Write(w) }, "device"},
		"no fields": {func(w *h5.Writer, c *Checkpoint) { full(w, c) }, "no fields"},
		"axes":      {func(w *h5.Writer, c *Checkpoint) { full(w, c); w.Float64s("/fields/t", []int{2}, []float64{1, 2}) }, "axes [2]"},
		"text":      {func(w *h5.Writer, c *Checkpoint) { full(w, c); w.Text("/fields/t", "x") }, "/fields/t"},
		"scalar":    {func(w *h5.Writer, c *Checkpoint) { full(w, c); w.Float64s("/scalars/dt", []int{2}, []float64{1, 2}) }, "2 values"},
	}
	for name, test := range tests {
		file := filepath.Join(t.TempDir(), "a.h5")
		w, err := h5.Create(file)
		must(t, err)
		test.change(w, &Checkpoint{Header: header.New(header.Checkpoint, &fake{step: 3}, physics.Nondimensional())})
		must(t, w.Commit())
		if _, err := Read(file); err == nil || !strings.Contains(err.Error(), test.message) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: error %v, want %q and the path", name, err, test.message)
		}
	}
}

// full writes all of the header.
func full(w *h5.Writer, c *Checkpoint) {
	c.Header.Write(w)
	w.AttrString(header.Group, "device", "cpu")
	w.AttrString(header.Group, "instruction", "")
}

// FuzzRead damages a checkpoint: reading it gives an error or what was written, never a crash.
func FuzzRead(f *testing.F) {
	o := options(f.TempDir())
	must(f, newWriter(f, o).Write(&fake{step: 1}))
	intact, err := os.ReadFile(path(o.Dir, 1))
	must(f, err)
	want, err := Read(path(o.Dir, 1))
	must(f, err)
	f.Add(0, []byte{}, len(intact))
	f.Add(100, []byte{0xff, 0xff}, len(intact))
	f.Add(0, []byte{}, 3000)
	f.Add(0, intact[:200], 200)
	file := filepath.Join(f.TempDir(), "a.h5")
	f.Fuzz(func(t *testing.T, at int, change []byte, size int) {
		data := slices.Clone(intact)
		if at >= 0 && at < len(data) {
			copy(data[at:], change)
		}
		if size >= 0 && size < len(data) {
			data = data[:size]
		}
		must(t, os.WriteFile(file, data, 0o666))
		got, err := Read(file)
		if err == nil && !cmp.Equal(want, got) {
			t.Error("a damaged checkpoint was read as if it were whole")
		}
	})
}
