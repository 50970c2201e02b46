package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"convect/io/h5"
	"convect/io/header"
	"convect/physics"
)

// A checkpoint that cannot be read, or that is of others, is neither called damaged nor passed over for an older one, which would cost it.
func TestUnreadableIsNotDamaged(t *testing.T) {
	for name, c := range map[string]struct {
		put  func(file string)
		want string
	}{
		"a link to itself": {func(file string) { must(t, os.Symlink(file, file)) }, "too many levels of symbolic links"},
		"of others": {func(file string) {
			w, err := h5.Create(file)
			must(t, err, w.Float64s("/k", []int{1}, []float64{1}), w.Commit())
		}, "foreign file"},
		"a snapshot": {func(file string) {
			w, err := h5.Create(file)
			must(t, err)
			header.New(header.Snapshot, &fake{step: 9}, physics.Nondimensional()).Write(w)
			must(t, w.Commit())
		}, "a snapshot where a checkpoint is needed"},
	} {
		o := options(t.TempDir())
		must(t, newWriter(t, o).Write(&fake{step: 3}))
		c.put(path(o.Dir, 9))
		found, skipped, err := Latest(o.Dir)
		var unreadable *UnreadableError
		if found != "" || len(skipped) > 0 || !errors.As(err, &unreadable) || unreadable.Path != path(o.Dir, 9) {
			t.Fatalf("%s: latest %q, skipped %v, error %v", name, found, skipped, err)
		}
		for _, want := range []string{c.want, path(o.Dir, 9), "move it out of " + filepath.Join(o.Dir, Folder)} {
			if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "damaged") {
				t.Errorf("%s: error %v, want %q", name, err, want)
			}
		}
		must(t, os.Remove(path(o.Dir, 9)))
		must(t, os.Symlink(filepath.Join(o.Dir, "nowhere"), path(o.Dir, 9))) // is nobody's
		if found, skipped, err = Newest(filepath.Join(o.Dir, Folder)); found != path(o.Dir, 3) || len(skipped) != 1 || err != nil {
			t.Errorf("newest %q, skipped %v, error %v", found, skipped, err)
		}
	}
	if !errors.Is(&UnreadableError{"a", syscall.EACCES}, os.ErrPermission) {
		t.Error("the cause is hidden")
	}
}

// What identifies other files comes back, and is not needed.
func TestFilesRoundTrip(t *testing.T) {
	for _, files := range []map[string]string{nil, {"physics.permeability.file": "sha256:12", "boundaries.patches[0].temperature.table": "sha256:34"}} {
		o := options(t.TempDir())
		o.Files = files
		must(t, newWriter(t, o).Write(&fake{step: 3}))
		c, err := Read(path(o.Dir, 3))
		must(t, err)
		if diff := cmp.Diff(files, c.Files); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
