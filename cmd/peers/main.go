package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"convect/kernels"
	"convect/kernels/cpu"
)

// options are those of the command line.
type options struct {
	cells       []int
	repetitions int
	threads     int
	tolerance   float64
	precision   string
	stencil     kernels.Stencil // of convect
	copied      int             // bytes of the arrays with which the copy bandwidth is measured
	hypre       hypre
}

func main() {
	o, err := parse(os.Args[1:])
	if err == nil {
		err = run(os.Stdout, o)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// parse reads the command line.
func parse(args []string) (*options, error) {
	o := &options{copied: 1 << 28} // far beyond any cache, whatever the size of the problem
	f := flag.NewFlagSet("peers", flag.ContinueOnError)
	cells := f.String("cells", "256", "cells along each axis, sizes separated by commas")
	f.IntVar(&o.repetitions, "repetitions", 5, "solves of each side, in turns")
	f.IntVar(&o.threads, "threads", 2, "threads of convect and ranks of hypre")
	f.Float64Var(&o.tolerance, "tolerance", 1e-8, "relative residual to reach")
	f.StringVar(&o.precision, "precision", "mixed", "of convect: mixed (float64 residuals and solution) or float64")
	points := f.Int("stencil", 7, "points of convect's stencil: 7, or 27; hypre has 7")
	f.StringVar(&o.hypre.program, "pfmg", "bin/pfmg", "driver of hypre, made from tools/peers/pfmg.c")
	f.StringVar(&o.hypre.mpirun, "mpirun", "mpirun", "starts the driver")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	o.hypre.ranks = o.threads
	for _, text := range strings.Split(*cells, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 4 {
			return nil, fmt.Errorf("--cells %s: %q is not a number of at least 4", *cells, text)
		}
		o.cells = append(o.cells, n)
	}
	if *points == 27 {
		o.stencil = kernels.TwentySevenPoint
	}
	switch {
	case *points != 7 && *points != 27:
		return nil, fmt.Errorf("--stencil %d: accepted are 7 and 27", *points)
	case f.NArg() > 0:
		return nil, fmt.Errorf("%q is not understood", f.Arg(0))
	case o.precision != "mixed" && o.precision != "float64":
		return nil, fmt.Errorf("--precision %s: accepted are mixed and float64", o.precision)
	case o.repetitions < 1 || o.threads < 1 || !(o.tolerance > 0 && o.tolerance < 1):
		return nil, errors.New("--repetitions and --threads have to be at least 1, --tolerance between 0 and 1")
	}
	return o, nil
}

// run compares all sizes.
func run(w io.Writer, o *options) error {
	dev, err := cpu.New(cpu.Options{Threads: o.threads})
	if err != nil {
		return err
	}
	defer dev.Close()
	info := dev.Info()
	fmt.Fprintf(w, "%s, %s; convect: %d threads, %d-point, %s; hypre: %d ranks, 7-point, float64, PCG with PFMG red-black\n",
		info.Description, info.Instruction, info.Threads, o.stencil.Points(), o.precision, o.hypre.ranks)
	for _, n := range o.cells {
		if err := o.compare(w, dev, n); err != nil {
			return fmt.Errorf("%d³ cells: %w", n, err)
		}
	}
	return nil
}

// compare solves one size in turns and prints the times of all, and the medians of them and of their ratios.
func (o *options) compare(w io.Writer, dev *cpu.Device, n int) error {
	dirichlet, err := newOurs(dev, n, o, true)
	if err != nil {
		return err
	}
	defer dirichlet.free()
	neumann, err := newOurs(dev, n, o, false)
	if err != nil {
		return err
	}
	defer neumann.free()
	fmt.Fprintf(w, "\n%d³ cells, to %g; seconds of the solve (iterations); set-up of convect %.3g s\n", n, o.tolerance, dirichlet.setup)
	fmt.Fprintf(w, "%4s %10s %18s %18s %18s %12s %8s\n", "run", "copy GB/s", "convect", "all-Neumann", "hypre", "hypre set-up", "ratio")
	var all []measurement
	for r := range o.repetitions {
		m, err := o.measure(dev, dirichlet, neumann, n)
		if err != nil {
			return err
		}
		all = append(all, m)
		fmt.Fprintf(w, "%4d %10.1f %s %s %s %12.3f %8.2f\n", r+1, m.copied/1e9, m.dirichlet, m.neumann, m.hypre, m.hypre.setup, m.ratio())
	}
	m := medians(all)
	fmt.Fprintf(w, "%4s %10.1f %s %s %s %12.3f %8.2f\n", "", m.copied/1e9, m.dirichlet, m.neumann, m.hypre, m.hypre.setup, median(all, measurement.ratio))
	fmt.Fprintf(w, "medians in the last line; true residuals at most %.2g, %.2g (all-Neumann), %.2g (hypre)\n",
		largest(all, dirichletSolve), largest(all, neumannSolve), largest(all, hypreSolve))
	fmt.Fprintf(w, "hypre takes %.2f times as long as convect, %.2f with both set-ups; all-Neumann takes %.2f times Dirichlet\n",
		median(all, measurement.ratio), median(all, func(m measurement) float64 {
			return (m.hypre.seconds + m.hypre.setup) / (m.dirichlet.seconds + dirichlet.setup)
		}), median(all, func(m measurement) float64 { return m.neumann.seconds / m.dirichlet.seconds }))
	quote(w, n, m)
	return nil
}

// measure makes one turn: copy, both problems of ours, hypre.
func (o *options) measure(dev *cpu.Device, dirichlet, neumann *ours, n int) (m measurement, err error) {
	if m.copied, err = dev.CopyBandwidth(o.copied); err != nil {
		return m, err
	}
	if m.dirichlet, err = dirichlet.solve(); err != nil {
		return m, err
	}
	if m.neumann, err = neumann.solve(); err != nil {
		return m, fmt.Errorf("all-Neumann: %w", err)
	}
	if m.hypre, err = o.hypre.solve(n, o.tolerance); err != nil {
		return m, err
	}
	for _, s := range []solve{m.dirichlet, m.neumann, m.hypre} {
		if !(s.residual <= 1.01*o.tolerance) {
			return m, fmt.Errorf("a solve ended at a true residual of %g", s.residual)
		}
	}
	return m, nil
}

// median returns the median of a figure over all measurements.
func median(all []measurement, of func(measurement) float64) float64 {
	v := make([]float64, len(all))
	for i, m := range all {
		v[i] = of(m)
	}
	slices.Sort(v)
	return (v[len(v)/2] + v[(len(v)-1)/2]) / 2
}
