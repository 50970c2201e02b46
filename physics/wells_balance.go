package physics

import (
	"errors"
	"math"
)

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
	n, level := len(w.held.all)+len(limited), -1
	if f.boundary.Singular() {
		level, n = n, n+1
	}
	a, x := make([][]float64, n), make([]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
	}
	next := len(w.held.all)
	for _, l := range w.all {
		held, is := limited[l]
		at := -1
		if is {
			at, next = next, next+1
			x[at] = held
		}
		w.held.equations(l, f, means, a, x, at, level)
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

// equations writes the equations of the connections of a well into rows of a and x; at is the unknown of its pressure, where it is at a limit, level that of the closed box, -1 where there is none.
func (h *heldWells) equations(l *well, f *flow, means []float64, a [][]float64, x []float64, at, level int) {
	for _, c := range l.connections {
		i := c.place
		x[i] = h.equation(c, a[i]) + l.bore(f, c.z, h.time) - means[i]
		if at >= 0 {
			a[i][at], a[at][i] = -1, 1
		} else {
			x[i] += l.pressure
		}
		if level >= 0 {
			a[i][level], a[level][i] = 1, 1
		}
	}
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
