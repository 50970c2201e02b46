package bench

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"convect/cmd/convect/bench/report"
	"convect/kernels"
	"convect/lab/mueller"
)

// Options choose what a benchmark measures. Zero values stand for the benchmark's own.
type Options struct {
	Size      []int  // see Benchmark.Size
	Precision string // an element type, mixed (solvers), or all
	Threads   int
	Repeat    int           // samples behind each median
	Budget    time.Duration // time for the samples of one row; slow rows take fewer samples
	Quick     bool          // small sizes and few samples where they are left open; excludes Size
	// Of benchmarks with Columns: ω in column widths, λ and H.
	Omega, Lambda, Depth float64
	// Of benchmarks with rows to choose: those chosen (nil: all), a report to be compared with, and the steps before the timing.
	Rows    []string
	Against string
	Develop int
}

// Environment is what benchmarks need from the command.
type Environment struct {
	// Open opens the device to measure with so many threads (0: all cores); a GPU ignores them.
	Open     func(threads int) (kernels.Device, error)
	Command  string // to be written into the report
	Version  string
	Progress func(text string) // told what is measured next; may be nil
}

// Benchmark is one of the benchmarks.
type Benchmark struct {
	Name    string
	Title   string
	Source  string // the paper
	Text    string // what it measures, for the help
	Size    []int  // default size: along each axis, or one number
	Axes    []int  // how many numbers --size may have
	Repeat  int    // default
	Kinds   []string
	GPU     []int // default size on a device other than the processor; nil: Size
	Columns bool  // takes ω, λ and H
	Rows    bool  // takes Rows, Against and Develop
	measure func(r *run) error
}

// Precisions, in the order in which they are measured.
const (
	float32Name = "float32"
	float64Name = "float64"
	mixedName   = "mixed"
	allNames    = "all"
)

// OptionError tells that an option makes no sense.
type OptionError struct{ Text string }

// Error returns the text.
func (e *OptionError) Error() string { return e.Text }

// ErrNotOffered tells that the device does not offer the kernels of a benchmark.
var ErrNotOffered = errors.New("the device does not offer the kernels of this benchmark")

// All returns the benchmarks in the order of the help.
func All() []Benchmark {
	return []Benchmark{jacobi(), poisson2d(), stencils(), solvers(), steps(), cases(), columns(), hierarchicals()}
}

// Find returns the benchmark of a name.
func Find(name string) (Benchmark, error) {
	var names []string
	for _, b := range All() {
		if b.Name == name {
			return b, nil
		}
		names = append(names, b.Name)
	}
	return Benchmark{}, &OptionError{fmt.Sprintf("there is no benchmark %q; there are %s", name, strings.Join(names, ", "))}
}

// run is one run of a benchmark.
type run struct {
	Benchmark
	env     Environment
	options Options
	dev     kernels.Device
	report  *report.Report
	kinds   []string // precisions to measure
	copies  map[copyKey]*plainCopy
}

// RowsError tells of rows of a report that failed. The others have their figures.
type RowsError struct{ Failed []string }

// Error returns what became of them.
func (e *RowsError) Error() string { return strings.Join(e.Failed, "; ") }

// Run measures. An *OptionError tells of options that make no sense; a *RowsError comes with a report; other errors are those of the device, of a check that
// failed, or of memory.
func (b Benchmark) Run(env Environment, o Options) (*report.Report, error) {
	r := &run{Benchmark: b, env: env, options: o, copies: map[copyKey]*plainCopy{}}
	if err := r.setOptions(); err != nil {
		return nil, err
	}
	var err error
	if r.dev, err = env.Open(o.Threads); err != nil {
		return nil, err
	}
	defer r.close()
	if b.GPU != nil && len(o.Size) == 0 && !o.Quick && r.dev.Info().Name != "cpu" {
		r.options.Size = b.GPU
	}
	r.report = r.newReport()
	var rows *RowsError
	if err := b.measure(r); err != nil && !errors.As(err, &rows) {
		return nil, fmt.Errorf("bench %s: %w", b.Name, err)
	}
	r.addPapers()
	if err := r.report.Verify(); err != nil {
		return nil, fmt.Errorf("bench %s: %w", b.Name, err)
	}
	if rows != nil {
		return r.report, fmt.Errorf("bench %s: %w", b.Name, rows)
	}
	return r.report, nil
}

// Check returns the *OptionError that Run would return.
func (b Benchmark) Check(o Options) error {
	r := &run{Benchmark: b, options: o}
	return r.setOptions()
}

// Offers tells whether a benchmark measures in a precision, and with nothing or all given.
func (b Benchmark) Offers(precision string) bool {
	return precision == "" || precision == allNames || slices.Contains(b.Kinds, precision)
}

// Failed returns the report of a run that ended with an error.
func (b Benchmark) Failed(env Environment, o Options, why error) *report.Report {
	return &report.Report{Benchmark: b.Name, Title: b.Title, Source: b.Source, Text: b.Text, Command: env.Command, Version: env.Version,
		Date: time.Now().Format(time.RFC3339), Quick: o.Quick, Error: why.Error()}
}

// setOptions fills in what the options leave open.
func (r *run) setOptions() error {
	o := &r.options
	if err := r.setQuick(o); err != nil {
		return err
	}
	if len(o.Size) == 0 {
		o.Size = r.Size
	}
	fits := false
	for _, n := range r.Axes {
		fits = fits || n == len(o.Size)
	}
	if !fits {
		return &OptionError{fmt.Sprintf("--size has %d numbers; bench %s takes as %s", len(o.Size), r.Name, sizeText(r.Size))}
	}
	for _, n := range o.Size {
		if n < 3 {
			return &OptionError{fmt.Sprintf("--size %s: %d is too small", sizeText(o.Size), n)}
		}
	}
	if o.Repeat == 0 {
		o.Repeat = r.Repeat
	}
	if o.Budget == 0 {
		o.Budget = 2 * time.Second
	}
	if o.Repeat < 1 || o.Budget < 0 {
		return &OptionError{"--repeat and --budget must be positive"}
	}
	if err := r.setColumns(); err != nil {
		return err
	}
	if err := r.checkRows(); err != nil {
		return err
	}
	return r.setKinds()
}

// setColumns checks ω, λ and H; zero stands for those of the paper.
func (r *run) setColumns() error {
	o, standard := &r.options, mueller.Standard(1, 1, false)
	for _, v := range []struct {
		option   string
		value    *float64
		standard float64
	}{{"omega", &o.Omega, standard.Courant}, {"lambda", &o.Lambda, standard.Lambda}, {"H", &o.Depth, standard.Depth}} {
		switch {
		case *v.value == 0:
			*v.value = v.standard
		case !r.Columns:
			return &OptionError{fmt.Sprintf("bench %s has no --%s; bench pcg has", r.Name, v.option)}
		case !(*v.value > 0) || math.IsInf(*v.value, 0):
			return &OptionError{fmt.Sprintf("--%s %g: accepted are positive numbers", v.option, *v.value)}
		}
	}
	return nil
}

func (r *run) setKinds() error {
	switch r.options.Precision {
	case "":
		r.kinds = r.Kinds[:1]
		return nil
	case allNames:
		r.kinds = r.Kinds
		return nil
	}
	for _, k := range r.Kinds {
		if k == r.options.Precision {
			r.kinds = []string{k}
			return nil
		}
	}
	return &OptionError{fmt.Sprintf("--precision %s: accepted are %s, all", r.options.Precision, strings.Join(r.Kinds, ", "))}
}

func (r *run) newReport() *report.Report {
	info := r.dev.Info()
	return &report.Report{
		Benchmark: r.Name, Title: r.Title, Source: r.Source, Text: r.Text, Command: r.env.Command, Version: r.env.Version, Quick: r.options.Quick,
		Date: time.Now().Format(time.RFC3339), Size: r.options.Size, Precision: r.kinds, Repeat: r.options.Repeat,
		Machine: report.Machine{Device: info.Name, Description: info.Description, Instruction: info.Instruction,
			Threads: info.Threads, Cores: runtime.NumCPU(), Memory: info.MemoryTotal,
			Platform: runtime.GOOS + "/" + runtime.GOARCH},
	}
}

// close releases the device and all that is left on it.
func (r *run) close() {
	r.freeCopies()
	_ = r.dev.Close() // everything was measured
}

// progress tells what is measured next.
func (r *run) progress(format string, args ...any) {
	if r.env.Progress != nil {
		r.env.Progress(fmt.Sprintf(format, args...))
	}
}

// note adds a note to the report.
func (r *run) note(format string, args ...any) {
	r.report.Notes = append(r.report.Notes, fmt.Sprintf(format, args...))
}

// table adds a table to the report.
func (r *run) table(key, title string, columns ...report.Column) *report.Table {
	t := &report.Table{Key: key, Title: title, Columns: columns}
	r.report.Tables = append(r.report.Tables, t)
	return t
}

// check adds a check and fails if it was not passed: nothing wrong is ever timed.
func (r *run) check(name string, value, bound float64) error {
	c := report.Check{Name: name, Value: value, Bound: bound}
	r.report.Checks = append(r.report.Checks, c)
	if !c.Passed() { // also where it is NaN
		return fmt.Errorf("%s: %.3g is more than %.3g", name, value, bound)
	}
	return nil
}

// element returns the element type of a precision.
func element(kind string) kernels.Elem {
	if kind == float32Name {
		return kernels.Float32
	}
	return kernels.Float64
}

// sizeText writes a size as the option does.
func sizeText(size []int) string {
	s := make([]string, len(size))
	for i, n := range size {
		s[i] = fmt.Sprint(n)
	}
	return strings.Join(s, "x")
}

// gridText writes a size in words: one number stands for a cube.
func gridText(size []int) string {
	if len(size) == 1 {
		return fmt.Sprintf("%d³", size[0])
	}
	return sizeText(size)
}

// threeAxes returns a size along x, y and z; one number stands for a cube.
func threeAxes(size []int) [3]int {
	if len(size) == 1 {
		return [3]int{size[0], size[0], size[0]}
	}
	return [3]int{size[0], size[1], size[2]}
}
