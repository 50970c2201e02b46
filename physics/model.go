package physics

import (
	"fmt"
	"slices"

	"convect/kernels"
	"convect/multigrid"
	"convect/stencil"
)

// model holds the fields, operators and solvers of one simulation.
type model struct {
	p      Parameters
	dev    kernels.Device
	grid   *stencil.Grid
	walls  *walls
	met    *permitted // what the temperature may reach
	room   body
	outset *outset // of a run from its start; nil: it goes on

	heatBoundary, flowBoundary *stencil.Boundary

	// Temperature now and one step ago; integrated advection now, computed with the samples of the state, and one step ago.
	temperature, temperaturePrev *stencil.Field
	temperatureOlder             *stencil.Field // two steps ago
	advection, advectionPrev     *stencil.Field
	pressure                     *stencil.Field // p'
	pressurePrev, pressureOlder  *stencil.Field // one and two steps ago
	source                       *stencil.Field // integrated heat sources and wall fluxes; nil: none
	wallFlow                     *stencil.Field // at nodes of fixed temperature, minus the heat that flowed in through their walls; nil: given back
	scratch                      scratch
	reference                    *stencil.Field // temperature at the start of the steady window; nil: not asked

	diffusion  *stencil.Operator // s σV - ∇·D∇
	conduction *stencil.Operator // the same with s = 0 and all nodes free: L and its wall fluxes
	mobility   *stencil.Operator // -∇·(K/μ)∇
	viscosity  *viscosity        // of the temperature; nil: none

	flow      *stencil.Flow
	transport stencil.Transport

	pressureSolver, diffusionSolver *multigrid.Solver

	capacity      float64       // constant σ; 1 where the nodal mass buffer holds it
	leastCapacity float64       // the least σ
	capacityV     float64       // Σ σ V
	sourceSum     float64       // Σ of source
	prescribed    [6]float64    // the part of each side in it
	through       [6][2]float64 // what prescribed velocities carry in and out through each side
	wallShare     [6]kernels.Buffer
	wallArea      [6]kernels.Buffer
	thermal       thermalAxis
	hasPressed    bool // a wall of fixed pressure exists: its p' follows the mean column
}

func newModel(dev kernels.Device, p Parameters, steady bool) (*model, error) {
	m := &model{p: p, dev: dev}
	err := m.build(steady)
	if err != nil {
		m.free()
		return nil, err
	}
	return m, nil
}

func (m *model) build(steady bool) error {
	steps := []func() error{m.buildGrid, m.buildOperators, m.buildFlow, m.buildWalls, m.buildSolvers}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return m.buildFields(steady)
}

func (m *model) buildGrid() (err error) {
	if m.grid, err = stencil.NewGrid(m.dev, m.p.Precision, m.p.Extent); err != nil {
		return err
	}
	m.walls = newWalls(m.grid, &m.p)
	m.met = m.walls.met
	m.heatBoundary, err = stencil.NewBoundary(m.grid, m.walls.fixed(func(c Wall) bool { return c.Heat == FixedTemperature }))
	if err != nil {
		return err
	}
	m.flowBoundary, err = stencil.NewBoundary(m.grid, m.walls.fixed(pressed))
	m.hasPressed = err == nil && !m.flowBoundary.Singular()
	return err
}

func pressed(c Wall) bool { return c.Flow == Open || c.Flow == FixedPressure }

func (m *model) buildOperators() (err error) {
	mass, err := m.mass()
	if err != nil {
		return err
	}
	d := stencil.Coefficients{Stencil: m.p.Stencil, Constant: m.p.Diffusivity.Constant, Cells: m.p.Diffusivity.Cells, Mass: mass}
	if m.diffusion, err = stencil.NewOperator(m.heatBoundary, d); err != nil {
		return fmt.Errorf("diffusivity: %w", err)
	}
	m.conduction = m.diffusion.Unmasked()
	k := stencil.Coefficients{Stencil: m.p.Stencil, Constant: m.p.Permeability.Constant, Cells: m.p.Permeability.Cells}
	if m.mobility, err = stencil.NewOperator(m.flowBoundary, k); err != nil {
		return fmt.Errorf("permeability: %w", err)
	}
	if m.p.Viscosity != nil {
		if m.viscosity, err = newViscosity(m.mobility, m.p.Viscosity); err != nil {
			return fmt.Errorf("viscosity: %w", err)
		}
	}
	return nil
}

// mass returns the integrated nodal σV where the heat-capacity ratio varies, else nil, and notes its sum.
func (m *model) mass() ([]float64, error) {
	m.leastCapacity = m.p.HeatCapacityRatio.Min()
	if !m.p.HeatCapacityRatio.Varies() {
		m.capacity = m.p.HeatCapacityRatio.Constant[0]
		m.capacityV = m.capacity * m.grid.Volume()
		return nil, nil
	}
	m.capacity = 1
	sigma, n, nodes := m.p.HeatCapacityRatio.Cells[0], m.grid.CellShape(), m.grid.Box.N
	if len(sigma) != n[0]*n[1]*n[2] {
		return nil, fmt.Errorf("heat-capacity ratio: %d values for %d cells", len(sigma), n[0]*n[1]*n[2])
	}
	mass := make([]float64, m.grid.Nodes())
	corners := 8.0
	if m.grid.Flat() {
		corners = 4
	}
	for c, v := range sigma {
		ijk := [3]int{c % n[0], c / n[0] % n[1], c / (n[0] * n[1])}
		part := v / corners
		for d, w := range m.grid.Widths {
			if len(w) > 0 {
				part *= w[ijk[d]]
			}
		}
		for corner := range 8 {
			if m.grid.Flat() && corner&2 != 0 {
				continue
			}
			i, j, k := (ijk[0]+corner&1)%nodes[0], (ijk[1]+corner>>1&1)%nodes[1], (ijk[2]+corner>>2)%nodes[2]
			mass[i+nodes[0]*(j+nodes[1]*k)] += part
		}
	}
	for _, v := range mass {
		m.capacityV += v
	}
	return mass, nil
}

func (m *model) buildFlow() (err error) {
	if m.flow, err = stencil.NewFlow(m.mobility); err != nil {
		return err
	}
	m.transport = stencil.Transport{Flow: m.flow, Scheme: m.p.Transport}
	return nil
}

// diffusionSlack is the ratio of the tolerance of the diffusion solve, relative to a step's change of temperature, to that
// of the pressure, by default. Heat is conserved whatever it is, the change vanishes as a state becomes steady, and 1e-6
// of it is far below the error of the time step.
const diffusionSlack = 100

func (m *model) buildSolvers() (err error) {
	pressure, diffusion := m.p.Pressure, m.p.Diffusion
	if m.viscosity != nil && !m.p.Permeability.Varies() {
		smoother := pressure.Smoother
		pressure = pressure.WithDefaults() // a mobility as smooth as the temperature is an easy one
		pressure.Smoother = smoother       // chosen by the widths of cells as ever
	}
	pressure.Mixed, diffusion.Mixed = m.p.Mixed, m.p.Mixed
	if m.pressureSolver, err = multigrid.New(m.mobility, pressure); err != nil {
		return fmt.Errorf("pressure solver: %w", err)
	}
	narrow := m.p.Extent.Grading[kernels.Z].Cluster != stencil.Even || m.p.Stencil == kernels.TwentySevenPoint
	if diffusion.Smoother == multigrid.BestSmoother && narrow && !m.p.Diffusivity.Varies() {
		diffusion.Smoother = multigrid.Chebyshev // the capacity ties a node to itself: no need of lines in narrow cells
	}
	if diffusion.Tolerance == 0 {
		diffusion.Tolerance = diffusionSlack * m.pressureSolver.Options().Tolerance
	}
	if m.diffusionSolver, err = multigrid.New(m.diffusion, diffusion); err != nil {
		return fmt.Errorf("temperature solver: %w", err)
	}
	return nil
}

func (m *model) buildFields(steady bool) error {
	fields := []struct {
		f    **stencil.Field
		name string
		b    *stencil.Boundary
	}{
		{&m.temperature, "temperature", m.heatBoundary}, {&m.temperaturePrev, "temperature_previous", m.heatBoundary},
		{&m.temperatureOlder, "temperature_older", m.heatBoundary},
		{&m.advection, "advection", nil}, {&m.advectionPrev, "advection_previous", nil},
		{&m.pressure, "pressure", m.flowBoundary}, {&m.pressurePrev, "pressure_previous", m.flowBoundary},
		{&m.pressureOlder, "pressure_older", m.flowBoundary},
	}
	for _, f := range fields {
		var err error
		if *f.f, err = m.grid.NewField(f.name, f.b); err != nil {
			return err
		}
	}
	if err := m.scratch.build(m.grid); err != nil {
		return err
	}
	if steady {
		var err error
		if m.reference, err = m.grid.NewField("steady_reference", nil); err != nil {
			return err
		}
	}
	return nil
}

// stateFields returns the fields that a checkpoint must hold.
func (m *model) stateFields() []*stencil.Field {
	f := []*stencil.Field{m.temperature, m.temperaturePrev, m.pressure, m.pressurePrev, m.pressureOlder, m.advectionPrev, m.temperatureOlder}
	if m.reference != nil {
		f = append(f, m.reference)
	}
	return f
}

func (m *model) free() {
	for _, f := range []*stencil.Field{m.temperature, m.temperaturePrev, m.advection, m.advectionPrev, m.pressure,
		m.pressurePrev, m.pressureOlder, m.source, m.temperatureOlder, m.reference} {
		f.Free()
	}
	m.scratch.free()
	for _, s := range []*multigrid.Solver{m.pressureSolver, m.diffusionSolver} {
		if s != nil {
			s.Free()
		}
	}
	if m.flow != nil {
		m.flow.Free()
	}
	for _, o := range []*stencil.Operator{m.diffusion, m.mobility} {
		if o != nil {
			o.Free()
		}
	}
	for _, b := range []*stencil.Boundary{m.heatBoundary, m.flowBoundary} {
		if b != nil {
			b.Free()
		}
	}
	for _, b := range slices.Concat(m.wallShare[:], m.wallArea[:], m.transport.Inflow[:]) {
		if b != nil {
			m.dev.Free(b)
		}
	}
	if m.grid != nil {
		m.grid.Free()
	}
}
