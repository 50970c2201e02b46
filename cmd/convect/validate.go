package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"
)

// validateOptions are the options of validate.
type validateOptions struct {
	runs    string
	only    []string
	set     []string
	quick   bool
	threads int
	jobs    int
	device  string
	keep    string
}

func (o *validateOptions) add(f *pflag.FlagSet) {
	f.StringVar(&o.runs, "runs", "", "folder of the cases (default: runs in the working directory, or those that came with the program)")
	f.StringSliceVar(&o.only, "only", nil, "names of cases, separated by commas")
	f.BoolVar(&o.quick, "quick", false, "leave out what is marked slow")
	f.IntVar(&o.threads, "threads", 0, "threads of a run; 0: the cores shared out among the jobs")
	f.IntVar(&o.jobs, "jobs", 0, "runs at a time; 0: one for each core, at most 8")
	f.StringVar(&o.device, "device", "auto", "auto (the GPU with the most free memory, else the CPU), cpu, cpu:N (N ranks, slabs of the grid, that share the cores), cuda, cuda:N, or several GPUs, with slabs of the grid on each: cuda:0-3, cuda:0,2, cuda:all")
	f.StringVar(&o.keep, "keep", "", "keep the run directories in this folder")
	addSet(f, &o.set)
}

func validateCommand() *command {
	o, f := &validateOptions{}, newFlags("validate")
	o.add(f)
	return &command{
		name: "validate", summary: "run the shipped cases against published values", flags: f,
		text: `Runs the cases of runs/ that have numbers (expect.yaml beside case.yaml) and prints for each number what was
computed, what is published, the difference, the tolerance, pass or fail, and the source. --set changes every case,
after what expect.yaml sets. Several run at a time; on a GPU they share it. What takes minutes of a
GPU is left out unless --only names its case and the device is one.`,
		examples: []string{"convect validate", "convect validate --only square,cavity", "convect validate --quick --set solver.precision=float32"},
		exits:    []int{exitDone, exitFailed, exitUsage},
		run:      func(e *environment, _ []string) error { return validate(e, o) },
	}
}

// validate runs every case that has numbers.
func validate(e *environment, o *validateOptions) error {
	folder, err := runsFolder(o.runs)
	if err != nil {
		return err
	}
	if o.jobs < 0 || o.threads < 0 {
		return usage("--jobs %d, --threads %d: accepted are 0 and above", o.jobs, o.threads)
	}
	cases, err := expectations(folder, o.only)
	if err != nil {
		return err
	}
	work := o.keep
	if work == "" {
		if work, err = os.MkdirTemp("", "convect-validate-"); err != nil {
			return err
		}
		defer os.RemoveAll(work)
	}
	v := &validation{environment: e, options: o, folder: work}
	v.heading()
	large, err := v.large(cases)
	if err != nil {
		return err
	}
	for _, c := range cases {
		for i, variant := range c.variants {
			switch {
			case o.quick && variant.Slow:
			case variant.GPU && !large:
				v.left = append(v.left, c.name)
			default:
				v.rows = append(v.rows, &rows{c: c, variant: i, done: make(chan error, 1)})
			}
		}
	}
	if err := v.all(); err != nil {
		return err
	}
	return v.verdict()
}

// large tells whether to run what takes minutes of a GPU too: where cases are named, on a GPU.
func (v *validation) large(cases []*expectation) (bool, error) {
	if len(v.options.only) == 0 || !slices.ContainsFunc(cases, func(c *expectation) bool {
		return slices.ContainsFunc(c.variants, func(of variant) bool { return of.GPU && !(v.options.quick && of.Slow) })
	}) {
		return false, nil
	}
	dev, err := v.open(v.options.device, v.options.threads)
	if err != nil {
		return false, err
	}
	defer dev.Close()
	return !strings.HasPrefix(dev.Info().Name, "cpu"), nil
}

// runsFolder finds the folder of the cases: the given one, runs in the working directory, beside the binary or beside the
// binary's folder, or share/convect/runs of the prefix that the binary is installed under.
func runsFolder(given string) (string, error) {
	if given != "" {
		if info, err := os.Stat(given); err != nil || !info.IsDir() {
			return "", usage("--runs %s is not a folder", given)
		}
		return given, nil
	}
	candidates := []string{"runs"}
	if binary, err := os.Executable(); err == nil {
		if resolved, err := filepath.EvalSymlinks(binary); err == nil {
			binary = resolved
		}
		beside := filepath.Dir(binary)
		candidates = append(candidates, filepath.Join(beside, "runs"), filepath.Join(beside, "..", "runs"), filepath.Join(beside, "..", "share", "convect", "runs"))
	}
	for _, c := range candidates {
		if info, err := os.Stat(c); err == nil && info.IsDir() {
			return c, nil
		}
	}
	return "", usage("there are no cases in %s: --runs names their folder", strings.Join(candidates, ", "))
}

// expectations reads expect.yaml of every case, or of those that are asked for.
func expectations(folder string, only []string) ([]*expectation, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*", expectName))
	if err != nil {
		return nil, err
	}
	var cases []*expectation
	var names []string
	for _, path := range paths {
		name := filepath.Base(filepath.Dir(path))
		names = append(names, name)
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		c, err := readExpectation(path)
		if err != nil {
			return nil, err
		}
		cases = append(cases, c)
	}
	for _, name := range only {
		if !slices.Contains(names, name) {
			return nil, usage("--only %s: there is no such case with numbers; there are %s", name, strings.Join(names, ", "))
		}
	}
	if len(cases) == 0 {
		return nil, usage("no case in %s has an %s", folder, expectName)
	}
	return cases, nil
}

// validation runs cases and counts what passes.
type validation struct {
	*environment
	options        *validateOptions
	folder         string // of the run directories
	rows           []*rows
	passed, failed int
	left           []string // cases of runs that are for a GPU and were left out
}

// rows are what a variant of a case gives.
type rows struct {
	c              *expectation
	variant        int
	text           strings.Builder
	passed, failed int
	done           chan error
}

// all runs the variants, several at a time, and prints their rows in order. After an error it starts no more.
func (v *validation) all() (first error) {
	jobs := v.options.jobs
	if jobs == 0 {
		jobs = min(runtime.NumCPU(), mostJobs)
	}
	if v.options.threads == 0 {
		v.options.threads = max(1, runtime.NumCPU()/jobs)
	}
	next := make(chan *rows)
	stop := make(chan struct{})
	go func() {
		defer close(next)
		for _, r := range v.rows {
			select {
			case next <- r:
			case <-stop:
				return
			}
		}
	}()
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for r := range next {
				r.done <- v.runVariant(r)
			}
		})
	}
	for _, r := range v.rows {
		if first = <-r.done; first != nil {
			break
		}
		fmt.Fprint(v.out, r.text.String())
		v.passed, v.failed = v.passed+r.passed, v.failed+r.failed
	}
	close(stop)
	workers.Wait()
	return first
}

// mostJobs is the number of runs at a time unless more are asked for.
const mostJobs = 8

const rowFormat = "%-28s %-19s %12s %12s %9s %9s  %-4s  %s\n"

func (v *validation) heading() {
	fmt.Fprintf(v.out, rowFormat, "case", "quantity", "computed", "published", "diff %", "tol %", "", "source")
}

// runVariant runs one variant of a case and writes its rows.
func (v *validation) runVariant(r *rows) error {
	c, variant := r.c, r.c.variants[r.variant]
	name := c.name
	if variant.Name != "" {
		name += " " + variant.Name
	}
	dir := filepath.Join(v.folder, fmt.Sprintf("%s-%d", c.name, r.variant+1))
	set := append(overridesOf(variant.Set), v.options.set...)
	done := false
	for _, x := range variant.Expect {
		computed, err := v.compute(c, x, dir, set, &done)
		if err != nil {
			var own *exitError
			if !errors.As(err, &own) || own.code == exitUsage {
				return err
			}
			fmt.Fprintf(&r.text, rowFormat, name, x.Quantity, "failed", number(x.Value), "", "", "FAIL", err)
			r.failed++
			continue
		}
		r.row(name, x, computed)
	}
	return nil
}

// row writes and counts one number.
func (r *rows) row(name string, x expected, got result) {
	word := "pass"
	if got.pass {
		r.passed++
	} else {
		word = "FAIL"
		r.failed++
	}
	fmt.Fprintf(&r.text, rowFormat, name, x.Quantity, number(got.computed), number(x.Value), fmt.Sprintf("%+.3f", 100*got.difference),
		fmt.Sprintf("%.3g", 100*x.tolerance), word, x.Source)
}

func number(v float64) string { return fmt.Sprintf("%.6g", v) }

// verdict prints the sum.
func (v *validation) verdict() error {
	fmt.Fprintf(v.out, "\n%d passed, %d failed\n", v.passed, v.failed)
	if len(v.left) > 0 {
		fmt.Fprintf(v.out, "left out: runs that take minutes of a GPU, %d in all; --only %s --device cuda runs them\n", len(v.left), strings.Join(slices.Compact(v.left), ","))
	}
	if v.failed > 0 {
		return &exitError{code: exitFailed}
	}
	if v.passed == 0 && len(v.left) == 0 {
		return errors.New("nothing was compared")
	}
	return nil
}

// runQuietly runs a case into a directory and says nothing unless it fails.
func (v *validation) runQuietly(path, dir string, set []string) error {
	o := &runOptions{set: set, out: dir, device: v.options.device, threads: v.options.threads, force: true}
	var log bytes.Buffer
	err := o.runCase(v.quiet(&log), path)
	var own *exitError
	if errors.As(err, &own) && own.code == exitFailed {
		return &exitError{exitFailed, fmt.Errorf("the run failed: %s", firstFailure(log.String()))}
	}
	return err
}

// firstFailure returns the first error of a log.
func firstFailure(log string) string {
	_, text, _ := strings.Cut(log, " ERR ")
	line, _, _ := strings.Cut(text, "\n")
	return line
}
