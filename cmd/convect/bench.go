package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"convect/cmd/convect/bench"
	results "convect/cmd/convect/bench/report"
	"convect/kernels"
)

// benchOptions are the options of bench.
type benchOptions struct {
	size, precision, device, out *string
	threads, repeat              *int
	list, quick                  *bool
	budget                       *time.Duration
	omega, lambda, depth         *float64
	cases                        *[]string
	against                      *string
	develop                      *int
	flags                        *pflag.FlagSet
}

func benchCommand() *command {
	f := newFlags("bench")
	o := benchOptions{
		flags:     f,
		size:      f.String("size", "", "points along each axis, as 256 or 513x513x129; default: the benchmark's own"),
		precision: f.String("precision", "", "float32, float64, mixed (solvers) or all; default: the benchmark's own"),
		device:    f.String("device", "auto", "auto (the GPU with the most free memory, else the CPU), cpu, cpu:N (N ranks, slabs of the grid, that share the cores), cuda or cuda:N"),
		out:       f.String("out", "", "folder for the JSON, Markdown and PNG files; default NAME.out, of all and report bench.out"),
		threads:   f.Int("threads", 0, "threads; 0: one for each core"),
		repeat:    f.Int("repeat", 0, "samples behind each median; 0: the benchmark's own number"),
		list:      f.Bool("list", false, "print the names of the benchmarks and do nothing else"),
		quick:     f.Bool("quick", false, "a trial at small sizes with few samples, some seconds; no measurement"),
		budget:    f.Duration("budget", 2*time.Second, "time for the samples of one row; slow rows take fewer, at least 3"),
		omega:     f.Float64("omega", 0, "of pcg: ω in widths of a column; 0: 8.4"),
		lambda:    f.Float64("lambda", 0, "of pcg: λ, the vertical over the horizontal coupling; 0: 1"),
		depth:     f.Float64("H", 0, "of pcg: depth of the columns in radii of the sphere; 0: 0.01"),
		cases:     f.StringSlice("cases", nil, "of cases: rows to run beside the closed box, as layers,periodic; default: all"),
		against:   f.String("against", "", "of cases: a JSON file of another run; a row that is more than 10 % worse than there is a failure"),
		develop:   f.Int("develop", 0, "of cases: steps before the timing; 0: 40, on a GPU 100"),
	}
	return &command{
		name: "bench", arguments: "NAME", summary: "run a benchmark, or all", flags: f, most: 1,
		text: benchText(),
		examples: []string{"convect bench jacobi", "convect bench stencil --precision all --size 257 --out bench.out",
			"convect bench all --precision all --out bench.out", "convect bench all --quick", "convect bench report --out bench.out"},
		exits: []int{exitDone, exitFailed, exitUsage},
		run: func(e *environment, args []string) error {
			switch {
			case *o.list:
				return listBenchmarks(e)
			case len(args) == 0:
				return usage("NAME is missing")
			case args[0] == everyBenchmark:
				return o.runAll(e)
			case args[0] == renewReport:
				return o.runReport(e)
			}
			return o.run(e, args[0])
		},
	}
}

// benchText lists the benchmarks.
func benchText() string {
	var b strings.Builder
	b.WriteString(`Checks a kernel or a solver against a plain reference, times it in turns with a copy of as much data, prints a table and
writes NAME.json, NAME.md and plots. Every figure is measured in this run unless its column says otherwise: counted,
model (counts over the measured copy bandwidth) or paper (quoted).

all          Runs all of them one after the other, and writes besides report.html: one page with all tables and plots,
  which needs no other file, and at its top the first results of the papers beside ours. A benchmark that fails,
  or that the device does not offer, is told there and by the exit code; the others go on. Every benchmark gets
  the options that it accepts; --size is of one benchmark.
report       Writes report.html anew from the NAME.json and PNG files that lie in --out.
`)
	for _, x := range bench.All() {
		size := make([]string, len(x.Size))
		for i, n := range x.Size {
			size[i] = strconv.Itoa(n)
		}
		fmt.Fprintf(&b, "\n%-12s %s.\n", x.Name, x.Title)
		onGPU := ""
		if len(x.GPU) == 1 {
			onGPU = fmt.Sprintf(" (on a GPU %d)", x.GPU[0])
		}
		text := fmt.Sprintf("%s After: %s. Default size %s, precision %s (of %s).", x.Text, x.Source,
			strings.Join(size, "x")+onGPU, x.Kinds[0], strings.Join(x.Kinds, ", "))
		for _, line := range wrapped(text, 105) {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	return b.String()
}

// listBenchmarks prints the names.
func listBenchmarks(e *environment) error {
	for _, b := range bench.All() {
		if _, err := fmt.Fprintln(e.out, b.Name); err != nil {
			return err
		}
	}
	return nil
}

// wrapped breaks a text into lines of at most so many characters.
func wrapped(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}

// run measures, prints and writes.
func (o *benchOptions) run(e *environment, name string) error {
	b, err := bench.Find(name)
	if err != nil {
		return usage("%v; %s runs all of them, %s renews the page of their files", err, everyBenchmark, renewReport)
	}
	size, err := parseSize(*o.size)
	if err != nil {
		return err
	}
	options := o.options()
	options.Size = size
	if err := b.Check(options); err != nil {
		return optionUsage(err)
	}
	dir, err := o.folder(name + ".out")
	if err != nil {
		return err
	}
	r, err := b.Run(o.environmentOf(e, name), options)
	if r == nil {
		return optionUsage(err)
	}
	return errors.Join(o.write(e, r, dir), err)
}

// folder makes the folder of --out, or the one named, before anything runs that takes time.
func (o *benchOptions) folder(otherwise string) (string, error) {
	dir := *o.out
	if dir == "" {
		dir = otherwise
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("--out: %w", err)
	}
	return dir, nil
}

// environmentOf returns what a benchmark works with.
func (o *benchOptions) environmentOf(e *environment, name string) bench.Environment {
	return bench.Environment{
		Command: strings.Join(append([]string{"convect"}, e.arguments...), " "), Version: e.version,
		Open:     func(threads int) (kernels.Device, error) { return e.open(*o.device, threads) },
		Progress: func(text string) { fmt.Fprintf(e.errors, "%s: %s\n", name, text) },
	}
}

// options returns the options of all benchmarks, without the size.
func (o *benchOptions) options() bench.Options {
	all := bench.Options{Precision: *o.precision, Threads: *o.threads, Repeat: *o.repeat, Quick: *o.quick,
		Budget: *o.budget, Omega: *o.omega, Lambda: *o.lambda, Depth: *o.depth, Rows: *o.cases, Against: *o.against, Develop: *o.develop}
	if *o.quick && !o.flags.Changed("budget") {
		all.Budget = 0 // that of quick runs
	}
	return all
}

// given returns an option on the command line that is not one of those named, or "".
func (o *benchOptions) given(known ...string) (other string) {
	o.flags.Visit(func(f *pflag.Flag) {
		if !slices.Contains(known, f.Name) {
			other = f.Name
		}
	})
	return other
}

// optionUsage makes an option that makes no sense a wrong usage.
func optionUsage(err error) error {
	var option *bench.OptionError
	if errors.As(err, &option) {
		return usage("%v", option)
	}
	return err
}

// write prints a report and writes its files.
func (o *benchOptions) write(e *environment, r *results.Report, dir string) error {
	if err := r.WriteText(e.out); err != nil {
		return err
	}
	paths, err := r.WriteFiles(dir)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.out, "\nwritten: %s\n", strings.Join(paths, ", "))
	return err
}

// parseSize reads 256 or 513x513x129; nothing stands for the benchmark's own size.
func parseSize(text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	var size []int
	for _, s := range strings.Split(text, "x") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return nil, usage("--size %s: accepted are numbers as 256 or 513x513x129", text)
		}
		size = append(size, n)
	}
	return size, nil
}
