package physics

import (
	"fmt"

	"convect/kernels"
	"convect/multigrid"
	"convect/stencil"
)

// scalar is what the flow carries and what diffuses, σ ∂s/∂t + ∇·(us) = ∇·(D∇s) + Q: its history, operators, solver, walls, sources
// and diagnostics.
type scalar struct {
	*domain
	of       substance
	place    int // among the scalars
	slot     int // the first of its slots
	boundary *stencil.Boundary

	// Its values now, one step ago and two; integrated advection now, computed with the samples of the state, and one step ago.
	now, before, older       *stencil.Field
	advection, advectionPrev *stencil.Field
	source                   *stencil.Field // integrated sources and wall fluxes; nil: none
	reference                *stencil.Field // values at the start of the steady window; nil: not asked
	wallFlow                 *stencil.Field // at fixed nodes, minus what flowed in through their walls; nil: given back

	diffusion  *stencil.Operator // s σV + ties - ∇·D∇
	conduction *stencil.Operator // the same with s = 0 and all nodes free: L and its wall fluxes
	dispersion *dispersion       // nil: none; the diffusion is then that of a step's increment
	solver     *multigrid.Solver
	transport  stencil.Transport

	capacity      float64    // constant σ; 1 where the nodal mass buffer holds it
	leastCapacity float64    // the least σ
	capacityV     float64    // Σ σ V
	sourceSum     float64    // Σ of source
	prescribed    [6]float64 // the part of each side in it
	wallShare     [6]kernels.Buffer
	ties          ties
	axis          thermalAxis
	met           *permitted // what it may reach
	feeding       feeding
	room          body

	outset     *outset // of a run from its start; nil: it goes on
	difference float64 // range of the initial values, or of what comes of them
	cycles     int     // of the last solve

	content, contentPrev           float64 // Σ σV s now and one step ago
	advectionSum, advectionSumPrev float64 // Σ of advection now and one step ago

	crossings []crossing // of surfaces, by their order
	spare     float64    // for sums that are not asked

	wellTime float64 // at which wells inject what they do
	wellsIn  float64 // Σ of what they bring and take, a part of advection
}

// newScalar makes the scalar with a place in the list, and finds the nodes that walls fix. What it has built when it fails is freed with it.
func newScalar(d *domain, of substance, place int) (u *scalar, err error) {
	u = &scalar{domain: d, of: of, place: place, met: newPermitted()}
	if u.slot, err = d.dev.Reserve(fmt.Sprintf("scalar %d", place+1), ownSlots); err != nil {
		return u, err
	}
	u.boundary, err = stencil.NewBoundary(d.grid, d.walls.fixed(func(w Wall) bool { return of.at(&w).Kind.Rule().Holds }))
	return u, err
}

// buildOperators makes what diffuses.
func (u *scalar) buildOperators() error {
	mass, err := u.mass()
	if err != nil {
		return err
	}
	d := stencil.Coefficients{Stencil: u.p.Stencil, Constant: u.of.diffusivity.Constant, Cells: u.of.diffusivity.Cells, Mass: mass}
	u.measureStiffness()
	u.findTies(0, true)
	d.Ties, _ = u.ties.onNodes(u)
	if u.diffusion, err = stencil.NewOperator(u.boundary, d); err != nil {
		return fmt.Errorf("diffusivity: %w", err)
	}
	u.conduction = u.diffusion.Unmasked()
	return u.buildDispersion()
}

// mass returns the integrated nodal σV where the capacity varies, else nil, and notes its sum.
func (u *scalar) mass() ([]float64, error) {
	u.leastCapacity = u.of.capacity.Min()
	if !u.of.capacity.Varies() {
		u.capacity = u.of.capacity.Constant[0]
		u.capacityV = u.capacity * u.grid.Volume()
		return nil, nil
	}
	u.capacity = 1
	sigma, n, nodes := u.of.capacity.Cells[0], u.grid.CellShape(), u.grid.Box.N
	if len(sigma) != n[0]*n[1]*n[2] {
		return nil, fmt.Errorf("%s: %d values for %d cells", u.of.capacityName, len(sigma), n[0]*n[1]*n[2])
	}
	mass := make([]float64, u.grid.Nodes())
	corners := 8.0
	if u.grid.Flat() {
		corners = 4
	}
	for c, v := range sigma {
		ijk := [3]int{c % n[0], c / n[0] % n[1], c / (n[0] * n[1])}
		part := v / corners
		for d, w := range u.grid.Widths {
			if len(w) > 0 {
				part *= w[ijk[d]]
			}
		}
		for corner := range 8 {
			if u.grid.Flat() && corner&2 != 0 {
				continue
			}
			i, j, k := (ijk[0]+corner&1)%nodes[0], (ijk[1]+corner>>1&1)%nodes[1], (ijk[2]+corner>>2)%nodes[2]
			mass[i+nodes[0]*(j+nodes[1]*k)] += part
		}
	}
	for _, v := range mass {
		u.capacityV += v
	}
	return mass, nil
}

// diffusionSlack is the ratio of the tolerance of a diffusion solve, relative to a step's change, to that
// of the pressure, by default. The content is conserved whatever it is, the change vanishes as a state becomes steady, and 1e-6
// of it is far below the error of the time step.
const diffusionSlack = 100

// buildSolver makes the solver, for a tolerance of the pressure.
func (u *scalar) buildSolver(pressure float64) (err error) {
	options := u.of.solver
	options.Mixed = u.p.Mixed
	narrow := u.p.Extent.Grading[kernels.Z].Cluster != stencil.Even || u.p.Stencil == kernels.TwentySevenPoint
	options.Massive, options.Points = true, narrow && !u.of.diffusivity.Varies()
	if u.dispersion != nil && !u.of.diffusivity.Varies() { // a speed is as smooth as the flow
		options.Smooth = true
	}
	if options.Tolerance == 0 {
		options.Tolerance = diffusionSlack * pressure
	}
	if u.solver, err = multigrid.New(u.diffusion, options); err != nil {
		return fmt.Errorf("%s solver: %w", u.of.Name, err)
	}
	return nil
}

// buildFields allocates the history.
func (u *scalar) buildFields(steady bool) (err error) {
	for _, f := range []struct {
		f    **stencil.Field
		name string
		b    *stencil.Boundary
	}{
		{&u.now, u.of.Name, u.boundary}, {&u.before, u.of.Name + "_previous", u.boundary}, {&u.older, u.of.Name + "_older", u.boundary},
		{&u.advection, u.of.prefix + "advection", nil}, {&u.advectionPrev, u.of.prefix + "advection_previous", nil},
	} {
		if *f.f, err = u.grid.NewField(f.name, f.b); err != nil {
			return err
		}
	}
	if steady {
		u.reference, err = u.grid.NewField(u.of.prefix+"steady_reference", nil)
	}
	return err
}

// stateFields returns the fields that a checkpoint must hold.
func (u *scalar) stateFields() []*stencil.Field {
	f := []*stencil.Field{u.now, u.before, u.older, u.advectionPrev}
	if u.reference != nil {
		f = append(f, u.reference)
	}
	return f
}

// numbers lists the numbers of a state by name, less those of the permitted range.
func (u *scalar) numbers() map[string]*float64 {
	return map[string]*float64{
		u.of.prefix + u.of.Content: &u.content, u.of.prefix + u.of.Content + "_previous": &u.contentPrev,
		u.of.prefix + "advection_sum_previous": &u.advectionSumPrev,
		u.of.Name + "_range":                   &u.difference,
	}
}

// rangeNumbers lists the numbers of the permitted range in a state by name.
func (u *scalar) rangeNumbers() map[string]*float64 {
	numbers := map[string]*float64{}
	for name, v := range u.met.scalars() {
		numbers[u.of.prefix+name] = v
	}
	return numbers
}

func (u *scalar) free() {
	for _, f := range []*stencil.Field{u.now, u.before, u.older, u.advection, u.advectionPrev, u.source, u.reference} {
		f.Free()
	}
	if w := u.feeding.swelling; w != nil {
		w.steady.Free()
		w.volumes.Free()
	}
	if u.solver != nil {
		u.solver.Free()
	}
	if u.diffusion != nil {
		u.diffusion.Free()
	}
	if u.boundary != nil {
		u.boundary.Free()
	}
	u.ties.free(u.dev)
	for _, c := range u.crossings {
		for _, b := range []kernels.Buffer{c.held, c.tied} {
			if b != nil {
				u.dev.Free(b)
			}
		}
	}
	for s := range u.wallShare {
		for _, b := range []kernels.Buffer{u.wallShare[s], u.transport.Inflow[s]} {
			if b != nil {
				u.dev.Free(b)
			}
		}
	}
}
