package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"convect/cmd/convect/bench"
	"convect/kernels"
)

// benchOptions are the options of bench.
type benchOptions struct {
	size, precision, device, out *string
	threads, repeat              *int
	list                         *bool
	budget                       *time.Duration
	omega, lambda, depth         *float64
}

func benchCommand() *command {
	f := newFlags("bench")
	o := benchOptions{
		size:      f.String("size", "", "points along each axis, as 256 or 513x513x129; default: the benchmark's own"),
		precision: f.String("precision", "", "float32, float64, mixed (solvers) or all; default: the benchmark's own"),
		device:    f.String("device", "auto", "auto (the GPU with the most free memory, else the CPU), cpu, cuda or cuda:N"),
		out:       f.String("out", "", "folder for the JSON, Markdown and PNG files; default NAME.out"),
		threads:   f.Int("threads", 0, "threads; 0: one for each core"),
		repeat:    f.Int("repeat", 0, "samples behind each median; 0: the benchmark's own number"),
		list:      f.Bool("list", false, "print the names of the benchmarks and do nothing else"),
		budget:    f.Duration("budget", 2*time.Second, "time for the samples of one row; slow rows take fewer, at least 3"),
		omega:     f.Float64("omega", 0, "of pcg: ω in widths of a column; 0: 8.4"),
		lambda:    f.Float64("lambda", 0, "of pcg: λ, the vertical over the horizontal coupling; 0: 1"),
		depth:     f.Float64("H", 0, "of pcg: depth of the columns in radii of the sphere; 0: 0.01"),
	}
	return &command{
		name: "bench", arguments: "NAME", summary: "run a benchmark", flags: f, most: 1,
		text:     benchText(),
		examples: []string{"convect bench jacobi", "convect bench stencil --precision all --size 257 --out bench.out"},
		exits:    []int{exitDone, exitFailed, exitUsage},
		run: func(e *environment, args []string) error {
			switch {
			case *o.list:
				return listBenchmarks(e)
			case len(args) == 0:
				return usage("NAME is missing")
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
`)
	for _, x := range bench.All() {
		size := make([]string, len(x.Size))
		for i, n := range x.Size {
			size[i] = strconv.Itoa(n)
		}
		fmt.Fprintf(&b, "\n%-12s %s.\n", x.Name, x.Title)
		text := fmt.Sprintf("%s After: %s. Default size %s, precision %s (of %s).", x.Text, x.Source,
			strings.Join(size, "x"), x.Kinds[0], strings.Join(x.Kinds, ", "))
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
		return usage("%v", err)
	}
	size, err := parseSize(*o.size)
	if err != nil {
		return err
	}
	env := bench.Environment{
		Command: strings.Join(append([]string{"convect"}, e.arguments...), " "), Version: e.version,
		Open:     func(threads int) (kernels.Device, error) { return e.open(*o.device, threads) },
		Progress: func(text string) { fmt.Fprintf(e.errors, "%s: %s\n", name, text) },
	}
	r, err := b.Run(env, bench.Options{Size: size, Precision: *o.precision, Threads: *o.threads, Repeat: *o.repeat,
		Budget: *o.budget, Omega: *o.omega, Lambda: *o.lambda, Depth: *o.depth})
	var option *bench.OptionError
	if errors.As(err, &option) {
		return usage("%v", option)
	} else if err != nil {
		return err
	}
	if err := r.WriteText(e.out); err != nil {
		return err
	}
	dir := *o.out
	if dir == "" {
		dir = name + ".out"
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
