package casefile

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"convect/io/checkpoint"
	"convect/io/sampling"
	"convect/kernels"
	"convect/physics"
	"convect/stencil"
)

// Case is a decoded case. Parameters and Controls are nondimensional; Output, Checkpoint and Scales tell how to turn
// results back into the units of the case.
type Case struct {
	Path  string // of the case file
	Title string // the given one, or the case's name
	// Text is the case as run: the file's text where nothing had to be changed, else written anew with the overrides
	// in place and the paths of other files absolute.
	Text        string
	Dimensional *physics.Dimensional // nil for a case without units
	Scales      physics.Scales
	Parameters  physics.Parameters // complete after Build
	Controls    physics.Controls
	Output      Output
	Checkpoint  Checkpoint

	plan      plan
	si        bool            // physics.dimensional is given, right or wrong
	ranges    []PropertyRange // of the medium as built
	gridFiles []*gridFile     // fields read from files
	uniform   bool            // build with references in their place
	filesRead []FileRead
	root      section
	d         *decoder

	file      []byte // the text before the overrides
	overrides []string
}

// Output tells what a snapshot holds, and what is measured besides.
type Output struct {
	Fields    []string // names of the case file, in its order
	Precision kernels.Elem
	Compress  bool
	Scheduled bool // no snapshots on top at the start and the end
	Probes    []sampling.Probe
	Slices    []sampling.Slice
	Averages  []sampling.Average
}

// Checkpoint tells when a checkpoint is due; one of Wall, Time and Steps is set.
type Checkpoint struct {
	Wall  time.Duration
	Time  float64 // nondimensional
	Steps int64
	Keep  int // newest ones kept
	// Unended leaves out that of the end of a run.
	Unended bool
}

// plan is what the case says about the parts of Parameters that need arrays.
type plan struct {
	permeability permeability
	viscosity    viscosity
	lightness    lightness
	storage      storage
	diffusion    directional
	source       field
	terms        []givenTerm
	solutes      []*solute
	tables       []*table // in time
	walls        [6]wall
	patches      []patch
	temperature  start
	wells        []well
}

// Parse decodes the text of a case with overrides "key=value". path names the file in errors; relative paths in the
// case start at its folder. Parse reads no other file and allocates no arrays: see [Case.Build].
func Parse(path string, text []byte, overrides []string) (*Case, error) {
	c := read(path, text, overrides)
	if err := c.wrong(); err != nil {
		return nil, err
	}
	return c, nil
}

// read decodes the text of a case as far as it makes sense.
func read(path string, text []byte, overrides []string) *Case {
	root, wrong := parseFile(path, text)
	for _, o := range overrides {
		wrong = append(wrong, apply(root, o)...)
	}
	c := decode(path, root, wrong)
	if len(c.d.errors) > 0 {
		return c
	}
	c.file, c.overrides = text, overrides
	c.Text = string(text)
	if moved := absolutePaths(root, c.d.dir); moved || len(overrides) > 0 {
		c.Text = emit(root, fmt.Sprintf("%s as run, with %s", filepath.Base(path), changes(overrides, moved)))
	}
	return c
}

// parseFile reads the text of a case into a tree.
func parseFile(path string, text []byte) (*node, Errors) {
	root, wrong := parse(path, bytes.TrimPrefix(text, []byte("\ufeff")), "") // some editors begin with a byte order mark
	if root.kind == empty && len(wrong) == 0 {
		root.kind = mapping
	}
	return root, wrong
}

// decode decodes the tree of a case, in which something is wrong already.
func decode(path string, root *node, wrong Errors) *Case {
	d := &decoder{file: path, dir: filepath.Dir(path), schema: schema(tracerNames(root)), errors: wrong}
	c := &Case{Path: path, d: d}
	c.decode(d.root(root))
	return c
}

// wrong returns all that is wrong with the case, nil where nothing is.
func (c *Case) wrong() error {
	if len(c.d.errors) == 0 {
		return nil
	}
	c.d.errors.sort()
	return c.d.errors
}

// changes says in words why a text was written anew.
func changes(overrides []string, moved bool) string {
	var words []string
	for _, o := range overrides {
		words = append(words, "--set "+strings.Join(strings.Fields(o), " "))
	}
	if moved {
		words = append(words, "absolute paths")
	}
	return strings.Join(words, " ")
}

// decode reads every section.
func (c *Case) decode(root value) {
	top, _ := root.section()
	c.root = top
	c.Title = top.get("title").text()
	if c.Title == "" {
		c.Title = Name(c.Path)
	}
	c.findSolutes(top.get("physics"))
	c.decodePhysicalScales(top.get("physics"))
	c.decodeGrid(top.get("grid"))
	c.decodePhysics(top.get("physics"))
	c.decodeBoundaries(top.get("boundaries"))
	c.decodeWells(top.get("wells"))
	c.checkGrading()
	c.decodeInitial(top.get("initial"))
	c.decodeTime(top.get("time"))
	c.decodeSolver(top.get("solver"))
	c.decodeOutput(top.get("output"))
	c.decodeCheckpoint(top.get("checkpoint"))
}

// Name returns the name of the case in a file: the file's name without extension, or for case.yaml that of its
// folder, without ".out". A checkpoint in a run directory has that of case.yaml there.
func Name(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if folder := filepath.Dir(path); filepath.Base(folder) == checkpoint.Folder && filepath.Ext(path) == ".h5" {
		path = filepath.Join(filepath.Dir(folder), "case.yaml")
	}
	base := filepath.Base(path)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	if name != "case" {
		return name
	}
	folder := strings.TrimSuffix(filepath.Base(filepath.Dir(path)), ".out") // a run directory has the name of its case
	if folder != string(filepath.Separator) && folder != "" && folder != "." {
		return folder
	}
	return name
}

// Steer takes over from a case that differs in the end of the run or its outputs alone what these are, and leaves what was built as it is.
func (c *Case) Steer(next *Case) {
	c.Text, c.Controls, c.root, c.d, c.overrides = next.Text, next.Controls, next.root, next.d, next.overrides
}

// Extent returns the grid's extent.
func (c *Case) Extent() stencil.Extent { return c.Parameters.Extent }

// flat tells whether y is absent.
func (c *Case) flat() bool { return c.Parameters.Extent.Cells[kernels.Y] == 0 }

// Nodes returns the number of nodes, as a float64 since a hostile case may ask for more than an int holds.
func (c *Case) Nodes() float64 {
	e, n := c.Parameters.Extent, 1.0
	for d, cells := range e.Cells {
		switch {
		case cells == 0:
		case e.Periodic[d]:
			n *= float64(cells)
		default:
			n *= float64(cells + 1)
		}
	}
	return n
}
