package physics

import (
	"fmt"
	"math"
	"math/rand/v2"

	"convect/kernels"
	"convect/stencil"
)

// initialise sets the temperature at time 0: state, perturbation, fixed walls.
func (m *model) initialise() error {
	values, err := m.startTemperature()
	if err != nil {
		return err
	}
	m.outset = m.planes(values)
	m.perturb(values)
	for n, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			i, j, k := n%m.grid.Box.N[0], n/m.grid.Box.N[0]%m.grid.Box.N[1], n/(m.grid.Box.N[0]*m.grid.Box.N[1])
			return fmt.Errorf("initial temperature is %g at x = %g, y = %g, z = %g", v,
				m.walls.x[0][i], m.walls.x[1][j], m.walls.x[2][k])
		}
	}
	m.temperature.Upload(values)
	m.impose(m.temperature)
	m.temperaturePrev.Copy(m.temperature)
	return nil
}

func (m *model) startTemperature() ([]float64, error) {
	in := &m.p.Initial
	n := m.grid.Box.N
	switch {
	case in.Conduction:
		return m.conductionState()
	case in.Nodes != nil:
		if len(in.Nodes) != m.grid.Nodes() {
			return nil, fmt.Errorf("initial temperature: %d values for %d nodes", len(in.Nodes), m.grid.Nodes())
		}
		return append([]float64(nil), in.Nodes...), nil
	}
	values := make([]float64, m.grid.Nodes())
	for c := range values {
		x := [3]float64{m.walls.x[0][c%n[0]], m.walls.x[1][c/n[0]%n[1]], m.walls.x[2][c/(n[0]*n[1])]}
		values[c] = value(in.Temperature, x, 0)
	}
	return values, nil
}

// conductionState solves -∇·D∇T = Q with the walls' temperatures and fluxes, from a guess that is linear along the
// thermal axis, so that a plain layer is exact.
func (m *model) conductionState() ([]float64, error) {
	n := m.grid.Box.N
	guess := make([]float64, m.grid.Nodes())
	a := m.thermal.axis
	for c := range guess {
		ijk := [3]int{c % n[0], c / n[0] % n[1], c / (n[0] * n[1])}
		s := m.walls.x[a][ijk[a]] / m.grid.Size[a]
		guess[c] = m.thermal.low + (m.thermal.high-m.thermal.low)*s
	}
	m.temperature.Upload(guess)
	m.impose(m.temperature)
	rhs, change := m.scratch.borrow("sources of heat"), m.scratch.reuse("departure from the guess", m.advectionPrev)
	defer m.scratch.giveBack(rhs)
	defer m.scratch.giveBack(change)
	rhs.Fill(0)
	if m.source != nil {
		rhs.Copy(m.source)
	}
	m.diffusionSolver.SetMassScale(0)
	change.Fill(0)
	m.diffusion.Residual(rhs, rhs, m.temperature)
	// To rounding: what is left would drive a spurious flow.
	if err := m.solveDiffusion(change, rhs, m.conductionScale()*1e-6); err != nil {
		return nil, fmt.Errorf("conduction state: %w", err)
	}
	return sumOnHost(m.temperature, change)
}

// solveDiffusion solves with the mass that the solver has.
func (m *model) solveDiffusion(u, rhs *stencil.Field, reference float64) error {
	room := m.scratch.borrow("room of the diffusion solve")
	defer m.scratch.giveBack(room)
	m.diffusionSolver.Lend(room)
	defer m.diffusionSolver.Lend(nil)
	_, err := m.diffusionSolver.Solve(u, rhs, reference)
	return err
}

// sumOnHost returns the sum of two fields, computed on the host.
func sumOnHost(a, b *stencil.Field) ([]float64, error) {
	values, err := a.Download()
	if err != nil {
		return nil, err
	}
	add, err := b.Download()
	for n := range add {
		values[n] += add[n]
	}
	return values, err
}

// conductionScale is the norm of the heat fluxes of a unit temperature difference across the cells, a measure for
// the residual of the conduction state.
func (m *model) conductionScale() float64 {
	c := m.diffusion.Couplings()
	volume := m.grid.Volume() / float64(m.grid.Nodes())
	return max(c[0], c[1], c[2]) * volume * math.Sqrt(float64(m.grid.Nodes()))
}

// perturb adds the mode and the noise of the case.
func (m *model) perturb(values []float64) {
	in := &m.p.Initial
	n := m.grid.Box.N
	if in.Amplitude != 0 {
		var shape [3][]float64
		for d := range 3 {
			shape[d] = m.modeShape(d, in.Mode[d])
		}
		for c := range values {
			values[c] += in.Amplitude * shape[0][c%n[0]] * shape[1][c/n[0]%n[1]] * shape[2][c/(n[0]*n[1])]
		}
	}
	if in.Noise != 0 {
		r := rand.New(rand.NewPCG(uint64(in.Seed), 0x636f6e76656374))
		for c := range values {
			values[c] += in.Noise * (2*r.Float64() - 1)
		}
	}
}

// modeShape returns the mode's factor at the nodes of an axis; see Initial.
func (m *model) modeShape(d, mode int) []float64 {
	shape := make([]float64, m.grid.Box.N[d])
	sine := d == kernels.Z && m.heatBoundary.Fixed(kernels.Bottom) && m.heatBoundary.Fixed(kernels.Top)
	for i := range shape {
		if m.grid.Cells[d] == 0 || mode == 0 {
			shape[i] = 1
			continue
		}
		a := float64(mode) * math.Pi * m.walls.x[d][i] / m.grid.Size[d]
		switch {
		case sine:
			shape[i] = math.Sin(a)
		case m.grid.Periodic[d]:
			shape[i] = math.Cos(2 * a)
		default:
			shape[i] = math.Cos(a)
		}
	}
	return shape
}
