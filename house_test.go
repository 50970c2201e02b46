package convect

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// order lists the floors of the house: a package imports from its own floor and those before it.
var order = []string{"convect/kernels", "convect/stencil", "convect/multigrid", "convect/physics", "convect/io", "convect/lab", "convect/cmd"}

// owners lists who may import a module from outside. One that is not listed has no place yet.
var owners = map[string][]string{
	"gorgonia.org/cu":              {"convect/kernels/cuda/driver"},
	"gonum.org/v1/hdf5":            {"convect/io/h5"},
	"github.com/klauspost":         {"convect/io/h5"},
	"golang.org/x/sys":             {"convect/kernels", "convect/io", "convect/cmd"},
	"golang.org/x/sync":            {"convect/kernels", "convect/io", "convect/cmd"},
	"gonum.org/v1/gonum":           {"convect/stencil", "convect/multigrid", "convect/physics", "convect/io", "convect/lab", "convect/cmd"},
	"gonum.org/v1/plot":            {"convect/cmd"},
	"codeberg.org/go-pdf/fpdf":     {"convect/cmd/convect/figure"},
	"golang.org/x/image":           {"convect/cmd/convect/figure"},
	"github.com/goccy/go-yaml":     {"convect/cmd/convect"},
	"github.com/expr-lang/expr":    {"convect/cmd/convect"},
	"github.com/spf13/pflag":       {"convect/cmd/convect"},
	"github.com/rs/zerolog":        {"convect/cmd/convect"},
	"github.com/vbauerster/mpb/v8": {"convect/cmd/convect"},
}

// exact lists the modules whose owner does not share them with the packages below it.
var exact = []string{"github.com/spf13/pflag", "github.com/rs/zerolog", "github.com/vbauerster/mpb/v8", "gonum.org/v1/hdf5"}

// devices are implementations, with what is below them, that only the command may choose, and the laboratory extends.
var devices = []string{"convect/kernels/cpu", "convect/kernels/cuda"}

// pkg is what the go command says of a package.
type pkg struct {
	ImportPath, Dir, Doc string
	Imports              []string // of its files that are not tests
}

// packages lists the packages of the module.
func packages(t *testing.T) []pkg {
	t.Helper()
	list := exec.Command("go", "list", "-json=ImportPath,Dir,Doc,Imports", "./...")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// under tells whether a path is a package or below it.
func under(path, top string) bool { return path == top || strings.HasPrefix(path, top+"/") }

func floor(path string) int {
	return slices.IndexFunc(order, func(top string) bool { return under(path, top) })
}

func TestImportsGoOneWay(t *testing.T) {
	for _, p := range packages(t) {
		own := floor(p.ImportPath)
		if own < 0 && p.ImportPath != "convect" {
			t.Errorf("%s stands on no floor of the house", p.ImportPath)
		}
		for _, i := range p.Imports {
			if under(i, "convect/lab") && !under(p.ImportPath, "convect/lab") && p.ImportPath != "convect/cmd/convect/bench" {
				t.Errorf("%s imports %s; only the benchmarks go to the laboratory", p.ImportPath, i)
			}
			if under(i, "convect") && floor(i) > own {
				t.Errorf("%s imports %s, which stands above it", p.ImportPath, i)
			}
			for _, device := range devices {
				if under(i, device) && !under(p.ImportPath, device) && floor(p.ImportPath) < floor("convect/lab") {
					t.Errorf("%s imports %s, a device's; only the command chooses one", p.ImportPath, i)
				}
			}
			if i == "convect/kernels/devicetest" && p.ImportPath != "convect/lab/labtest" {
				t.Errorf("%s imports %s, which is for tests", p.ImportPath, i)
			}
		}
	}
}

func TestLibrariesHaveOwners(t *testing.T) {
	for _, p := range packages(t) {
		for _, i := range p.Imports {
			first, _, _ := strings.Cut(i, "/")
			if under(i, "convect") || !strings.Contains(first, ".") { // ours, or the standard library
				continue
			}
			if !mayImport(p.ImportPath, i) {
				t.Errorf("%s imports %s, which it does not own", p.ImportPath, i)
			}
		}
	}
}

// mayImport tells whether a package, or one above it, owns an outside package.
func mayImport(path, library string) bool {
	for module, allowed := range owners {
		if !under(library, module) {
			continue
		}
		return slices.ContainsFunc(allowed, func(owner string) bool {
			return path == owner || (under(path, owner) && !slices.Contains(exact, module))
		})
	}
	return false
}

func TestEveryPackageHasADoc(t *testing.T) {
	for _, p := range packages(t) {
		if _, err := os.Stat(filepath.Join(p.Dir, "doc.go")); err != nil {
			t.Errorf("%s has no doc.go", p.ImportPath)
		}
		if p.Doc == "" {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

// experiments are words of the laboratory's kernels, as Go, C and files call them.
var experiments = []string{"LaplaceJacobi", "laplace_", "Poisson2D", "poisson2d", "HierarchicalJacobi", "hierarchical_jacobi", "HierarchicalCube",
	"hierarchical_cube", "HierarchicalSmooth", "hierarchical_smooth", "hierarchical Jacobi", "islam", "ColumnOperator", "ColumnApply", "ColumnSolve", "column_solve",
	"column_apply", "MatrixApply"}

// The product knows nothing of the laboratory: a kernel that only a benchmark runs lives there.
func TestLaboratoryIsApart(t *testing.T) {
	for _, top := range []string{"kernels", "stencil", "multigrid", "physics", "io"} {
		err := filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				if err == nil && d.Name() == "built" { // what scripts/kernels.sh has made
					return filepath.SkipDir
				}
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, word := range experiments {
				if strings.Contains(path, word) || strings.Contains(string(text), word) {
					t.Errorf("%s speaks of %s, which is the laboratory's", path, word)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
