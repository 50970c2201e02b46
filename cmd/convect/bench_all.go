package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"convect/cmd/convect/bench"
)

// The words that stand where the name of a benchmark could, and the folder of both.
const (
	everyBenchmark = "all"
	renewReport    = "report"
	everyOut       = "bench.out"
)

// runAll runs all benchmarks, whatever becomes of some of them, and writes the page.
func (o *benchOptions) runAll(e *environment) error {
	if err := o.checkAll(e); err != nil {
		return err
	}
	dir, err := o.folder(everyOut)
	if err != nil {
		return err
	}
	var failed []string
	all := bench.All()
	for n, b := range all {
		fmt.Fprintf(e.errors, "%d of %d: %s\n", n+1, len(all), b.Name)
		begin := time.Now()
		r, err := b.Run(o.environmentOf(e, b.Name), o.of(b))
		if err != nil {
			fmt.Fprintf(e.errors, "%s: %v\n", b.Name, err)
			failed = append(failed, failureText(b.Name, err))
			if r == nil {
				r = b.Failed(o.environmentOf(e, b.Name), o.of(b), err)
			}
		}
		if !b.Offers(*o.precision) && r.Error == "" {
			r.Notes = append(r.Notes, fmt.Sprintf("--precision %s is not offered here; this ran in %s.", *o.precision, strings.Join(r.Precision, ", ")))
		}
		if err := o.write(e, r, dir); err != nil {
			return err
		}
		fmt.Fprintf(e.errors, "%s: %v\n", b.Name, time.Since(begin).Round(time.Second))
	}
	if err := writePage(e, dir); err != nil {
		return err
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d benchmarks lack figures: %s", len(failed), len(all), strings.Join(failed, "; "))
	}
	return nil
}

// failureText tells in short what became of a benchmark.
func failureText(name string, err error) string {
	if errors.Is(err, bench.ErrNotOffered) {
		return name + " (not offered by the device)"
	}
	return name + " (failed)"
}

// checkAll refuses options that make no sense before anything runs.
func (o *benchOptions) checkAll(e *environment) error {
	if *o.size != "" {
		return usage("--size is of one benchmark; bench all runs each at its own size, or at a small one with --quick")
	}
	if !slices.ContainsFunc(bench.All(), func(b bench.Benchmark) bool { return b.Offers(*o.precision) }) {
		return usage("--precision %s: accepted are float32, float64, mixed, all", *o.precision)
	}
	for _, b := range bench.All() {
		if err := b.Check(o.of(b)); err != nil {
			return optionUsage(err)
		}
	}
	dev, err := e.open(*o.device, *o.threads)
	if err != nil {
		return err
	}
	return dev.Close()
}

// of returns the options that a benchmark accepts.
func (o *benchOptions) of(b bench.Benchmark) bench.Options {
	all := o.options()
	if !b.Offers(all.Precision) {
		all.Precision = ""
	}
	if !b.Columns {
		all.Omega, all.Lambda, all.Depth = 0, 0, 0
	}
	if !b.Rows {
		all.Rows, all.Against, all.Develop = nil, "", 0
	}
	return all
}
