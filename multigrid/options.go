package multigrid

import (
	"errors"
	"fmt"
	"math"
)

// Method is how cycles are used.
type Method uint8

// Methods. The zero value lets New choose: Multigrid where the coefficient is constant, ConjugateGradients where it
// varies from cell to cell.
const (
	BestMethod         Method = iota
	Multigrid                 // cycle after cycle
	ConjugateGradients        // conjugate gradients preconditioned by one cycle
)

var methodNames = [...]string{"", "multigrid", "cg"}

// String returns the name in the case file; empty for BestMethod.
func (m Method) String() string { return methodNames[m] }

// ParseMethod returns the method of a name: multigrid or cg.
func ParseMethod(name string) (Method, error) {
	for m, n := range methodNames {
		if n == name && n != "" {
			return Method(m), nil
		}
	}
	return 0, fmt.Errorf("multigrid: method %q is not one of multigrid, cg", name)
}

// Smoother relaxes the errors that a coarser level cannot represent (formulae in the package text).
type Smoother uint8

// Smoothers. The zero value lets New choose.
const (
	BestSmoother      Smoother = iota
	Jacobi                     // damped Jacobi
	Chebyshev                  // Chebyshev–Jacobi of degree Pre and Post
	RedBlack                   // over-relaxed red–black Gauss–Seidel, same colour order before and after
	RedBlackSymmetric          // red–black Gauss–Seidel, reversed after the correction
)

var smootherNames = [...]string{"", "jacobi", "chebyshev", "red-black", "red-black-symmetric"}

// String returns the name in the case file; empty for BestSmoother.
func (s Smoother) String() string { return smootherNames[s] }

// ParseSmoother returns the smoother of a name: jacobi, chebyshev, red-black or red-black-symmetric.
func ParseSmoother(name string) (Smoother, error) {
	for s, n := range smootherNames {
		if n == name && n != "" {
			return Smoother(s), nil
		}
	}
	return 0, fmt.Errorf("multigrid: smoother %q is not one of jacobi, chebyshev, red-black, red-black-symmetric", name)
}

// Options choose the solver. Zero values stand for the recommended ones.
type Options struct {
	Method    Method
	Smoother  Smoother
	Pre, Post int // applications of the smoother before and after the correction; both zero: recommended
	// Tolerance is relative: a solve ends at a residual norm of Tolerance times the reference (see Solver.Solve).
	Tolerance     float64
	MaxIterations int // cycles, or iterations of conjugate gradients
}

// Defaults of the options that do not depend on the operator.
const (
	DefaultTolerance     = 1e-8
	DefaultMaxIterations = 200
)

// Recommended returns the options with the least measured time to a residual of 1e-8: for a constant coefficient,
// or for one that varies from cell to cell.
func Recommended(variable bool) Options {
	o := Options{Method: Multigrid, Smoother: RedBlack, Pre: 1, Post: 1,
		Tolerance: DefaultTolerance, MaxIterations: DefaultMaxIterations}
	if variable {
		o.Method, o.Smoother = ConjugateGradients, RedBlackSymmetric
	}
	return o
}

// WithDefaults returns the options with zero values replaced by those recommended for a constant coefficient. New
// replaces zero values by itself, knowing the operator.
func (o Options) WithDefaults() Options { return o.withDefaults(false) }

func (o Options) withDefaults(variable bool) Options {
	best := Recommended(variable)
	if o.Method == BestMethod {
		o.Method = best.Method
		if o.Smoother == RedBlack { // not a symmetric cycle
			o.Method = Multigrid
		}
	}
	if o.Smoother == BestSmoother {
		o.Smoother = Recommended(o.Method == ConjugateGradients).Smoother
	}
	if o.Pre == 0 && o.Post == 0 {
		o.Pre, o.Post = best.Pre, best.Post
		if o.Smoother == Jacobi || o.Smoother == Chebyshev {
			o.Pre, o.Post = 2, 2
		}
	}
	if o.Tolerance == 0 {
		o.Tolerance = best.Tolerance
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = best.MaxIterations
	}
	return o
}

// check refuses options that make no sense.
func (o Options) check() error {
	switch {
	case int(o.Method) >= len(methodNames):
		return fmt.Errorf("multigrid: unknown method %d", o.Method)
	case int(o.Smoother) >= len(smootherNames):
		return fmt.Errorf("multigrid: unknown smoother %d", o.Smoother)
	case o.Pre < 0 || o.Post < 0:
		return fmt.Errorf("multigrid: %d sweeps before and %d after the correction: neither may be negative", o.Pre, o.Post)
	case !(o.Tolerance > 0) || math.IsInf(o.Tolerance, 0):
		return fmt.Errorf("multigrid: tolerance %g is not positive", o.Tolerance)
	case o.MaxIterations < 1:
		return fmt.Errorf("multigrid: at most %d iterations are too few", o.MaxIterations)
	case o.Method == ConjugateGradients && o.Smoother == RedBlack:
		return errors.New("multigrid: conjugate gradients need a symmetric cycle: smoother red-black-symmetric, chebyshev or jacobi, not red-black")
	case o.Method == ConjugateGradients && o.Pre != o.Post:
		return fmt.Errorf("multigrid: conjugate gradients need a symmetric cycle: as many sweeps before the correction (%d) as after (%d)", o.Pre, o.Post)
	}
	return nil
}
