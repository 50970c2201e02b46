package physics

import (
	"fmt"
	"math"
	"math/rand/v2"

	"convect/kernels"
	"convect/kernels/parallel"
	"convect/stencil"
)

// initialise sets the scalars at time 0.
func (m *model) initialise() error {
	for _, u := range m.scalars {
		values, err := u.start()
		if err != nil {
			return err
		}
		u.outset = m.planes(values)
		if err := u.initialise(values); err != nil {
			return err
		}
	}
	return nil
}

// initialise sets the scalar at time 0: state, perturbation, fixed walls.
func (u *scalar) initialise(values []float64) error {
	u.perturb(values)
	if n := parallel.First(len(values), func(n int) bool { return math.IsNaN(values[n]) || math.IsInf(values[n], 0) }); n < len(values) {
		i, j, k := n%u.grid.Box.N[0], n/u.grid.Box.N[0]%u.grid.Box.N[1], n/(u.grid.Box.N[0]*u.grid.Box.N[1])
		return fmt.Errorf("initial %s is %g at x = %g, y = %g, z = %g", u.of.Name, values[n],
			u.walls.x[0][i], u.walls.x[1][j], u.walls.x[2][k])
	}
	u.now.Upload(values)
	u.boundary.Impose(u.now)
	u.before.Copy(u.now)
	return nil
}

// start returns the values at time 0 before the perturbation.
func (u *scalar) start() ([]float64, error) {
	in := &u.of.initial
	n := u.grid.Box.N
	switch {
	case in.Conduction:
		return u.conductionState()
	case in.Nodes != nil:
		if len(in.Nodes) != u.grid.Nodes() {
			return nil, fmt.Errorf("initial %s: %d values for %d nodes", u.of.Name, len(in.Nodes), u.grid.Nodes())
		}
		return append([]float64(nil), in.Nodes...), nil
	}
	values := make([]float64, u.grid.Nodes())
	eachRow(n, func(j, k int) {
		row := values[(k*n[1]+j)*n[0]:][:n[0]]
		for i := range row {
			row[i] = value(in.Temperature, [3]float64{u.walls.x[0][i], u.walls.x[1][j], u.walls.x[2][k]}, 0)
		}
	})
	return values, nil
}

// conductionState solves -∇·D∇s = Q with the walls' values and fluxes, from a guess that is linear along the
// scalar's axis, so that a plain layer is exact.
func (u *scalar) conductionState() ([]float64, error) {
	n := u.grid.Box.N
	guess := make([]float64, u.grid.Nodes())
	a := u.axis.axis
	eachRow(n, func(j, k int) {
		row := guess[(k*n[1]+j)*n[0]:][:n[0]]
		for i := range row {
			s := u.walls.x[a][[3]int{i, j, k}[a]] / u.grid.Size[a]
			row[i] = u.axis.low + (u.axis.high-u.axis.low)*s
		}
	})
	u.now.Upload(guess)
	u.boundary.Impose(u.now)
	rhs, change := u.scratch.borrow("right side"), u.scratch.reuse("departure from the guess", u.advectionPrev)
	defer u.scratch.giveBack(rhs)
	defer u.scratch.giveBack(change)
	rhs.Fill(0)
	if u.source != nil {
		rhs.Copy(u.source)
	}
	u.solver.SetMassScale(0)
	change.Fill(0)
	u.diffusion.Residual(rhs, rhs, u.now)
	// To rounding: what is left would drive a spurious flow.
	if err := u.solveDiffusion(change, rhs, u.conductionScale()*1e-6); err != nil {
		return nil, fmt.Errorf("conduction state: %w", err)
	}
	return sumOnHost(u.now, change)
}

// solveDiffusion solves with the mass that the solver has.
func (u *scalar) solveDiffusion(x, rhs *stencil.Field, reference float64) error {
	room := u.scratch.borrow("room of the diffusion solve")
	defer u.scratch.giveBack(room)
	u.solver.SetScratch(room)
	defer u.solver.SetScratch(nil)
	_, err := u.solver.Solve(x, rhs, reference)
	return err
}

// sumOnHost returns the sum of two fields, computed on the host.
func sumOnHost(a, b *stencil.Field) ([]float64, error) {
	values, err := a.Download()
	if err != nil {
		return nil, err
	}
	add, err := b.Download()
	parallel.Ranges(len(add), func(first, last int) {
		for n := first; n < last; n++ {
			values[n] += add[n]
		}
	})
	return values, err
}

// conductionScale is the norm of the fluxes of a unit difference across the cells, a measure for
// the residual of the conduction state.
func (u *scalar) conductionScale() float64 {
	c := u.diffusion.Couplings()
	volume := u.grid.Volume() / float64(u.grid.Nodes())
	return max(c[0], c[1], c[2]) * volume * math.Sqrt(float64(u.grid.Nodes()))
}

// perturb adds the mode and the noise of the case.
func (u *scalar) perturb(values []float64) {
	in := &u.of.initial
	n := u.grid.Box.N
	if in.Amplitude != 0 {
		var shape [3][]float64
		for d := range 3 {
			shape[d] = u.modeShape(d, in.Mode[d])
		}
		eachRow(n, func(j, k int) {
			row := values[(k*n[1]+j)*n[0]:][:n[0]]
			for i := range row {
				row[i] += in.Amplitude * shape[0][i] * shape[1][j] * shape[2][k]
			}
		})
	}
	if in.Noise != 0 {
		r := rand.New(rand.NewPCG(uint64(in.Seed), 0x636f6e76656374))
		for c := range values {
			values[c] += in.Noise * (2*r.Float64() - 1)
		}
	}
}

// modeShape returns the mode's factor at the nodes of an axis; see Initial.
func (u *scalar) modeShape(d, mode int) []float64 {
	shape := make([]float64, u.grid.Box.N[d])
	sine := d == kernels.Z && u.boundary.Fixed(kernels.Bottom) && u.boundary.Fixed(kernels.Top)
	for i := range shape {
		if u.grid.Cells[d] == 0 || mode == 0 {
			shape[i] = 1
			continue
		}
		a := float64(mode) * math.Pi * u.walls.x[d][i] / u.grid.Size[d]
		switch {
		case sine:
			shape[i] = math.Sin(a)
		case u.grid.Periodic[d]:
			shape[i] = math.Cos(2 * a)
		default:
			shape[i] = math.Cos(a)
		}
	}
	return shape
}
