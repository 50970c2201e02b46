package physics

import (
	"errors"
	"math"

	"convect/kernels"
	"convect/multigrid"
	"convect/stencil"
)

// settle solves again until the rates of the wells that hold a pressure belong to the pressure.
func (f *flow) settle(result multigrid.Result, rhs *stencil.Field, reference float64) (multigrid.Result, error) {
	h := &f.wells.held
	if len(h.all) == 0 {
		return result, nil
	}
	column, err := f.column()
	if err != nil {
		return result, err
	}
	if err := f.beginHeld(); err != nil {
		return result, err
	}
	solves, exact := heldSolves, f.viscosity == nil
	if !exact {
		solves = heldSolvesViscous
	}
	means, rates, before := make([]float64, len(h.all)), make([]float64, len(h.all)), make([]float64, len(h.all))
	for n := range solves {
		if h.response == nil {
			if err := f.respond(rhs); err != nil {
				return result, err
			}
		}
		if err := f.wells.means(f.pressure, column, means); err != nil {
			return result, err
		}
		if n > 0 && !exact {
			h.correct(rates, difference(means, before))
		}
		for _, c := range h.all {
			rates[c.place] = c.rate
		}
		copy(before, means)
		change, size, err := f.wells.balance(means, f)
		if err != nil {
			return result, err
		}
		f.wells.sum()
		settled := change <= heldTolerance*size
		if settled && exact {
			return result, nil
		}
		if result, err = f.solveAgain(result, rhs, reference); err != nil || settled {
			return result, err
		}
	}
	return result, errors.New("the rates of the wells that hold a pressure do not settle")
}

// solveAgain solves for the pressure with the present rates.
func (f *flow) solveAgain(result multigrid.Result, rhs *stencil.Field, reference float64) (multigrid.Result, error) {
	f.source(rhs)
	f.wells.feed(rhs)
	again, err := f.solver.Solve(f.pressure, rhs, reference)
	if err == nil {
		again.Iterations += result.Iterations
	}
	return again, err
}

// difference returns a - b.
func difference(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for n := range d {
		d[n] = a[n] - b[n]
	}
	return d
}

// respond finds how the pressure answers to the rates.
func (f *flow) respond(rhs *stencil.Field) error {
	h := &f.wells.held
	unit, err := f.grid.NewField("response of the pressure", f.boundary)
	if err != nil {
		return err
	}
	defer unit.Free()
	pace := f.solver.ConvergenceFactor // belongs to the state, and the response to none
	f.solver.ConvergenceFactor = 0
	defer func() { f.solver.ConvergenceFactor = pace }()
	columns := make([][]float64, len(h.all))
	for n, c := range h.all {
		rhs.Fill(0)
		unit.Fill(0)
		for _, at := range c.nodes {
			part := &c.well.parts[at.part]
			if err := part.Download(part.gets, rhs); err != nil {
				return err
			}
			part.gets[at.node] += at.weight
			part.Upload(rhs, part.gets)
		}
		if _, err := f.solver.Solve(unit, rhs, 0); err != nil {
			return err
		}
		columns[n] = make([]float64, len(h.all))
		if err := f.wells.means(unit, nil, columns[n]); err != nil {
			return err
		}
	}
	h.response = columns
	return nil
}

// bore returns what the fluid in a well adds to its pressure from where it holds it to a height.
func (l *well) bore(f *flow, z, t float64) float64 {
	top := l.of.To
	if !l.of.Line {
		top = l.of.At[kernels.Z]
	}
	b := f.buoyancy.of(func(u *scalar) float64 { return value(l.of.bring(u.place), l.x, t) })
	return f.buoyancy.factor * b * (z - top)
}

// balance finds the rates that belong to the pressure, whose means at the connections are given for the rates before. It returns the largest change of a rate and the sum of their
// magnitudes. Wells beyond their limits are held at them, and the system is solved again without their pressure.
func (w *wells) balance(means []float64, f *flow) (change, size float64, err error) {
	limited := map[*well]float64{}
	var x []float64
	for range len(w.all) + 1 {
		if x, err = w.solveHeld(means, f, limited); err != nil {
			return 0, 0, err
		}
		if !w.limit(x, limited) {
			break
		}
	}
	for _, l := range w.all {
		if l.of.Pressure == nil {
			continue
		}
		l.bottom = l.pressure
		for _, c := range l.connections {
			change = math.Max(change, math.Abs(x[c.place]-c.rate))
			size += math.Abs(x[c.place]) + heldFloor*c.index*(math.Abs(l.pressure)+math.Abs(means[c.place]))
			c.rate = x[c.place]
		}
		l.take()
	}
	w.held.level = 0
	next := len(w.held.all)
	for _, l := range w.all {
		if held, is := limited[l]; is {
			l.total, l.bottom, next = held, x[next], next+1
		}
	}
	if f.boundary.Singular() {
		w.held.level = x[next]
	}
	return change, size + w.in + w.out, nil
}

// limit notes the wells whose rates are beyond their limits, and tells whether there is a new one.
func (w *wells) limit(x []float64, limited map[*well]float64) (more bool) {
	for _, l := range w.all {
		if _, is := limited[l]; is || l.of.Pressure == nil || l.of.Least == 0 && l.of.Most == 0 {
			continue
		}
		sum := 0.0
		for _, c := range l.connections {
			sum += x[c.place]
		}
		if held := min(max(sum, l.of.Least), l.of.Most); held != sum {
			limited[l], more = held, true
		}
	}
	return more
}

// solveHeld solves for the rates of all connections, the pressures of the wells at a limit in their order, and the level of the pressure in a closed box.
func (w *wells) solveHeld(means []float64, f *flow, limited map[*well]float64) ([]float64, error) {
	m := len(w.held.all)
	n := m + len(limited)
	level := -1
	if f.boundary.Singular() {
		level, n = n, n+1
	}
	a, x := make([][]float64, n), make([]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
	}
	next := m
	for _, l := range w.all {
		held, is := limited[l]
		for _, c := range l.connections {
			i := c.place
			x[i] = w.held.equation(c, a[i]) + l.bore(f, c.z, w.held.time) - means[i]
			if is {
				a[i][next], a[next][i] = -1, 1
			} else {
				x[i] += l.pressure
			}
			if level >= 0 {
				a[i][level], a[level][i] = 1, 1
			}
		}
		if is {
			x[next], next = held, next+1
		}
		if level >= 0 && l.of.Pressure == nil {
			x[level] -= l.total
		}
	}
	if level >= 0 {
		for _, through := range f.through {
			x[level] -= through[0] - through[1]
		}
	}
	if !solveDense(a, x) {
		return nil, errors.New("the wells do not balance: all of them are at limits of their rates, and nothing else can leave or enter")
	}
	return x, nil
}

// equation writes the equation of a connection, q/c + Σ R (q - q before) = p_w - p̄ before, into a row, and returns Σ R q before.
func (h *heldWells) equation(c *connection, row []float64) (before float64) {
	row[c.place] += 1 / c.index
	for j, other := range h.all {
		row[j] += h.response[j][c.place]
		before += h.response[j][c.place] * other.rate
	}
	return before
}

// solveDense solves a x = b by elimination with pivots; x holds b before. It tells whether there is a solution.
func solveDense(a [][]float64, x []float64) bool {
	for k := range a {
		pivot := k
		for i := k + 1; i < len(a); i++ {
			if math.Abs(a[i][k]) > math.Abs(a[pivot][k]) {
				pivot = i
			}
		}
		if a[pivot][k] == 0 {
			return false
		}
		a[k], a[pivot], x[k], x[pivot] = a[pivot], a[k], x[pivot], x[k]
		for i := k + 1; i < len(a); i++ {
			if part := a[i][k] / a[k][k]; part != 0 {
				for j := k; j < len(a); j++ {
					a[i][j] -= part * a[k][j]
				}
				x[i] -= part * x[k]
			}
		}
	}
	for k := len(a) - 1; k >= 0; k-- {
		for j := k + 1; j < len(a); j++ {
			x[k] -= a[k][j] * x[j]
		}
		x[k] /= a[k][k]
	}
	return true
}

// numbers lists the numbers of a state by name.
func (w *wells) numbers() map[string]*float64 {
	numbers := map[string]*float64{}
	for _, c := range w.held.all {
		numbers[c.name] = &c.rate
	}
	if len(w.held.all) > 0 {
		numbers["well_level"] = &w.held.level
	}
	return numbers
}

// sampled is the pressure in a well that holds one.
func (l *well) sampled() float64 {
	if l.of.Pressure == nil {
		return math.NaN()
	}
	return l.bottom
}
