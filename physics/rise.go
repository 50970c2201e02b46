package physics

import (
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"convect/kernels"
	"convect/multigrid"
	"convect/stencil"
)

// A disturbance b' of the buoyancy moves fluid up at w = Ra P b', where P is what the pressure leaves of the permeability: with R the means over neighbours along z, which
// take b to faces and velocities to nodes between bottom and top,
//
//	P = Rᵀ (K - K∇ (∇·K∇)⁻¹ ∇·K) R.
//
// In the product over volumes P is symmetric and not negative. In a layer where b has the gradient G, disturbances grow or decay at Ra G times its greatest eigenvalue at most. That
// is no more than the greatest permeability along z, and far less where few cells have that: what rises in them comes and goes through others.

const (
	// riseSteps of Lanczos's method find the eigenvalue but for some per cent.
	riseSteps = 8
	// riseTolerance is that of their solves.
	riseTolerance = 1e-2
	// riseMargin is for what the method has not found, and for what solves leave.
	riseMargin = 1.1
	// riseGrid parts of an octave: it is the next of these, so that devices which round otherwise take the same steps.
	riseGrid = 32
)

// riser finds the greatest eigenvalue of P by Lanczos's method.
type riser struct {
	*flow
	before, now, next *stencil.Field // the vectors
	rhs, room         *stencil.Field
	tolerance         float64   // of solves, if it is more than that of the case
	alpha, beta       []float64 // the diagonal of the matrix and what is beside it
}

// findRise finds the greatest eigenvalue of P, before a model has a state, by solves that take no more than a few steps. Where K is constant it takes the permeability along z
// for it.
func (f *flow) findRise() error {
	most := f.p.Permeability.maxAlong(kernels.Z)
	f.rise = most
	if !f.p.Permeability.Varies() {
		return nil
	}
	r := riser{flow: f, before: f.pressureOlder, now: f.pressurePrev, next: f.scratch.borrow("next Lanczos vector"),
		rhs: f.scratch.borrow("pressure right side"), room: f.scratch.borrow("room of the pressure solve"), tolerance: riseTolerance}
	learned := f.solver.Learned
	f.solver.SetScratch(r.room)
	defer func() {
		f.solver.SetScratch(nil)
		f.solver.Learned = learned
		for _, field := range []*stencil.Field{r.next, r.rhs, r.room} {
			f.scratch.giveBack(field)
		}
	}()
	if err := r.begin(); err != nil {
		return err
	}
	if err := r.iterate(); err != nil {
		return err
	}
	found := riseMargin * r.greatest()
	found = math.Exp2(math.Ceil(riseGrid*math.Log2(found)) / riseGrid)
	if found > 0 && found < most {
		f.rise = found
	}
	return f.setWalls(0, true)
}

// begin makes walls and the viscosity such that buoyancy alone drives a fluid of μ = 1, and the first vector: columns of noise between bottom
// and top, since what rises fast is narrow and tall.
func (r *riser) begin() error {
	for _, s := range r.walls.sides {
		if r.walls.anyOn(s, func(c Wall) bool { return c.Flow.Rule().Gives }) {
			if err := r.SetWallVelocity(s, make([]float64, r.grid.Box.WallNodes(s))); err != nil {
				return err
			}
		}
	}
	r.now.Fill(0)
	r.before.Fill(0)
	r.Average(r.now) // of which b is counted from here
	if r.viscosity != nil {
		r.viscosity.neutral(r.now)
		if err := r.solver.Refresh(); err != nil {
			return err
		}
	}
	n, noise := r.grid.Box.N, rand.New(rand.NewPCG(1, 0x72697365))
	plane := make([]float64, n[0]*n[1])
	for c := range plane {
		plane[c] = 2*noise.Float64() - 1
	}
	values := make([]float64, 0, r.grid.Nodes())
	for k := range n[2] {
		if k == 0 || k == n[2]-1 {
			values = append(values, make([]float64, len(plane))...)
			continue
		}
		values = append(values, plane...)
	}
	r.next.Upload(values)
	_, err := r.advance()
	return err
}

// advance makes the next vector the present one, of the norm that it returns made 1; a vector that is zero stays.
func (r *riser) advance() (norm float64, err error) {
	square, err := r.product(r.next, r.next)
	if norm = math.Sqrt(square); err == nil && norm > 0 {
		r.before.Swap(r.now)
		r.now.Combine(stencil.Sum{C: 1 / norm, X: r.next})
	}
	return norm, err
}

// iterate makes the matrix.
func (r *riser) iterate() error {
	beta := 0.0
	for range riseSteps {
		if err := r.apply(); err != nil {
			return err
		}
		alpha, err := r.product(r.now, r.next)
		if err != nil {
			return err
		}
		r.next.Combine(stencil.Sum{C: 1, X: r.next}, stencil.Sum{C: -alpha, X: r.now}, stencil.Sum{C: -beta, X: r.before})
		if beta, err = r.advance(); err != nil {
			return err
		}
		r.alpha, r.beta = append(r.alpha, alpha), append(r.beta, beta)
		if !(beta > 1e-3*alpha) {
			return nil
		}
	}
	return nil
}

// apply makes the next vector P times the present one. A solve that does not converge leaves what it has.
func (r *riser) apply() error {
	r.Source(r.rhs, r.now, 1)
	square, err := r.reduce(kernels.Dot, r.rhs, r.rhs)
	if err != nil {
		return err
	}
	r.pressure.Fill(0)
	var failed *multigrid.ConvergenceError
	if square > 0 {
		_, err = r.solver.Solve(r.pressure, r.rhs, math.Sqrt(square)*math.Max(1, r.tolerance/r.solver.Options().Tolerance))
		if err != nil && !errors.As(err, &failed) {
			return err
		}
	}
	r.Update(r.pressure, r.now, 1)
	r.NodeVelocity(r.next, kernels.Z)
	return nil
}

// product is that of two fields over volumes.
func (r *riser) product(a, b *stencil.Field) (float64, error) {
	return r.reduce(kernels.VolumeDot, a, b)
}

func (r *riser) reduce(kind kernels.Reduction, a, b *stencil.Field) (float64, error) {
	a.Reduce(kind, b, r.slots+slotMotion)
	v, err := r.dev.Scalars()
	if err != nil {
		return 0, err
	}
	return v[r.slots+slotMotion], nil
}

// greatest returns the greatest eigenvalue of the matrix; NaN where it is not found.
func (r *riser) greatest() float64 {
	n := len(r.alpha)
	matrix := mat.NewSymDense(n, nil)
	for m, a := range r.alpha {
		matrix.SetSym(m, m, a)
		if m+1 < n {
			matrix.SetSym(m, m+1, r.beta[m])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(matrix, false) {
		return math.NaN()
	}
	return eigen.Values(nil)[n-1] // in their order
}
