package multigrid

import (
	"fmt"

	"convect/kernels"
	"convect/stencil"
)

// smallGrid is the number of nodes up to which the coarsest level is solved inside one kernel, which is serial.
const smallGrid = 4000

// coarsest solves A u = f on the last level, from zero, to rounding.
type coarsest struct {
	op     *stencil.Operator
	krylov *krylov            // of a big grid, or one of columns, else nil
	single bool               // it may be recorded: no result of the device is asked for
	direct *stencil.Separable // of method Direct, else nil
	// solve sets u. A failure of the device is reported by the next reduction of the caller.
	solve func(u, f *stencil.Field)
}

func newCoarsest(o *stencil.Operator, lines bool) (*coarsest, error) {
	c := &coarsest{op: o, solve: o.SolveCoarse, single: true}
	if o.Grid.Nodes() <= fewNodes || (o.Grid.Nodes() <= smallGrid && !lines) || solvesDirectly(o) || eliminates(o) {
		if err := o.PrepareCoarse(); err != nil {
			return nil, fmt.Errorf("multigrid: coarsest level: %w", err)
		}
		return c, nil
	}
	c.solve, c.single = c.iterate, false
	z, err := o.Grid.NewField("coarsest correction", o.Boundary)
	if err != nil {
		return nil, fmt.Errorf("multigrid: coarsest level: %w", err)
	}
	if c.krylov, err = newKrylov(o, z); err != nil {
		z.Free()
		return nil, fmt.Errorf("multigrid: coarsest level: %w", err)
	}
	c.krylov.precondition = c.symmetricGaussSeidel
	if lines {
		c.krylov.precondition = c.solveLines
	} else if o.Stencil() != kernels.SevenPoint {
		c.krylov.precondition = c.jacobi
	}
	return c, nil
}

// eliminates tells whether the device solves by elimination, which takes lines as it takes points: what is left of x and y are a few columns.
func eliminates(o *stencil.Operator) bool {
	_, entries := kernels.CoarseFactors(o.Grid.Box.N, o.Grid.Periodic)
	return entries > 0 && o.Grid.Nodes() <= smallGrid && kernels.Optional{Device: o.Grid.Device}.FactorsCoarse(o.Elliptic())
}

// newLines returns what applies the inverse of the vertical lines alone, of LineGradients.
func newLines(o *stencil.Operator) *coarsest {
	return &coarsest{op: o, solve: func(u, f *stencil.Field) { o.LineSmooth(u, nil, f, 1) }}
}

// newDirect returns what solves a separable operator.
func newDirect(o *stencil.Operator) (*coarsest, error) {
	s, err := stencil.NewSeparable(o)
	if err != nil {
		return nil, fmt.Errorf("multigrid: method direct: %w", err)
	}
	return &coarsest{op: o, single: true, direct: s, solve: s.Solve}, nil
}

func (c *coarsest) free() {
	c.direct.Free()
	if c.krylov != nil {
		c.krylov.correction.Free()
		c.krylov.free()
	}
}

// jacobi computes z = D⁻¹ r, where nodes have no two colours.
func (c *coarsest) jacobi() { c.op.Smooth(c.krylov.correction, nil, c.krylov.residual, 1) }

// symmetricGaussSeidel computes z = M r with the colours red, black, red.
func (c *coarsest) symmetricGaussSeidel() {
	z, r := c.krylov.correction, c.krylov.residual
	z.Fill(0)
	for _, colour := range [3]int{0, 1, 0} {
		c.op.RedBlack(z, r, 1, colour)
	}
}

// solveLines computes z = M r by solving the vertical lines: a grid that is left when x and y have been coarsened is
// a few columns.
func (c *coarsest) solveLines() { c.op.LineSmooth(c.krylov.correction, nil, c.krylov.residual, 1) }

// iterate is solve by conjugate gradients.
func (c *coarsest) iterate(u, f *stencil.Field) {
	singular := c.op.Singular()
	if singular {
		f.RemoveMean(true)
	}
	u.Fill(0)
	first, err := c.krylov.start(u, f)
	target := first * c.op.Grid.Elem.Epsilon()
	// In exact arithmetic as many iterations as nodes suffice; with rounding a hard problem may want a few times
	// the number of nodes along the axes, and a stalled one ends here.
	most := 100 + 20*(c.op.Grid.Box.N[0]+c.op.Grid.Box.N[1]+c.op.Grid.Box.N[2])
	for n, r := 0, first; n < most && r > target && err == nil; n++ {
		r, err = c.krylov.step(u)
	}
	if singular {
		u.RemoveMean(false)
	}
}
