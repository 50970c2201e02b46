package multigrid

import (
	"errors"
	"fmt"
	"math"

	"convect/stencil"
)

// Method is how cycles are used.
type Method uint8

// Methods. The zero value lets New choose: Direct where it is expected to be the fastest (see directPays), else ConjugateGradients in float64, but Multigrid where the cycle is not
// symmetric. In float32 and with Mixed it is Multigrid where neither the coefficient nor the widths of cells vary, no wall is fixed in part and the smoother is not Line, and else Adaptive, but
// ConjugateGradients after a pass of FullMultigrid.
const (
	BestMethod         Method = iota
	Multigrid                 // cycle after cycle
	ConjugateGradients        // conjugate gradients preconditioned by one cycle
	LineGradients             // conjugate gradients preconditioned by the vertical lines; no coarser grids
	Direct                    // solves of separable operators (stencil.Separable), again and again where the precision asks for it; no coarser grids
	Adaptive                  // cycles alone or conjugate gradients preconditioned by one, by which has taken less work
)

var methodNames = [...]string{"", "multigrid", "cg", "line-cg", "direct", "adaptive"}

// oneGrid tells whether a method has no coarser grids, and so neither a cycle nor sweeps.
func (m Method) oneGrid() bool { return m == LineGradients || m == Direct }

// conjugate tells whether cycles precondition conjugate gradients, or may, or corrections are added as they are.
func (m Method) conjugate() bool {
	return m == ConjugateGradients || m == LineGradients || m == Adaptive
}

// Symmetric tells whether a method needs a symmetric cycle.
func (m Method) Symmetric() bool { return m == ConjugateGradients || m == Adaptive }

// String returns the name in the case file; empty for BestMethod.
func (m Method) String() string { return methodNames[m] }

// ParseMethod returns the method of a name: multigrid, cg, adaptive, line-cg or direct.
func ParseMethod(name string) (Method, error) {
	for m, n := range methodNames {
		if n == name && n != "" {
			return Method(m), nil
		}
	}
	return 0, fmt.Errorf("multigrid: method %q is not one of multigrid, cg, adaptive, line-cg, direct", name)
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
	Line                       // Chebyshev–Jacobi of vertical lines, coarsening x and y alone
)

var smootherNames = [...]string{"", "jacobi", "chebyshev", "red-black", "red-black-symmetric", "line"}

// String returns the name in the case file; empty for BestSmoother.
func (s Smoother) String() string { return smootherNames[s] }

// jacobi tells whether the smoother makes Jacobi sweeps, of points or lines, from one field to another.
func (s Smoother) jacobi() bool {
	return s == Jacobi || s == Chebyshev || s == Line
}

// ParseSmoother returns the smoother of a name: jacobi, chebyshev, red-black, red-black-symmetric or line.
func ParseSmoother(name string) (Smoother, error) {
	for s, n := range smootherNames {
		if n == name && n != "" {
			return Smoother(s), nil
		}
	}
	return 0, fmt.Errorf("multigrid: smoother %q is not one of jacobi, chebyshev, red-black, red-black-symmetric, line", name)
}

// Sweeper makes Jacobi sweeps of its own: blocks that stay in cache, say, or in an order that suits a device.
type Sweeper interface {
	// Sweep makes of u, or of zero if so told, whatever u holds, one sweep for each weight ω on A u = f,
	//
	//	u ← u + ω D⁻¹ (f - A u),
	//
	// or what comes near to that. Fixed nodes keep their values. spare is room of u's shape: where the result lies there, the two swap buffers. It is
	// called on all levels but the coarsest, also while a device records, and must queue the same kernels for the same buffers.
	Sweep(a *stencil.Operator, u, spare, f *stencil.Field, weights []float64, zero bool)
}

// Cycle is the way in which a cycle visits the levels.
type Cycle uint8

// Cycles (see the package text). The zero value is the V-cycle.
const (
	VCycle        Cycle = iota // each level once down and once up
	WCycle                     // two W-cycles of the next level
	FCycle                     // an F-cycle of the next level, then a V-cycle; not symmetric
	FullMultigrid              // V-cycles, after a start that climbs from the coarsest level with one V-cycle a level
)

var cycleNames = [...]string{"V", "W", "F", "FMG"}

// String returns the name in the case file.
func (c Cycle) String() string { return cycleNames[c] }

// ParseCycle returns the cycle of a name: V, W, F or FMG.
func ParseCycle(name string) (Cycle, error) {
	for c, n := range cycleNames {
		if n == name {
			return Cycle(c), nil
		}
	}
	return 0, fmt.Errorf("multigrid: cycle %q is not one of V, W, F, FMG", name)
}

// Options choose the solver. Zero values stand for the recommended ones.
type Options struct {
	Method    Method
	Cycle     Cycle
	Smoother  Smoother
	Pre, Post int // applications of the smoother before and after the correction; both zero: recommended
	// Tolerance is relative: a solve ends at a residual norm of Tolerance times the reference (see Solver.Solve).
	Tolerance     float64
	MaxIterations int // cycles, or iterations of conjugate gradients
	// Mixed makes the cycles on a float32 copy of the hierarchy, for fields of float64: corrections of residuals that
	// are computed in float64, or conjugate gradients in which only the solution and its residual are float64.
	Mixed bool
	Inner int // with Multigrid in float32, the most cycles for each residual, after the first so many one more if wanted; zero: recommended
	// Smooth tells that the coefficient varies little from cell to cell beside a mass: the problem is easy, and cycles alone are recommended in any precision.
	Smooth bool
	// Massive tells that a mass ties nodes to themselves, so that few cycles are made; Points that points smooth well enough with it, however narrow cells are.
	Massive, Points bool
	// Finer is how many times as many cells an axis has in the problem for which a method is chosen, of which this one is a trial on fewer; 0: 1.
	Finer float64
	// Sweeper, if not nil, makes the sweeps of smoother Jacobi or Chebyshev, with their weights, in its own way. Cycles alone can use it: it need not be
	// symmetric.
	Sweeper Sweeper
}

// easySweeps are the sweeps before and after the correction that easy problems take.
const easySweeps = 2

// Defaults of the options that do not depend on the operator.
const (
	DefaultTolerance     = 1e-8
	DefaultMaxIterations = 200
	DefaultInner         = 3
	// DefaultLineIterations is the default of MaxIterations with LineGradients.
	DefaultLineIterations = 2000
)

// Recommended returns the options with the least measured time per decimal digit: for easy problems, or for hard ones,
// where the coefficient varies from cell to cell or a wall is fixed in part.
//
// Time in ms a digit on two cores (Zen 5), 129³ nodes, mixed precision, smooth right side, zero first guess, to 1e-8, and in
// brackets cycles or iterations (go test ./multigrid -run XXX -bench Solve; a dash: no convergence in 200, or not a method):
//
//	                            constant, cycles  constant, cg  log-normal, cycles  log-normal, cg
//	7 points
//	damped Jacobi V(2,2)           8.2 (15→12)     11.2 (9→8)        –               117 (30)
//	Chebyshev V(1,1)               9.7 (21→14)     13.9 (13→11)      –               167 (43)
//	Chebyshev V(2,2)               5.9 (10→7)       9.6 (7→6)       120 (84)          94 (24)
//	Chebyshev V(3,3)               7.2 (10→7)      10.0 (7→5)        47 (27)          86 (20)
//	Chebyshev V(4,4)               5.7 (8→7)        7.9 (6→5)       114 (54)          88 (17)
//	red–black V(1,1)               7.1 (10)          –                –                –
//	red–black V(2,2)               7.1 (6)           –              364 (61)           –
//	symmetric red–black V(2,2)     9.9 (10)        12.6 (7)         513 (86)         125 (21)
//	27 points
//	damped Jacobi V(2,2)          10.1 (8)         13.6 (6)         362 (96)         111 (25)
//	Chebyshev V(1,1)               8.7 (10)        19.1 (10)        343 (128)        107 (30)
//	Chebyshev V(2,2)               8.5 (7)         13.0 (6)         347 (88)         116 (24)
//	Chebyshev V(3,3)               9.5 (6)         12.0 (5)         375 (72)         133 (22)
//	Chebyshev V(4,4)              10.1 (6)         12.4 (4)         380 (60)         133 (20)
//
// Arrows lead to the counts with trilinear elements below 7 points, which came after the times; a solve with Chebyshev V(2,2) took
// 76 ms with them where it took 100 before (on a busy machine, in turns).
//
// So with mixed precision cycles alone are the default where nothing varies; in time steps of such a problem (cube, 128³ cells)
// they take 23–30 ms for the pressure where conjugate gradients take 42–51, and 12–15 for 19–23 for the temperature. In float64
// without mixed precision conjugate gradients were faster (16.2 for 20.5 ms a digit) and are the default, though cycles have overtaken
// them with trilinear levels (56 for 73 ms a digit on 257³ nodes). In float32, where a solve has few digits to gain,
// cycles alone are the default too: a step on 257 x 257 x 65 nodes takes 70 for 99 ms. Where the coefficient varies the count of
// cycles does not follow from the sweeps, and conjugate gradients are safe.
//
// The times of conjugate gradients are older than their vectors of float32 (see package text), with which a solve takes about a tenth less.
//
// Hard problems take V(4,4): as fast as V(3,3), with fewer and steadier iterations where neighbouring cells differ
// by orders of magnitude (uncorrelated, variance 4, 129³: 39 against 64).
//
// New replaces the smoother by Line where layers of cells differ by a factor of 10 or more in vertical conductivity
// (stencil.Operator.Layering), and from the level on where z, by far the most strongly tied, cannot be coarsened. Time
// in ms a digit on two cores, 65³ nodes, conjugate gradients, and in brackets iterations:
//
//	problem                          points        lines V(1,1)   lines V(2,2)   lines V(3,3)
//	constant                         2 (7)          4 (9)          4 (6)          4 (5)
//	constant, Kz/Kx = 100            2 (6)          3 (7)          3 (5)          4 (4)
//	constant, Kz/Kx = 1e4            2 (5)          2 (4)          2 (3)          2 (3)
//	the same, all walls closed      39 (5)          4 (9)          4 (7)          5 (6)
//	4 x 4 x 1, 35 cells in z        10 (87)         2 (8)          2 (6)          3 (5)
//	layers of contrast 3, V(4,4)     7 (7)          8 (9)          9 (6)         10 (5)
//	layers of contrast 10, V(4,4)    8 (9)          9 (9)          8 (6)         10 (5)
//	layers of contrast 100, V(4,4)  16 (15)         8 (9)         10 (6)         10 (5)
//	layers of contrast 1e6, V(4,4) 126 (108)       12 (9)         11 (6)         12 (5)
//
// Graded widths, narrow at both ends, 65³ nodes (2-D: 257²), mixed precision:
//
//	ratio of widths                points V(2,2)  points V(3,3)  lines V(1,1)   lines V(2,2)
//	1                              0.9 (7)        1.1 (6)        1.9 (9)        1.9 (6)
//	2 in z                         0.9 (8)        1.0 (7)        1.8 (9)        1.9 (6)
//	4 in z                         1.5 (9)        1.4 (7)        1.9 (9)        1.9 (6)
//	10 in z                        1.8 (12)       1.6 (9)        1.4 (9)        1.5 (6)
//	10 in z, 1 x 1 x 4             2.1 (17)       1.9 (13)       1.7 (9)        1.7 (6)
//	10 in z, 4 x 4 x 1             1.2 (8)        1.2 (6)        1.3 (8)        1.5 (6)
//	10 in x                        1.7 (11)       1.7 (9)        3.6 (15)       3.4 (9)
//	4 in x, y and z                2.4 (14)       2.3 (10)       5.0 (19)       4.1 (10)
//	10 in x, y and z               4.6 (25)       3.8 (18)       9.1 (33)       7.0 (18)
//	4 in x and z, 2-D              0.43 (14)      0.39 (10)      0.85 (8)       1.08 (6)
//
// With 27 points, 65³ nodes (2-D: 257²), mixed precision, another machine (Zen 5), and in the last two columns what a cycle V(2,2)
// alone leaves of the residual at 33³ (2-D: 65²) with points and with lines:
//
//	problem                        points         lines V(1,1)   lines V(2,2)   factors
//	constant                       1.2 (5)        1.7 (7)        1.8 (5)        0.05  0.04
//	constant, Kz/Kx = 3            1.5 (7)        1.7 (7)        2.1 (6)        0.10  0.06
//	constant, Kz/Kx = 10           2.2 (9)        1.9 (7)        2.2 (6)        0.22  0.09
//	constant, Kz/Kx = 30           2.6 (10)       1.8 (7)        2.2 (6)        0.31  0.11
//	constant, Kz/Kx = 1e4          3.8 (11)       1.9 (7)        1.9 (5)        0.38  0.12
//	Kx 1, Ky 3, Kz 10              1.8 (7)        3.4 (11)       2.6 (6)        0.14  0.08
//	cells 100:1 flat, closed      47 (12)         3.9 (11)       3.4 (7)        0.38  0.12
//	4 in z                         1.8 (8)        1.6 (7)        2.2 (6)        0.16  0.09
//	10 in z                        2.1 (11)       1.7 (7)        2.4 (7)        0.24  0.10
//	10 in z, low end               3.0 (12)       2.0 (7)        2.5 (6)        0.30  0.14
//	10 in z, 1 x 1 x 4             3.1 (15)       2.0 (7)        2.2 (5)        0.45  0.06
//	10 in z, 3 x 3 x 1             3.3 (12)       2.2 (7)        3.1 (7)        0.34  0.12
//	Kz/Kx = 100, 2-D               0.30 (7)       0.91 (7)       0.93 (4)       0.13  0.02
//	10 in z, 2-D                   0.60 (12)      1.2 (9)        1.3 (5)        0.33  0.05
//	layers of contrast 3, V(4,4)   6.9 (7)        4.8 (7)        4.6 (5)
//	layers of contrast 10, V(4,4)  9.7 (10)       4.5 (7)        4.5 (5)
//	layers of contrast 1e6, closed 195 (164)      8.4 (9)        7.8 (6)
//	log-normal, variance 4         16 (16)        13 (21)        15 (16)
//	the same, cells 10:1 flat      45 (25)        13 (21)        11 (12)
//
// The right sides of time steps are less smooth: there lines V(2,2) take less time than V(1,1), and as much as points from
// Kz/Kx = 16 on (docs/notebook.md).
func Recommended(hard bool) Options {
	o := Options{Method: ConjugateGradients, Smoother: Chebyshev, Pre: easySweeps, Post: easySweeps,
		Tolerance: DefaultTolerance, MaxIterations: DefaultMaxIterations, Inner: DefaultInner}
	if hard {
		o.Pre, o.Post = 4, 4
	}
	return o
}

// WithDefaults returns the options with zero values replaced by those recommended for easy problems. New replaces
// zero values by itself, knowing the operator.
func (o Options) WithDefaults() Options { return o.withDefaults(false) }

func (o Options) withDefaults(hard bool) Options {
	best := Recommended(hard)
	if o.Method == BestMethod {
		o.Method = best.Method
		if o.Smoother == RedBlack || o.Sweeper != nil || o.Cycle == FCycle { // not a symmetric cycle
			o.Method = Multigrid
		}
	}
	if o.Method == LineGradients {
		best.Smoother, best.Pre, best.Post, best.MaxIterations = Line, 0, 0, DefaultLineIterations
	}
	if o.Smoother == BestSmoother {
		o.Smoother = best.Smoother
	}
	if o.Pre == 0 && o.Post == 0 && !o.Method.oneGrid() {
		switch o.Smoother {
		case Chebyshev:
			o.Pre, o.Post = best.Pre, best.Post
		case RedBlack:
			o.Pre, o.Post = 1, 1
		case Line:
			o.Pre, o.Post = lineSweeps, lineSweeps
		default:
			o.Pre, o.Post = 2, 2
		}
	}
	if o.Tolerance == 0 {
		o.Tolerance = best.Tolerance
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = best.MaxIterations
	}
	if o.Inner == 0 {
		o.Inner = best.Inner
	}
	return o
}

// symmetric returns the options with a method that converges where cycles alone may diverge.
func (o Options) symmetric() Options {
	o.Method = ConjugateGradients
	o.Sweeper = nil
	if o.Smoother == RedBlack {
		o.Smoother = RedBlackSymmetric
	}
	if o.Cycle == FCycle {
		o.Cycle = WCycle
	}
	o.Pre = max(o.Pre, o.Post)
	o.Post = o.Pre
	return o
}

// check refuses options that make no sense.
func (o Options) check() error {
	switch {
	case int(o.Method) >= len(methodNames):
		return fmt.Errorf("multigrid: unknown method %d", o.Method)
	case int(o.Smoother) >= len(smootherNames):
		return fmt.Errorf("multigrid: unknown smoother %d", o.Smoother)
	case int(o.Cycle) >= len(cycleNames):
		return fmt.Errorf("multigrid: unknown cycle %d", o.Cycle)
	case o.Pre < 0 || o.Post < 0:
		return fmt.Errorf("multigrid: %d sweeps before and %d after the correction: neither may be negative", o.Pre, o.Post)
	case !(o.Tolerance > 0) || math.IsInf(o.Tolerance, 0):
		return fmt.Errorf("multigrid: tolerance %g is not positive", o.Tolerance)
	case o.MaxIterations < 1:
		return fmt.Errorf("multigrid: at most %d iterations are too few", o.MaxIterations)
	case o.Inner < 1:
		return fmt.Errorf("multigrid: at most %d cycles for each residual are too few", o.Inner)
	case o.Method == LineGradients && (o.Smoother != Line || o.Pre+o.Post > 0):
		return errors.New("multigrid: line-cg has no cycle: neither another smoother than line nor sweeps before or after")
	case o.Method == Direct && (o.Cycle != VCycle || o.Sweeper != nil || o.Pre+o.Post > 0):
		return errors.New("multigrid: direct solves have no cycle and no sweeps")
	case o.Method == LineGradients && o.Cycle != VCycle:
		return fmt.Errorf("multigrid: line-cg has no cycle, so not %s either", o.Cycle)
	case o.Method.Symmetric() && o.Cycle == FCycle:
		return errors.New("multigrid: conjugate gradients need a symmetric cycle: V, W or FMG, not F")
	case o.Sweeper != nil && o.Smoother != Jacobi && o.Smoother != Chebyshev:
		return fmt.Errorf("multigrid: a sweeper makes the sweeps of smoother jacobi or chebyshev, not %s", o.Smoother)
	case o.Method.Symmetric() && o.Sweeper != nil:
		return errors.New("multigrid: conjugate gradients need a symmetric cycle, which a sweeper need not make")
	case o.Method.Symmetric() && o.Smoother == RedBlack:
		return errors.New("multigrid: conjugate gradients need a symmetric cycle: smoother red-black-symmetric, chebyshev or jacobi, not red-black")
	case o.Method.Symmetric() && o.Pre != o.Post:
		return fmt.Errorf("multigrid: conjugate gradients need a symmetric cycle: as many sweeps before the correction (%d) as after (%d)", o.Pre, o.Post)
	}
	return nil
}
