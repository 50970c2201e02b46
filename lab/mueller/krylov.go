package mueller

import (
	"fmt"
	"math"

	"convect/kernels"
)

// Form is how an iteration of conjugate gradients is made of kernels.
type Form uint8

// Forms.
const (
	Plain       Form = iota // one kernel each for A, for M⁻¹ and for every update and sum
	Interleaved             // two loops over the cells (the paper's algorithm 1)
	Stored                  // Plain with a matrix in compressed rows and stored tridiagonal systems
)

// String names the form.
func (f Form) String() string { return [...]string{"matrix-free", "interleaved", "matrix-explicit"}[f] }

// Forms lists the forms.
func Forms() []Form { return []Form{Stored, Plain, Interleaved} }

// slot is the first of the reduction slots in use.
const slot = kernels.Slots - 4

// Result reports a solve.
type Result struct {
	Iterations int
	// Residuals are the 2-norms of the integrated residual (of conjugate gradients: the recursive one), the first before any
	// iteration.
	Residuals []float64
	Converged bool
}

// Krylov solves A u = f by conjugate gradients. It allocates nothing after New but what its result grows by.
type Krylov struct {
	problem     *Problem
	form        Form
	r, z, p, q  kernels.Buffer
	matrix      Matrix // of Stored
	tridiagonal Tridiagonal
}

// NewKrylov allocates four fields, released with the problem, and stores the matrix if the form needs it.
func (p *Problem) NewKrylov(form Form) (*Krylov, error) {
	s := &Krylov{problem: p, form: form}
	for _, f := range []*kernels.Buffer{&s.r, &s.z, &s.p, &s.q} {
		var err error
		if *f, err = p.NewField(); err != nil {
			return nil, err
		}
	}
	if form != Stored {
		return s, nil
	}
	if err := s.allocateMatrix(); err != nil {
		return nil, err
	}
	s.StoreMatrix()
	return s, p.Device.Sync()
}

// Fields returns r, z, p and q, for those who time the parts of an iteration on data of their own.
func (s *Krylov) Fields() [4]kernels.Buffer { return [4]kernels.Buffer{s.r, s.z, s.p, s.q} }

func (s *Krylov) allocateMatrix() error {
	p := s.problem
	rows := p.Panel.Len - 2*p.Panel.Origin
	if rows > math.MaxInt32/MatrixRow {
		return fmt.Errorf("mueller: a matrix of %d rows has too many entries for 32-bit indices", rows)
	}
	s.matrix.Rows, s.matrix.Entries, s.tridiagonal.Panel = rows, MatrixRow*rows, p.Panel
	for _, b := range []struct {
		to   *kernels.Buffer
		elem kernels.Elem
		n    int
	}{
		{&s.matrix.RowStart, kernels.Int32, rows + 1}, {&s.matrix.Column, kernels.Int32, s.matrix.Entries},
		{&s.matrix.Value, p.Elem, s.matrix.Entries}, {&s.tridiagonal.Lower, p.Elem, p.Panel.Len},
		{&s.tridiagonal.Diagonal, p.Elem, p.Panel.Len}, {&s.tridiagonal.Upper, p.Elem, p.Panel.Len},
	} {
		var err error
		if *b.to, err = p.alloc(b.elem, b.n); err != nil {
			return err
		}
	}
	return nil
}

// StoreMatrix computes the entries of the matrix and of the tridiagonal systems: the set-up of Stored.
func (s *Krylov) StoreMatrix() {
	s.problem.Device.ColumnMatrix(ColumnMatrixArgs{A: &s.problem.a, Matrix: &s.matrix, Tridiagonal: &s.tridiagonal})
}

// apply computes y = A x.
func (s *Krylov) apply(y, x kernels.Buffer) {
	if s.form == Stored {
		s.problem.Device.MatrixApply(MatrixApplyArgs{Matrix: &s.matrix, Panel: s.problem.Panel, Y: y, X: x})
		return
	}
	s.problem.Device.ColumnApply(ColumnApplyArgs{A: &s.problem.a, Y: y, X: x})
}

// precondition computes z = M⁻¹ r.
func (s *Krylov) precondition(z, r kernels.Buffer) {
	if s.form == Stored {
		s.problem.Device.MatrixSolve(MatrixSolveArgs{M: &s.tridiagonal, Z: z, R: r})
		return
	}
	s.problem.Device.ColumnSolve(ColumnSolveArgs{A: &s.problem.a, Z: z, R: r})
}

// add computes y = c x + d y.
func (p *Problem) add(y kernels.Buffer, d, c float64, x kernels.Buffer) {
	p.Device.Combine(kernels.CombineArgs{Out: y, C: [4]float64{c, d}, X: [4]kernels.Buffer{x, y}})
}

// dot returns Σ x y.
func (p *Problem) dot(x, y kernels.Buffer) (float64, error) {
	p.Device.ColumnDot(ColumnDotArgs{X: x, Y: y, Slot: slot})
	v, err := p.Device.Scalars()
	if err != nil {
		return 0, fmt.Errorf("mueller: %w", err)
	}
	return v[slot], nil
}

// Solve solves A u = f from a zero first guess until the norm of the residual is tolerance times the first, or for the most
// iterations. Not to have converged is no error.
func (s *Krylov) Solve(u, f kernels.Buffer, tolerance float64, most int) (Result, error) {
	d := s.problem.Device
	d.Fill(kernels.FillArgs{X: u})
	d.Copy(kernels.CopyArgs{Dst: s.r, Src: f})
	rr, err := s.problem.dot(s.r, s.r)
	if err != nil {
		return Result{}, err
	}
	m := &iteration{tolerance: tolerance, most: most}
	if m.done(rr) {
		return m.Result, nil
	}
	if d, ok := d.(Iterator); ok && s.form == Interleaved {
		return s.queued(d, u, m)
	}
	if s.form == Interleaved {
		return s.interleaved(u, m)
	}
	return s.plain(u, m)
}

// iteration follows a solve.
type iteration struct {
	Result
	tolerance float64
	most      int
}

// done records the square of a residual norm and tells whether the solve ends.
func (m *iteration) done(rr float64) bool {
	m.Residuals = append(m.Residuals, math.Sqrt(rr))
	n := len(m.Residuals) - 1
	m.Iterations = n
	m.Converged = m.Residuals[n] <= m.tolerance*m.Residuals[0]
	return m.Converged || n >= m.most || math.IsNaN(rr)
}

// plain iterates kernel by kernel.
func (s *Krylov) plain(u kernels.Buffer, m *iteration) (Result, error) {
	p := s.problem
	s.precondition(s.z, s.r)
	p.Device.Copy(kernels.CopyArgs{Dst: s.p, Src: s.z})
	rho, err := p.dot(s.r, s.z)
	for err == nil {
		s.apply(s.q, s.p)
		var energy, rr, next float64
		if energy, err = p.dot(s.p, s.q); err != nil {
			break
		}
		alpha := rho / energy
		p.add(u, 1, alpha, s.p)
		p.add(s.r, 1, -alpha, s.q)
		if rr, err = p.dot(s.r, s.r); err != nil || m.done(rr) {
			break
		}
		s.precondition(s.z, s.r)
		if next, err = p.dot(s.r, s.z); err != nil {
			break
		}
		p.add(s.p, next/rho, 1, s.z)
		rho = next
	}
	return m.Result, err
}

// interleaved iterates in two loops: the update of u with the last direction waits for the next first loop, or for the end.
func (s *Krylov) interleaved(u kernels.Buffer, m *iteration) (Result, error) {
	p := s.problem
	p.Device.Fill(kernels.FillArgs{X: s.p})
	p.Device.Fill(kernels.FillArgs{X: s.q})
	sums, err := s.descend(0)
	alpha, beta := 0.0, 0.0
	for err == nil {
		p.Device.ColumnSearch(ColumnSearchArgs{A: &p.a, U: u, P: s.p, Q: s.q, Z: s.z, Alpha: alpha, Beta: beta, Slot: slot})
		var energy []float64
		if energy, err = p.Device.Scalars(); err != nil {
			break
		}
		alpha = sums[1] / energy[slot]
		rho := sums[1]
		if sums, err = s.descend(alpha); err != nil || m.done(sums[0]) {
			break
		}
		beta = sums[1] / rho
	}
	p.add(u, 1, alpha, s.p)
	if err == nil {
		err = p.Device.Sync()
	}
	return m.Result, err
}

// Slots of queued: α, β, ρ and Σ p q, and two pairs of sums that change places, so that one can be read while the next is made.
const (
	scalarSlot = kernels.Slots - 16
	normSlot   = scalarSlot + 4
)

// queued is interleaved on a device that keeps the scalars. The host reads a residual when the next iteration is queued, which then has
// made u that of the residual's iteration: one iteration is made for nothing.
func (s *Krylov) queued(d Iterator, u kernels.Buffer, m *iteration) (Result, error) {
	p := s.problem
	p.Device.Fill(kernels.FillArgs{X: s.p})
	p.Device.Fill(kernels.FillArgs{X: s.q})
	d.ColumnDescend(ColumnDescendArgs{A: &p.a, R: s.r, Q: s.q, Z: s.z, Slot: scalarSlot + 1}) // Σ r z is ρ
	a := ColumnIterateArgs{A: &p.a, U: u, P: s.p, Q: s.q, R: s.r, Z: s.z, Slot: scalarSlot, Norm: normSlot, First: true}
	d.ColumnIterate(a)
	for a.First = false; ; {
		wait := d.Follow(a.Norm)
		a.Norm = 2*normSlot + 2 - a.Norm // the other one
		d.ColumnIterate(a)
		rr, err := wait()
		if err != nil {
			return m.Result, fmt.Errorf("mueller: %w", err)
		}
		if m.done(rr) {
			return m.Result, nil
		}
	}
}

// descend makes the second loop and returns Σ r r and Σ r z.
func (s *Krylov) descend(alpha float64) (sums [2]float64, err error) {
	d := s.problem.Device
	d.ColumnDescend(ColumnDescendArgs{A: &s.problem.a, R: s.r, Q: s.q, Z: s.z, Alpha: alpha, Slot: slot + 1})
	v, err := d.Scalars()
	if err != nil {
		return sums, fmt.Errorf("mueller: %w", err)
	}
	return [2]float64{v[slot+1], v[slot+2]}, nil
}
