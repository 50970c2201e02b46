package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
)

// imitation writes a program in the place of mpirun that prints a line, and returns the options that use it.
func imitation(t *testing.T, script string, args ...string) *options {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mpirun")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	o, err := parse(append([]string{"--mpirun", path}, args...))
	if err != nil {
		t.Fatal(err)
	}
	o.copied = 1 << 20
	return o
}

func TestTableHoldsBothSides(t *testing.T) {
	o := imitation(t, `echo 12 0.25 4 9.5e-9`, "--cells", "16", "--repetitions", "3", "--threads", "1")
	var out strings.Builder
	if err := run(&out, o); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"4.000 ( 12)", "0.250", "hypre takes", "all-Neumann", "9.5e-09 (hypre)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

func TestPeerThatDoesNotConvergeIsReported(t *testing.T) {
	for script, want := range map[string]string{
		`echo 200 0.25 4 1e-3`: "residual of 0.001", `echo no`: "printed", `echo broken >&2; exit 3`: "broken",
	} {
		o := imitation(t, script, "--cells", "8", "--threads", "1", "--repetitions", "1")
		if err := run(&strings.Builder{}, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", script, err)
		}
	}
}

// TestResidualIsComputedAnew: of what a solve returns it is below the tolerance, of something else it is not.
func TestResidualIsComputedAnew(t *testing.T) {
	dev, err := cpu.New(cpu.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, points := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
		for _, fixed := range []bool{true, false} {
			p, err := newOurs(dev, 16, &options{tolerance: 1e-8, precision: "float64", stencil: points}, fixed)
			if err != nil {
				t.Fatal(err)
			}
			s, err := p.solve()
			if err != nil || !(s.residual > 0 && s.residual <= 1.001e-8) {
				t.Errorf("%d points, fixed walls %v: residual %g, error %v", points.Points(), fixed, s.residual, err)
			}
			p.u.Fill(0)
			if r, err := p.relativeResidual(); err != nil || math.Abs(r-1) > 1e-12 {
				t.Errorf("%d points, fixed walls %v: residual of zero is %g, error %v", points.Points(), fixed, r, err)
			}
			p.free()
		}
	}
}

func TestWrongOptions(t *testing.T) {
	for _, args := range []string{"--cells 2", "--cells 8,x", "--precision half", "--stencil 9", "--repetitions 0", "--tolerance 1", "more"} {
		if _, err := parse(strings.Fields(args)); err == nil {
			t.Errorf("%s is accepted", args)
		}
	}
}

// TestQuotedFiguresAreScaled: at half the copy bandwidth a quoted time doubles.
func TestQuotedFiguresAreScaled(t *testing.T) {
	var out strings.Builder
	quote(&out, 256, measurement{copied: quotedCopy / 2, dirichlet: solve{seconds: 2}})
	if want := fmt.Sprintf("%.2f s, %.1f times convect", 2*9.8, 9.8); !strings.Contains(out.String(), want) {
		t.Errorf("%q is not in\n%s", want, out.String())
	}
}
