package stencil

import (
	"fmt"
	"math"

	"convect/kernels"
)

// Coefficients are the material properties of an Operator on the host.
type Coefficients struct {
	// Constant holds k along x, y, z where Cells[0] is nil.
	Constant [3]float64
	// Cells holds k per cell along each direction, arrays [z][y][x] of Grid.CellShape; directions may share one
	// slice. Cells[1] may be nil in 2-D.
	Cells [3][]float64
	// Mass is the nodal mass, integrated over dual volumes, [z][y][x] of nodes; nil: the dual volume itself.
	Mass []float64
}

// Operator is the elliptic operator s m u - ∇·(k∇u) in integrated form (see the package text).
type Operator struct {
	Grid     *Grid
	Boundary *Boundary

	c        Coefficients
	elliptic kernels.Elliptic
	work     []*Field // of the coarse solve, allocated by PrepareCoarse
	free     []kernels.Buffer
}

// NewOperator discretises the coefficients on the boundary's grid, with mass scale s = 0.
func NewOperator(b *Boundary, c Coefficients) (*Operator, error) {
	g := b.Grid
	o := &Operator{Grid: g, Boundary: b, c: c}
	o.elliptic = kernels.Elliptic{Box: g.Box, H: g.h, RH: g.rh, W: g.w, K: c.Constant, Mask: b.Mask}
	if err := o.uploadCells(); err != nil {
		o.Free()
		return nil, err
	}
	if c.Mass != nil {
		m, err := o.alloc()
		if err != nil {
			o.Free()
			return nil, err
		}
		g.Device.UploadBox(m, g.Box, c.Mass)
		o.elliptic.Mass = m
	}
	return o, nil
}

func (o *Operator) alloc() (kernels.Buffer, error) {
	b, err := o.Grid.Device.Alloc(o.Grid.Elem, o.Grid.Box.Len)
	if err != nil {
		return nil, fmt.Errorf("stencil: coefficients: %w", err)
	}
	o.free = append(o.free, b)
	return b, nil
}

// uploadCells lays the cell arrays out like nodes: cell (i,j,k) at node (i,j,k), zero beyond walls, wrapped at
// periodic ends.
func (o *Operator) uploadCells() error {
	c, g := &o.c, o.Grid
	if c.Cells[0] == nil {
		return nil
	}
	if g.Flat() && c.Cells[kernels.Y] == nil {
		c.Cells[kernels.Y] = c.Cells[kernels.X]
	}
	n := g.CellShape()
	for d := range 3 {
		if len(c.Cells[d]) != n[0]*n[1]*n[2] {
			return fmt.Errorf("stencil: %d coefficients along %s for %d cells", len(c.Cells[d]), AxisName(d), n[0]*n[1]*n[2])
		}
		if p := sharedWith(c.Cells, d); p < d {
			o.elliptic.Cells[d] = o.elliptic.Cells[p]
			continue
		}
		b, err := o.alloc()
		if err != nil {
			return err
		}
		nodes := make([]float64, g.Nodes())
		for k := range n[2] {
			for j := range n[1] {
				copy(nodes[g.Box.N[0]*(j+g.Box.N[1]*k):][:n[0]], c.Cells[d][n[0]*(j+n[1]*k):][:n[0]])
			}
		}
		g.Device.UploadBox(b, g.Box, nodes)
		f := Field{Grid: g, Buffer: b}
		f.Exchange(1)
		o.elliptic.Cells[d] = b
	}
	return nil
}

// sharedWith returns the first direction whose slice is that of d.
func sharedWith(cells [3][]float64, d int) int {
	for p := range d {
		if &cells[p][0] == &cells[d][0] {
			return p
		}
	}
	return d
}

// Free releases the operator's device memory, not that of its grid and boundary.
func (o *Operator) Free() {
	for _, b := range o.free {
		o.Grid.Device.Free(b)
	}
	o.free = nil
	for _, f := range o.work {
		f.Free()
	}
	o.work = nil
}

// SetMassScale sets s, for instance the leading coefficient of the time derivative over Δt.
func (o *Operator) SetMassScale(s float64) { o.elliptic.MassScale = s }

// MassScale returns s.
func (o *Operator) MassScale() float64 { return o.elliptic.MassScale }

// Elliptic returns the operator as kernels take it.
func (o *Operator) Elliptic() *kernels.Elliptic { return &o.elliptic }

// Unmasked returns the same operator with all nodes free: its residual at fixed nodes is what flows through
// their walls. It shares the coefficients; its mass scale is set on its own. Do not free it.
func (o *Operator) Unmasked() *Operator {
	u := &Operator{Grid: o.Grid, Boundary: o.Boundary, c: o.c, elliptic: o.elliptic}
	u.elliptic.Mask = nil
	return u
}

// Singular tells whether constants are in the null space: no fixed node and no mass.
func (o *Operator) Singular() bool { return o.elliptic.Mask == nil && o.elliptic.MassScale == 0 }

// Variable tells whether k varies from cell to cell.
func (o *Operator) Variable() bool { return o.c.Cells[0] != nil }

// Apply computes y = A x, zero at fixed nodes.
func (o *Operator) Apply(y, x *Field) {
	x.Exchange(1)
	o.Grid.Device.Apply(kernels.ApplyArgs{A: &o.elliptic, Y: y.Buffer, X: x.Buffer})
}

// Residual computes r = f - A u, zero at fixed nodes; r may be f.
func (o *Operator) Residual(r, f, u *Field) {
	u.Exchange(1)
	o.Grid.Device.Residual(kernels.ResidualArgs{A: &o.elliptic, R: r.Buffer, F: f.Buffer, U: u.Buffer})
}

// Smooth makes one damped Jacobi sweep, out = u + ω D⁻¹(f - A u); u nil means zero.
func (o *Operator) Smooth(out, u, f *Field, omega float64) {
	a := kernels.SmoothArgs{A: &o.elliptic, Out: out.Buffer, F: f.Buffer, Omega: omega}
	if u != nil {
		u.Exchange(1)
		a.U = u.Buffer
	}
	o.Grid.Device.Smooth(a)
}

// RedBlack relaxes the nodes of one colour, (i+j+k) mod 2, by Gauss–Seidel with relaxation factor ω.
func (o *Operator) RedBlack(u, f *Field, omega float64, colour int) {
	u.Exchange(1)
	o.Grid.Device.RedBlack(kernels.RedBlackArgs{A: &o.elliptic, U: u.Buffer, F: f.Buffer, Omega: omega, Colour: colour})
}

// LineSmooth makes one damped sweep of vertical lines, out = u + ω T⁻¹(f - A u), T the vertical tridiagonal part of
// A; u nil means zero. See kernels.LineSmoothArgs.
func (o *Operator) LineSmooth(out, u, f *Field, omega float64) {
	a := kernels.LineSmoothArgs{A: &o.elliptic, Out: out.Buffer, F: f.Buffer, Omega: omega, Periodic: o.Grid.Periodic[kernels.Z]}
	if u != nil {
		u.Exchange(1)
		a.U = u.Buffer
	}
	o.Grid.Device.LineSmooth(a)
}

// MassUpdate computes u += r/(s m) at free nodes.
func (o *Operator) MassUpdate(u, r *Field) {
	o.Grid.Device.MassUpdate(kernels.MassUpdateArgs{A: &o.elliptic, U: u.Buffer, R: r.Buffer})
}

// PrepareCoarse allocates what SolveCoarse needs.
func (o *Operator) PrepareCoarse() error {
	for range 4 - len(o.work) {
		f, err := o.Grid.NewField("coarse work", nil)
		if err != nil {
			return err
		}
		o.work = append(o.work, f)
	}
	return nil
}

// SolveCoarse solves A u = f to rounding on a small grid; see kernels.SolveCoarseArgs.
func (o *Operator) SolveCoarse(u, f *Field) {
	a := kernels.SolveCoarseArgs{A: &o.elliptic, U: u.Buffer, F: f.Buffer, Singular: o.Singular(), Periodic: o.Grid.Periodic}
	for i, w := range o.work {
		a.Work[i] = w.Buffer
	}
	o.Grid.Device.SolveCoarse(a)
}

// Couplings returns, per axis, the strength k/h² by which neighbours are tied: the geometric mean of its extremes
// over cells; 0 along an absent axis.
func (o *Operator) Couplings() [3]float64 {
	var s [3]float64
	n := o.Grid.CellShape()
	for d := range 3 {
		if o.Grid.Cells[d] == 0 {
			continue
		}
		lo, hi := math.Inf(1), 0.0
		add := func(k, h float64) {
			lo, hi = math.Min(lo, k/(h*h)), math.Max(hi, k/(h*h))
		}
		if o.c.Cells[0] == nil {
			for _, h := range o.Grid.Widths[d] {
				add(o.c.Constant[d], h)
			}
		} else {
			for c, k := range o.c.Cells[d] {
				ijk := [3]int{c % n[0], c / n[0] % n[1], c / (n[0] * n[1])}
				add(k, o.Grid.Widths[d][ijk[d]])
			}
		}
		s[d] = math.Sqrt(lo * hi)
	}
	return s
}
