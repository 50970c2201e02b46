package physics

import (
	"fmt"
	"math"

	"convect/stencil"
)

// measure computes the advection of the present state, which the next step begins with, and queues the reductions of a
// sample. The wall flows are those of the step, or of a state at rest in time, and are given back.
func (m *model) measure(static bool) {
	m.measureDivergence()
	for _, u := range m.scalars {
		u.advect()
		u.measureCarried()
		if static {
			u.restingWallFlow()
		}
	}
	if m.flow.viscosity != nil {
		m.flow.viscosity.measure()
	}
	if law := m.flow.buoyancy.law; law != nil {
		law.measure()
	}
	if m.streams() {
		psi := m.scratch.borrow("stream function")
		m.flow.Streamfunction(psi, m.slots+slotPsi)
		m.scratch.giveBack(psi)
	}
	for _, u := range m.scalars {
		u.measureWalls()
	}
}

// streams tells whether the flow has a stream function: in 2-D, without wells.
func (m *model) streams() bool { return m.grid.Flat() && len(m.wells.all) == 0 }

// advect computes the advection of all scalars.
func (m *model) advect() {
	for _, u := range m.scalars {
		u.advect()
	}
}

// advect computes the advection of the present state, what wells carry included, and the statistics of its flow and of the scalar.
func (u *scalar) advect() {
	u.transfer()
	u.carryWells()
}

// transfer computes the advection through faces alone.
func (u *scalar) transfer() {
	if u.dispersion != nil {
		u.transport.Flow.Velocities() // which dispersion needs too
	}
	u.transport.AdvectMeasured(u.conduction, u.advection, u.now, u.axis.axis, u.axis.enclosed, u.slot+ownMeasured)
	u.disperse()
}

// measureWalls queues the sums over walls and gives back the wall flows.
func (u *scalar) measureWalls() {
	u.measureTies()
	u.measureCrossings()
	for _, s := range u.walls.sides {
		if u.wallShare[s] != nil {
			u.wallFlow.WallSum(s, u.wallShare[s], u.slot+ownWallFlux+int(s))
		}
		if s.Axis() == u.axis.axis {
			u.now.WallSum(s, u.wallArea[s], u.slot+ownWallMean+int(s))
		}
	}
	u.dropWallFlow()
}

// restingWallFlow computes the wall flows of a state at rest in time (before the first step): what conduction and
// advection carry into the nodes of fixed temperature.
func (u *scalar) restingWallFlow() {
	rhs := u.scratch.borrow("right side")
	defer u.scratch.giveBack(rhs)
	rhs.Copy(u.advection)
	if u.source != nil {
		rhs.Combine(stencil.Sum{C: 1, X: u.advection}, stencil.Sum{C: 1, X: u.source})
	}
	u.wallFlow = u.scratch.borrow(u.of.residual)
	u.diffusion.Release(rhs, u.now)
	u.conduction.Residual(u.wallFlow, rhs, u.now)
}

// read turns the reductions into a sample's numbers and returns what was measured of each scalar, by their order, valid until it reads again.
func (m *model) read(s *Sample) (balances []balance, err error) {
	v, err := m.dev.Scalars()
	if err != nil {
		return nil, fmt.Errorf("diagnostics: %w", err)
	}
	m.tally.read(v)
	for n, on := range m.surfaces {
		s.Surfaces[n].Fluid = on.fluid
	}
	volume := m.grid.Volume()
	flow := v[m.scalars[0].slot+ownMeasured:] // each scalar measures the flow too
	s.SpeedRMS = math.Sqrt(flow[stencil.SpeedSquared] / volume)
	s.SpeedMax = flow[stencil.SpeedMax]
	s.Divergence = flow[stencil.DivergenceMax]
	if len(m.wells.all) > 0 {
		s.Divergence = v[m.slots+slotDivergence]
	}
	s.Streamfunction, s.StreamfunctionMid = math.NaN(), math.NaN()
	if m.streams() {
		s.Streamfunction, s.StreamfunctionMid = v[m.slots+slotPsi], v[m.slots+slotPsi+1]
	}
	if m.flow.viscosity != nil {
		m.flow.viscosity.read(v[m.slots:])
	}
	s.Wells = m.wells.samples(s.Wells)
	if law := m.flow.buoyancy.law; law != nil {
		law.read(v[m.slots:])
	}
	balances = m.balances
	for n, u := range m.scalars {
		b := &balances[n]
		*b = u.read(v)
		of := &s.Scalars[n]
		of.Mean, of.Hot, of.Cold, of.Volume, of.Dissipation = b.content/u.capacityV, b.hot, b.cold, b.mean, b.dissipation
	}
	return balances, nil
}

// balance is what is measured of a scalar at one step.
type balance struct {
	content, advection float64    // sums over all nodes
	wall               [6]float64 // into the domain through the fixed nodes of each side and, without what ties bring from outside, its tied ones; integrated, conservative
	numbers                       // of what crosses
}

// read turns the scalar's slots among all into its balance.
func (u *scalar) read(all []float64) (b balance) {
	v := all[u.slot:][:ownSlots]
	spread, lost := u.dispersion.spread(all)
	flow, mean := [6]float64{}, [6]float64{}
	for _, side := range u.walls.sides {
		if u.wallShare[side] != nil {
			b.wall[side] = -v[ownWallFlux+int(side)]
		}
		b.wall[side] -= u.ties.released[side]
		if side.Axis() == u.axis.axis {
			mean[side] = v[ownWallMean+int(side)] / u.axis.area
			flow[side] = b.wall[side]
		}
	}
	for end, side := range u.axis.sides() {
		if u.axis.active[end] {
			flow[side] += u.prescribed[side]
		}
	}
	b.content, b.advection = v[ownContent], v[ownAdvection]+u.wellsIn
	if u.conduction.Elliptic().Mass == nil {
		b.content *= u.capacity
	}
	b.numbers = u.axis.nusselt(&flow, &mean, u.grid.Size[u.axis.axis], v[ownFlux]+spread, v[ownDissipation]+lost)
	return b
}

// begin takes a balance as that of the initial state.
func (u *scalar) begin(b *balance) {
	u.content, u.contentPrev, u.advectionSum = b.content, b.content, b.advection
}

// keep takes a balance as that of a step, and returns what came in per time by the coefficients of the step, and what the content gained.
func (u *scalar) keep(b *balance, c sbdf) (in, gain float64) {
	gain = (c.a0*(b.content-u.content) - c.a2*(u.content-u.contentPrev)) / c.dt
	in = u.sourceSum - u.ties.taken + c.e1*u.advectionSum + c.e2*u.advectionSumPrev
	for _, q := range b.wall {
		in += q
	}
	u.contentPrev, u.content = u.content, b.content
	u.advectionSumPrev, u.advectionSum = u.advectionSum, b.advection
	return in, gain
}
