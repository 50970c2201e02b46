package casefile

import (
	"errors"

	"convect/kernels"
	"convect/multigrid"
	"convect/stencil"
)

// decodeSolver reads the discretisation and the solver of the pressure. The solver of the temperature derives its
// tolerance from that of the pressure and chooses the rest itself.
func (c *Case) decodeSolver(v value) {
	s, _ := v.section()
	p := &c.Parameters
	if s.get("stencil").choice([]string{"7", "27"}) == "27" {
		p.Stencil = kernels.TwentySevenPoint
	}
	p.Transport = kernels.TVD
	switch s.get("transport").choice([]string{"tvd", "central", "weno5"}) {
	case "central":
		p.Transport = kernels.Central
	case "weno5":
		p.Transport = kernels.WENO5
	}
	precision := s.get("precision").choice([]string{"mixed", "float64", "float32"})
	p.Precision, p.Mixed = kernels.Float64, precision == "mixed"
	if precision == "float32" {
		p.Precision = kernels.Float32
	}
	c.decodePressure(s.get("pressure"))
}

// maxSweeps and maxIterations bound what a solve may cost.
const (
	maxSweeps     = 100
	maxIterations = 1_000_000
)

func (c *Case) decodePressure(v value) {
	o := &c.Parameters.Pressure
	o.Tolerance = multigrid.DefaultTolerance
	s, ok := v.section()
	if !ok {
		return
	}
	if m := s.get("method"); m.given() {
		o.Method, _ = multigrid.ParseMethod(m.choice([]string{"multigrid", "cg", "adaptive", "line-cg", "direct"}))
	}
	o.Tolerance = s.get("tolerance").numberOr(within(0, 0.1), multigrid.DefaultTolerance)
	o.Cycle, _ = multigrid.ParseCycle(s.get("cycle").choice([]string{"V", "W", "F", "FMG"}))
	smoother := s.get("smoother")
	switch words := []string{"red-black", "red-black-symmetric", "chebyshev", "jacobi", "line"}; {
	case smoother.given() && smoother.node.kind == scalar && smoother.node.text == "hierarchical":
		smoother.refuse("chebyshev in its place, or none to have one chosen", "%s", notHierarchical)
	case smoother.given():
		o.Smoother, _ = multigrid.ParseSmoother(smoother.choice(words))
	}
	pre, post := s.get("pre"), s.get("post")
	o.Pre = int(pre.integerOr(0, maxSweeps, 0))
	o.Post = int(post.integerOr(0, maxSweeps, 0))
	switch {
	case pre.given() != post.given():
		v.refuse("pre and post together", "pre and post need each other")
	case pre.given() && o.Pre+o.Post == 0:
		pre.refuse("at least one sweep before or after", "a cycle without smoothing does not converge")
	}
	o.MaxIterations = int(s.get("max_iterations").integerOr(1, maxIterations, 0))
	c.checkPressure(s)
}

// Explain returns an error of the solvers with its place in the case, where a key of the case is the cause.
func (c *Case) Explain(err error) error {
	var why stencil.Inseparable
	if !errors.As(err, &why) {
		return err
	}
	solver, _ := c.root.get("solver").section()
	pressure, _ := solver.get("pressure").section()
	c.d.errors = nil
	pressure.get("method").refuse("multigrid, cg, adaptive, line-cg here, or none to have one chosen", "this case has no direct solve: %s", why)
	return c.d.errors
}

// checkPressure refuses what does not go together.
func (c *Case) checkPressure(s section) {
	o := &c.Parameters.Pressure
	smoother, pre, post := s.get("smoother"), s.get("pre"), s.get("post")
	if c.Parameters.Stencil == kernels.TwentySevenPoint && (o.Smoother == multigrid.RedBlack || o.Smoother == multigrid.RedBlackSymmetric) {
		smoother.refuse("chebyshev, jacobi, line with solver.stencil 27", "the 27-point stencil has no two colours")
	}
	if o.Method == multigrid.LineGradients && smoother.given() && o.Smoother != multigrid.Line {
		smoother.refuse("line with line-cg", "line-cg has no cycle and no other smoother")
	}
	if o.Method == multigrid.LineGradients && o.Cycle != multigrid.VCycle {
		s.get("cycle").refuse("no cycle with line-cg", "line-cg has no cycle")
	}
	if o.Method == multigrid.LineGradients && pre.given() {
		pre.refuse("neither pre nor post with line-cg", "line-cg has no cycle")
	}
	for _, key := range []string{"cycle", "smoother", "pre"} {
		if v := s.get(key); o.Method == multigrid.Direct && v.given() {
			v.refuse("no "+key+" with direct", "direct solves have no cycle")
		}
	}
	if o.Method.Symmetric() && o.Cycle == multigrid.FCycle {
		s.get("cycle").refuse("V, W, FMG with "+o.Method.String(), "%s needs a symmetric cycle, which F is not", o.Method)
	}
	if o.Method.Symmetric() && o.Smoother == multigrid.RedBlack {
		smoother.refuse("red-black-symmetric, chebyshev, jacobi, line with "+o.Method.String(), "%s needs a symmetric cycle, which red-black is not", o.Method)
	}
	if o.Method.Symmetric() && o.Pre != o.Post {
		post.refuse("as many sweeps after as before", "%s needs a symmetric cycle", o.Method)
	}
}
