package physics

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"convect/kernels"
	"convect/multigrid"
	"convect/stencil"
)

// A probe lasts the longer of this time and this many steps, unless it knows sooner.
const (
	probeTime  = 4 * steadyTime
	probeSteps = 4 * steadySteps
)

// probeAmplitude and probeMost bound the largest disturbance of a scalar, in parts of the range of its initial values: far
// above rounding, and, between them, above what the state may still change by.
const (
	probeAmplitude = 1e-3
	probeMost      = 1e-2
	probeAbove     = 3 // times Controls.Steady
)

// probeLeast is the least rate that counts as growth or decay, times that of diffusion over the shortest extent of the domain.
const probeLeast = 0.05

// probeSlack and probeChange are the tolerances of the pressure and of a step's change of a scalar in a probe, which measures sizes of the
// disturbance to some per cent.
const (
	probeSlack  = 1e-6
	probeChange = 1e-3
)

// probe tells whether the present state is stable: it adds a smooth random disturbance to all that moves the fluid, follows it under the walls of the
// present time with steps of its own, and puts everything back, to the bit. It returns the rate at which the disturbance grows,
// 0 where it decays or stays. The state must not change on its own by more than the steady criterion allows, and the reference
// field must hold each scalar.
//
// This is power iteration with the propagator of the linearised equations: whatever the disturbance is made of, the mode that grows
// fastest is what is left of it. See spell for how long it takes. Where a solve fails, it is not known that the state is stable, and +Inf is returned.
func (s *Simulation) probe() (rate float64, err error) {
	s.clock.start()
	state, err := s.State()
	if err != nil {
		return 0, err
	}
	sample := s.sample
	rate, err = s.followDisturbance()
	var failed *multigrid.ConvergenceError
	if errors.As(err, &failed) {
		rate, err = math.Inf(1), nil
	}
	if err != nil {
		return 0, err
	}
	if err := s.restore(state); err != nil {
		return 0, err
	}
	s.sample = sample
	s.clock.lap("probe of a steady state")
	return rate, nil
}

// followDisturbance disturbs the state and steps until it is known whether the disturbance grows.
func (s *Simulation) followDisturbance() (rate float64, err error) {
	m := s.model
	active := m.active()
	for _, u := range active {
		if err := u.disturb(s.probeSize(u)); err != nil {
			return 0, err
		}
	}
	flow, err := m.flow.solve(sbdf{guess: [3]float64{1}}, s.follow.before(s.time), 0, nil)
	if err != nil {
		return 0, err
	}
	reference := flow.Reference * math.Max(1, probeSlack/m.flow.solver.Options().Tolerance)
	slack := math.Max(1, probeChange/active[0].solver.Options().Tolerance)
	dt, before := s.probeStep(), [2]float64{}
	w := newSpell(dt, probeLeast*slowest(active), int(math.Max(probeSteps, math.Ceil(probeTime/dt))))
	for !w.over {
		m.advect()
		c := coefficients(dt, before[0], before[1])
		if _, _, err := m.stepScalars(c, s.follow.before(s.time), slack, nil); err != nil {
			return 0, err
		}
		m.dropWallFlows()
		if _, err := m.flow.solve(c, s.follow.before(s.time), reference, nil); err != nil {
			return 0, err
		}
		before = [2]float64{dt, before[0]}
		if !w.due() {
			continue
		}
		size, motion, err := m.disturbance(active)
		if err != nil {
			return 0, err
		}
		w.look(size, motion)
	}
	return w.rate, nil
}

// active lists the scalars that move the fluid and vary, by buoyancy or viscosity: a disturbance of the others decays. Without one it is the first.
func (m *model) active() []*scalar {
	var active []*scalar
	add := func(u *scalar) {
		if u.difference > 0 && !slices.Contains(active, u) {
			active = append(active, u)
		}
	}
	for _, t := range m.flow.buoyancy.terms {
		add(t.of)
	}
	if v := m.flow.viscosity; v != nil {
		for _, u := range v.scalars() {
			add(u)
		}
	}
	if active == nil {
		return m.scalars[:1]
	}
	return active
}

// slowest returns the least of the diffusion rates of scalars.
func slowest(scalars []*scalar) float64 {
	least := math.Inf(1)
	for _, u := range scalars {
		least = math.Min(least, u.diffusionRate())
	}
	return least
}

// disturbance measures how far scalars are from where they were before a probe, and by how much they moved in two steps: the largest of all, in
// parts of their ranges, times the range of the first.
func (m *model) disturbance(active []*scalar) (size, motion float64, err error) {
	for _, u := range active {
		u.now.Reduce(kernels.MaxDiff, u.reference, m.slots+slotSteady)
		u.now.Reduce(kernels.MaxDiff, u.older, m.slots+slotMotion)
		v, err := m.dev.Scalars()
		if err != nil {
			return 0, 0, err
		}
		part := 1.0
		if u != active[0] {
			part = active[0].difference / u.difference
		}
		size, motion = math.Max(size, part*v[m.slots+slotSteady]), math.Max(motion, part*v[m.slots+slotMotion])
	}
	return size, motion, nil
}

// probeSize is the largest disturbance of a scalar.
func (s *Simulation) probeSize(u *scalar) float64 {
	return u.difference * math.Min(probeMost, math.Max(probeAmplitude, probeAbove*s.controls.Steady))
}

// probeStep is the step of a probe: the largest that buoyancy, the Courant number and the diffusion of the disturbance allow, whatever the case
// asks of the run.
func (s *Simulation) probeStep() float64 {
	dt := math.Min(s.BuoyantStep(), probeTime)
	if s.rate > 0 {
		dt = math.Min(dt, s.controls.Courant/s.rate)
	}
	return dt
}

// diffusionRate is one over the time in which the scalar diffuses over the shortest extent of the domain, D/(σ L²).
func (u *scalar) diffusionRate() float64 {
	extent := u.shortest()
	return u.of.diffusivity.Max() / (u.of.capacity.Max() * extent * extent)
}

// disturb adds to the scalar a random field of the largest value given, made smooth by one implicit step of diffusion over a third of the
// shortest extent of the domain; what is fixed stays.
func (u *scalar) disturb(size float64) error {
	scale := 9 * u.diffusionRate()
	n, noise := u.grid.Box.N, rand.New(rand.NewPCG(1, 0x64697374757262))
	values := make([]float64, u.grid.Nodes())
	for c := range values {
		i, j, k := c%n[0], c/n[0]%n[1], c/(n[0]*n[1])
		values[c] = u.grid.DualWidth(0, i) * u.grid.DualWidth(1, j) * u.grid.DualWidth(2, k) * (2*noise.Float64() - 1)
	}
	rhs, disturbance := u.scratch.borrow("noise"), u.scratch.reuse("disturbance", u.advectionPrev)
	defer u.scratch.giveBack(rhs)
	defer u.scratch.giveBack(disturbance)
	rhs.Upload(values)
	u.solver.SetMassScale(scale * u.capacity)
	u.diffusion.SetMassScale(scale * u.capacity)
	disturbance.Fill(0)
	if err := u.solveDiffusion(disturbance, rhs, 0); err != nil {
		return err
	}
	disturbance.Reduce(kernels.MaxAbs, nil, u.slots+slotMotion)
	v, err := u.dev.Scalars()
	if err != nil {
		return err
	}
	if most := v[u.slots+slotMotion]; most > 0 {
		u.now.Combine(stencil.Sum{C: 1, X: u.now}, stencil.Sum{C: size / most, X: disturbance})
	}
	return nil
}
