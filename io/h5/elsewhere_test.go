package h5

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// elsewhere lays out the files of testdata/elsewhere.c in a folder of their own, with a pipe and a link beside them.
func elsewhere(t *testing.T) string {
	t.Helper()
	above := t.TempDir()
	dir := filepath.Join(above, "own")
	must(t, os.Mkdir(dir, 0o777))
	for from, to := range map[string]string{"elsewhere.h5": "own/elsewhere.h5", "source.h5": "own/source.h5"} {
		data, err := os.ReadFile(filepath.Join("testdata", from))
		must(t, err, os.WriteFile(filepath.Join(above, to), data, 0o666))
	}
	must(t, os.Link(filepath.Join(dir, "source.h5"), filepath.Join(above, "source.h5")))
	must(t, os.Symlink("../source.h5", filepath.Join(dir, "link.h5")), syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666))
	return filepath.Join(dir, "elsewhere.h5")
}

func TestValuesElsewhere(t *testing.T) {
	began := time.Now()
	path := elsewhere(t)
	for _, name := range []string{path, link(t, path)} {
		r := openFile(t, name)
		for dataset, want := range map[string]string{
			"/external":          "another file, /etc/passwd (external storage)",
			"/external_beside":   "another file, pipe (external storage)",
			"/virtual_absolute":  "the file /etc/passwd, which is not named plainly",
			"/virtual_above":     "the file ../source.h5, which is not named plainly",
			"/virtual_pattern":   "the file source%b.h5, which is not named plainly",
			"/virtual_pipe":      "made of pipe, which is no regular file",
			"/virtual_unlimited": "made of pipe, which is no regular file",
			"/virtual_link":      "made of link.h5, which is no regular file",
			"/virtual_chain":     "the file /etc/passwd, which is not named plainly",
			"/virtual_self":      "in too many levels",
			"/virtual_filter":    "filter 32015 (Zstandard), which is not built in here",
			"/filter":            "filter 32015 (Zstandard), which is not built in here",
			"/filter_unnamed":    "filter 31999 (unknown), which is not built in here",
		} {
			_, _, listed := r.Float64s(dataset)
			direct := readJob{path: name, dataset: dataset, memory: asFloat64}.read(make([]byte, 32))
			for _, err := range []error{listed, direct} {
				if !errors.Is(err, ErrRefused) || errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dataset+":") {
					t.Errorf("%s: %v", dataset, err)
				}
			}
		}
		for _, dataset := range []string{"/x", "/virtual", "/virtual_own"} {
			values, _, err := r.Float64s(dataset)
			must(t, err)
			equal(t, dataset, values, []float64{1, 2, 3, 4})
			direct := make([]float64, 4)
			must(t, readJob{path: name, dataset: dataset, memory: asFloat64}.read(asBytes(direct)))
			equal(t, dataset, direct, values)
		}
		for dataset, kind := range map[string]string{"/soft": "soft", "/link": "external"} {
			equal(t, dataset, r.byPath[dataset].Type, kind)
			if err := (readJob{path: name, dataset: "/link", memory: asFloat64}).read(make([]byte, 32)); err == nil {
				t.Error("an external link was followed")
			}
		}
	}
	if took := time.Since(began); took > childTime {
		t.Errorf("it took %v", took)
	}
}

// link makes a symbolic link in another folder, beside which there is nothing.
func link(t *testing.T, to string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "name.h5")
	must(t, os.Symlink(to, name))
	return name
}

// TestEnvironmentLeadsNowhere sets the variables by which libhdf5 finds sources in other folders.
func TestEnvironmentLeadsNowhere(t *testing.T) {
	path := elsewhere(t)
	must(t, os.Remove(filepath.Join(filepath.Dir(path), "source.h5")))
	above := filepath.Dir(filepath.Dir(path))
	t.Setenv("HDF5_VDS_PREFIX", above)
	t.Chdir(above)
	values, _, err := openFile(t, path).Float64s("/virtual")
	must(t, err)
	equal(t, "values of a source that is not there", values, make([]float64, 4))
}

func TestWhatIsThere(t *testing.T) {
	_, _, err := openFile(t, elsewhere(t)).Float64s("/k")
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "which holds /external, /external_beside, /filter,") {
		t.Errorf("got %v", err)
	}
}
