package stencil

import (
	"fmt"

	"convect/kernels"
)

// Coefficients are the material properties of an Operator on the host.
type Coefficients struct {
	// Stencil is the discretisation: kernels.SevenPoint or kernels.TwentySevenPoint (see the package text).
	Stencil kernels.Stencil
	// Constant holds k along x, y, z where Cells[0] is nil.
	Constant [3]float64
	// Cells holds k per cell along each direction, arrays [z][y][x] of Grid.CellShape; directions may share one
	// slice. Cells[1] may be nil in 2-D.
	Cells [3][]float64
	// Mass is the nodal mass, integrated over dual volumes, [z][y][x] of nodes; nil: the dual volume itself.
	Mass []float64
	// Ties are t, [z][y][x] of nodes, integrated: what ties a node to a value outside, whose part t times that value belongs to the right side.
	// nil: none. With ties the operator has the general form of one with a nodal mass.
	Ties []float64
}

// Operator is the elliptic operator s m u + t u - ∇·(k∇u) in integrated form (see the package text).
type Operator struct {
	Grid     *Grid
	Boundary *Boundary

	mass      []float64 // Coefficients.Mass
	elliptic  kernels.Elliptic
	couplings [3]float64
	stiffest  float64 // strongest tie over the coupling of its axis
	contrast  [3][3]float64
	layers    [3][]float64 // k of each layer of cells where it varies along z alone, else nil
	finer     *Operator    // that this one was coarsened from, by factor
	factor    [3]int
	ties      *ties     // nil: none
	original  *Operator // of which this one is a copy in another element type
	work      []*Field  // of the coarse solve, allocated by PrepareCoarse
	factors   factors   // likewise
	free      []kernels.Buffer
}

// NewOperator discretises the coefficients on the boundary's grid, with mass scale s = 0.
func NewOperator(b *Boundary, c Coefficients) (*Operator, error) {
	g := b.Grid
	o := &Operator{Grid: g, Boundary: b, mass: c.Mass}
	o.elliptic = kernels.Elliptic{Box: g.Box, Shape: g.shape, Stencil: c.Stencil, H: g.h, RH: g.rh, W: g.w, K: c.Constant, Mask: b.Mask}
	for d, k := range c.Constant {
		for e := range c.Constant {
			o.contrast[d][e] = k / c.Constant[e]
		}
	}
	if err := o.upload(&c); err != nil {
		o.Free()
		return nil, err
	}
	return o, nil
}

func (o *Operator) upload(c *Coefficients) (err error) {
	if err = o.uploadCells(c.Cells); err != nil {
		return err
	}
	if c.Mass != nil {
		if o.elliptic.Mass, err = o.alloc(); err != nil {
			return err
		}
		o.Grid.Device.UploadBox(o.elliptic.Mass, o.Grid.Box, c.Mass)
	}
	if c.Ties != nil {
		if err = o.tie(c.Ties); err != nil {
			return err
		}
	}
	return o.measure()
}

func (o *Operator) alloc() (kernels.Buffer, error) {
	b, err := kernels.AllocBox(o.Grid.Device, o.Grid.Elem, o.Grid.Box)
	if err != nil {
		return nil, fmt.Errorf("stencil: coefficients: %w", err)
	}
	o.free = append(o.free, b)
	return b, nil
}

// Free releases the operator's device memory, not that of its grid and boundary.
func (o *Operator) Free() {
	for _, b := range o.free {
		o.Grid.Device.Free(b)
	}
	o.free = nil
	o.ties.free()
	o.ties = nil
	for _, f := range o.work {
		f.Free()
	}
	o.work, o.factors = nil, factors{}
}

// SetMassScale sets s, for instance the leading coefficient of the time derivative over Δt.
func (o *Operator) SetMassScale(s float64) {
	switch {
	case o.ties == nil:
		o.elliptic.MassScale = s
	case s != o.ties.scale:
		o.ties.scale = s
		o.mixTies()
	}
}

// MassScale returns s.
func (o *Operator) MassScale() float64 {
	if o.ties != nil {
		return o.ties.scale
	}
	return o.elliptic.MassScale
}

// Elliptic returns the operator as kernels take it.
func (o *Operator) Elliptic() *kernels.Elliptic { return &o.elliptic }

// Unmasked returns the same operator without ties, with all nodes free: its residual at fixed nodes is what flows through
// their walls. It shares the coefficients; its mass scale is set on its own. Do not free it.
func (o *Operator) Unmasked() *Operator {
	u := o.Untied()
	u.elliptic.Mask = nil
	return u
}

// Singular tells whether constants are in the null space: no fixed node, no mass and no ties.
func (o *Operator) Singular() bool { return o.elliptic.Mask == nil && o.elliptic.MassScale == 0 }

// Stencil returns the discretisation.
func (o *Operator) Stencil() kernels.Stencil { return o.elliptic.Stencil }

// Variable tells whether k varies from cell to cell.
func (o *Operator) Variable() bool { return o.elliptic.Cells[0] != nil }

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

// RedBlack relaxes the nodes of one colour, (i+j+k) mod 2, by Gauss–Seidel with relaxation factor ω. Only the 7-point
// stencil has two colours.
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

// Energy computes image = A x, zero at fixed nodes, and queues Σ x (A x) into a slot; x is zero at fixed nodes. image may be nil.
func (o *Operator) Energy(image, x *Field, slot int) {
	x.Exchange(1)
	a := kernels.EnergyArgs{A: &o.elliptic, X: x.Buffer, Slot: slot}
	if image != nil {
		a.Image = image.Buffer
	}
	o.Grid.Device.Energy(a)
}

// Conjugates tells whether the device has Conjugate for the operator.
func (o *Operator) Conjugates() bool {
	return kernels.Optional{Device: o.Grid.Device}.Conjugates(&o.elliptic)
}

// Conjugate computes out = x + c p and queues Σ out (A out) into a slot, in one pass; x and p are zero at fixed nodes. out is neither. For operators that the
// device Conjugates.
func (o *Operator) Conjugate(out, x, p *Field, c Factor, slot int) {
	x.Exchange(1)
	p.Exchange(1)
	d := kernels.Optional{Device: o.Grid.Device}
	by, factor := d.Quotient(c.By)
	d.Conjugate(kernels.ConjugateArgs{A: &o.elliptic, Out: out.Buffer, X: x.Buffer, P: p.Buffer, Scale: c.C * factor, By: by, Slot: slot})
}

// MassUpdate computes u += r/(s m) at free nodes.
func (o *Operator) MassUpdate(u, r *Field) {
	o.Grid.Device.MassUpdate(kernels.MassUpdateArgs{A: &o.elliptic, U: u.Buffer, R: r.Buffer})
}

// PrepareCoarse allocates what SolveCoarse needs. Beside a mass, with which iterations are few, the device keeps no factors.
func (o *Operator) PrepareCoarse() error {
	for range 4 - len(o.work) {
		f, err := o.Grid.NewField("coarse work", nil)
		if err != nil {
			return err
		}
		o.work = append(o.work, f)
	}
	var entries int
	o.factors.along, entries = kernels.CoarseFactors(o.Grid.Box.N, o.Grid.Periodic)
	if entries == 0 || o.factors.buffer != nil || o.elliptic.MassScale != 0 || !(kernels.Optional{Device: o.Grid.Device}).FactorsCoarse(&o.elliptic) {
		return nil
	}
	b, err := o.Grid.Device.Alloc(kernels.Float64, entries)
	if err != nil {
		return fmt.Errorf("stencil: coarse factors: %w", err)
	}
	o.factors.buffer, o.factors.stale = b, true
	o.free = append(o.free, b)
	return nil
}

// factors are what SolveCoarse of a device that makes them keeps until coefficients change.
type factors struct {
	buffer kernels.Buffer // nil: none
	along  int
	stale  bool
}

// CoarseFactors returns the number of elements of what SolveCoarse keeps of A, 0 if it keeps nothing.
func (o *Operator) CoarseFactors() int {
	if o.factors.buffer == nil {
		return 0
	}
	return o.factors.buffer.Len()
}

// FactorAgain tells that what SolveCoarse keeps of A, if anything, is to be made again.
func (o *Operator) FactorAgain() { o.factors.stale = true }

// SolveCoarse solves A u = f to rounding on a small grid; see kernels.SolveCoarseArgs, and kernels.SolveFactoredArgs where the device factors A.
func (o *Operator) SolveCoarse(u, f *Field) {
	if o.factors.buffer != nil && o.elliptic.MassScale == 0 {
		kernels.Optional{Device: o.Grid.Device}.SolveFactored(kernels.SolveFactoredArgs{A: &o.elliptic, U: u.Buffer, F: f.Buffer, Factors: o.factors.buffer,
			Entries: o.factors.buffer.Len(), Singular: o.Singular(), Periodic: o.Grid.Periodic, Along: o.factors.along, Renew: o.factors.stale})
		o.factors.stale = false
		return
	}
	a := kernels.SolveCoarseArgs{A: &o.elliptic, U: u.Buffer, F: f.Buffer, Singular: o.Singular(), Periodic: o.Grid.Periodic}
	for i, w := range o.work {
		a.Work[i] = w.Buffer
	}
	o.Grid.Device.SolveCoarse(a)
}
