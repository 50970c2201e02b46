package sampling

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"

	"convect/io/header"
	"convect/io/snapshot"
	"convect/kernels/parallel"
	"convect/physics"
	"convect/stencil"
)

// Average is a mean over time that a case asks for. Nondimensional.
type Average struct {
	Name         string
	From, To     float64           // the window; To is +Inf where it ends with the run
	Every        *physics.Schedule // ends of the parts of the window that are averaged by themselves; nil: the window is one
	Over         [3]bool           // axes over which it is averaged too
	Fields       []string
	Fluctuations bool
}

// Schedules are those that steps must meet so that windows begin and end on them.
func (a *Average) Schedules() []physics.Schedule {
	ends := physics.Schedule{Times: []float64{a.From}}
	if a.From == 0 {
		ends.Times = nil
	}
	if !math.IsInf(a.To, 1) {
		ends.Times = append(ends.Times, a.To)
	}
	all := []physics.Schedule{ends}
	if a.Every != nil {
		all = append(all, *a.Every)
	}
	return all
}

// id tells averages apart whose sums do not go on from each other.
func (a *Average) id() float64 {
	return float64(crc32.ChecksumIEEE([]byte(fmt.Sprint(a.From, a.Over, a.Fields, a.Fluctuations))))
}

// Averages adds up and writes averages. It is a physics.Observer.
type Averages struct{ all []*mean }

// mean is an average as the source of its snapshots.
type mean struct {
	Simulation
	Average
	grid       *stencil.Grid // without the axes that are averaged over
	along      [3][]float64  // parts of the nodes of an axis in a mean over it
	quantities []physics.Quantity
	sums       map[string][]moments // of each quantity and its components
	weight     float64              // time that the sums are of
	began      float64              // of that
	before     float64              // time of the step before
	room       physics.Frozen       // for values of the present step
	writer     *snapshot.Writer
}

// moments are the sums of a component.
type moments struct {
	mean, square         []float64 // mean and sum of squared deviations from it, weighted by time; square is nil without fluctuations
	before, beforeSquare []float64 // mean and mean squared deviation over axes at the step before
}

// NewAverages prepares the averages of a run. sums are those of a checkpoint that it goes on from, nil at a new run; said tells what they lack.
func NewAverages(s Simulation, o Options, averages []Average, sums map[string][]float64) (a *Averages, said []string, err error) {
	a = &Averages{}
	for _, of := range averages {
		m := newMean(s, of)
		if m.writer, err = o.writer(header.Average, AveragesFolder, of.Name, m.place(), nil); err != nil {
			return nil, nil, err
		}
		m.began = math.Max(of.From, s.Time())
		if sums != nil && !m.restore(sums) && s.Time() > of.From && s.Time() < of.To {
			said = append(said, fmt.Sprintf("the checkpoint has no sums of the average %s, which begins at t = %s: it is averaged from here on alone", of.Name, o.Scales.TimeText(of.From, 6)))
		}
		a.all = append(a.all, m)
	}
	return a, said, nil
}

func newMean(s Simulation, of Average) *mean {
	g := s.Grid()
	m := &mean{Simulation: s, Average: of, grid: without(g, of.Over), sums: map[string][]moments{}, before: s.Time(), quantities: chosen(s.Quantities(), of.Fields)}
	for d := range m.along {
		for i := range g.Box.N[d] {
			part := 1.0
			if g.Cells[d] > 0 {
				part = g.DualWidth(d, i) / g.Size[d]
			}
			m.along[d] = append(m.along[d], part)
		}
	}
	nodes := m.grid.Box.N[0] * m.grid.Box.N[1] * m.grid.Box.N[2]
	for _, q := range m.quantities {
		all := make([]moments, q.Components)
		for c := range all {
			all[c].mean = make([]float64, nodes)
			if of.Fluctuations {
				all[c].square = make([]float64, nodes)
			}
		}
		m.sums[q.Name] = all
	}
	return m
}

// place is the middle of the axes that are averaged over.
func (m *mean) place() (at [3]float64) {
	for d, size := range m.Simulation.Grid().Size {
		if m.Over[d] {
			at[d] = size / 2
		}
	}
	return at
}

// Observe adds the step and writes what has ended.
func (a *Averages) Observe(_ *physics.Simulation, e physics.Event) error {
	for _, m := range a.all {
		if err := m.observe(e); err != nil {
			return fmt.Errorf("average %s: %w", m.Name, err)
		}
	}
	return nil
}

// rounding is the part of a time by which ends of windows may differ from it.
const rounding = 4e-12

func (m *mean) observe(e physics.Event) error {
	from, t := m.before, m.Time()
	m.before = t
	first, last := m.From*(1-rounding), m.To*(1-rounding)
	switch {
	case e.Start:
		if err := m.writer.Renew(); err != nil {
			return err
		}
		if t >= first && t < last {
			return m.look(0)
		}
		return nil
	case t < first || from >= last:
		return m.end(e, false)
	case from < first: // the window begins here
		m.began = t
		return errors.Join(m.look(0), m.end(e, false))
	}
	if err := m.look(t - from); err != nil {
		return err
	}
	isOver := t >= last || m.Every != nil && m.Every.Due(t, m.Step())
	return m.end(e, isOver)
}

// end writes the means where a window or the run ends. Those of a window that is over begin anew: a run that ends within one may go on.
func (m *mean) end(e physics.Event, isOver bool) error {
	if m.weight > 0 && (isOver || e.End) {
		if err := m.writer.Begin(m); err != nil {
			return err
		}
	}
	if isOver {
		m.weight, m.began = 0, m.Time()
	}
	if e.End {
		return m.writer.Wait()
	}
	return nil
}

// SetCase makes text the case of the averages that follow, once those under way are written.
func (a *Averages) SetCase(text string) error {
	var failures []error
	for _, m := range a.all {
		failures = append(failures, m.writer.SetCase(text))
	}
	return errors.Join(failures...)
}

// Wait waits until what is under way is on disk.
func (a *Averages) Wait() error {
	var failures []error
	for _, m := range a.all {
		failures = append(failures, m.writer.Wait())
	}
	return errors.Join(failures...)
}

// look takes the fields of the present step, and adds to the sums the time since the step before; 0: nothing.
func (m *mean) look(dt float64) error {
	for _, q := range m.quantities {
		if err := m.Simulation.Freeze(q.Name, &m.room); err != nil {
			return err
		}
		components, err := m.room.Values()
		if err == nil {
			for c := range components {
				m.add(&m.sums[q.Name][c], components[c], dt)
			}
		}
		m.room.Release()
		if err != nil {
			return err
		}
	}
	m.weight += dt
	return nil
}

// add adds a component of the present step. Of the two steps at the ends of the time since the last one each counts half.
func (m *mean) add(sums *moments, values []float64, dt float64) {
	now := m.over(values)
	var nowSquare []float64
	if m.Fluctuations && m.Over != [3]bool{} {
		nowSquare = m.over(m.deviations(values, now))
	}
	if dt > 0 {
		m.merge(sums, now, nowSquare, dt)
	}
	if len(now) == len(values) { // it is the simulation's
		now = append(sums.before[:0], now...)
	}
	sums.before, sums.beforeSquare = now, nowSquare
}

// merge adds the mean of two steps, each with the deviations over axes, to the sums.
func (m *mean) merge(sums *moments, now, nowSquare []float64, dt float64) {
	if m.weight == 0 {
		clear(sums.mean)
		clear(sums.square)
	}
	part := dt / (m.weight + dt)
	parallel.Ranges(len(now), func(first, last int) {
		for n := first; n < last; n++ {
			a, b := sums.before[n], now[n]
			off := (a+b)/2 - sums.mean[n]
			if sums.square != nil {
				own := (a - b) * (a - b) / 4
				if nowSquare != nil {
					own += (sums.beforeSquare[n] + nowSquare[n]) / 2
				}
				sums.square[n] += own*dt + off*off*m.weight*part
			}
			sums.mean[n] += off * part
		}
	})
}

// over returns the means of values over the axes of the average; without such axes the values themselves.
func (m *mean) over(values []float64) []float64 {
	n := m.Simulation.Grid().Box.N
	for d := range 3 {
		if !m.Over[d] {
			continue
		}
		inner, outer := 1, 1
		for other := range 3 {
			switch {
			case other < d:
				inner *= n[other]
			case other > d:
				outer *= n[other]
			}
		}
		from, means := values, make([]float64, inner*outer)
		add := func(o, first, last int) {
			to := means[o*inner:][first:last]
			for i, part := range m.along[d] {
				for k, v := range from[(o*n[d]+i)*inner:][first:last] {
					to[k] += part * v
				}
			}
		}
		if outer > 1 {
			parallel.Ranges(outer, func(first, last int) {
				for o := first; o < last; o++ {
					add(o, 0, inner)
				}
			})
		} else {
			parallel.Ranges(inner, func(first, last int) { add(0, first, last) })
		}
		values, n[d] = means, 1
	}
	return values
}

// deviations returns the squares of the differences between values and their means over axes.
func (m *mean) deviations(values, means []float64) []float64 {
	n, r := m.Simulation.Grid().Box.N, m.grid.Box.N
	out := make([]float64, len(values))
	parallel.Ranges(n[1]*n[2], func(first, last int) {
		for row := first; row < last; row++ {
			of := means[r[0]*(row%n[1]%r[1]+r[1]*(row/n[1]%r[2])):][:r[0]]
			to := out[row*n[0]:][:n[0]]
			for i, v := range values[row*n[0]:][:n[0]] {
				off := v - of[min(i, r[0]-1)] // r[0] is 1 or n[0]
				to[i] = off * off
			}
		}
	})
	return out
}

// Grid returns the grid without the axes that are averaged over.
func (m *mean) Grid() *stencil.Grid { return m.grid }

// Window returns the time that the mean is of.
func (m *mean) Window() (from, to float64) { return m.began, m.Time() }

// fluctuationSuffix ends the names of fluctuations.
const fluctuationSuffix = "_fluctuation"

// Quantities lists the means and, where they are asked for, fluctuations.
func (m *mean) Quantities() []physics.Quantity {
	var axes strings.Builder
	for d, name := range []string{"x", "y", "z"} {
		if m.Over[d] {
			axes.WriteString(name + ": ")
		}
	}
	var all []physics.Quantity
	for _, q := range m.quantities {
		q.Method, q.Extra = "time: "+axes.String()+"mean", false
		all = append(all, q)
		if m.Fluctuations {
			q.Name, q.Method = q.Name+fluctuationSuffix, "time: "+axes.String()+"standard_deviation"
			q.Meaning = "root mean square of the fluctuations of the " + q.Meaning
			all = append(all, q)
		}
	}
	return all
}

// Freeze gives a mean, or the root of a mean squared deviation.
func (m *mean) Freeze(name string, into *physics.Frozen) error {
	of, isFluctuation := strings.CutSuffix(name, fluctuationSuffix)
	if _, found := m.sums[of]; !found || isFluctuation && !m.Fluctuations {
		return fmt.Errorf("there is no mean %q", name)
	}
	into.Components, into.Column = nil, nil
	for _, sums := range m.sums[of] {
		values := slices.Clone(sums.mean)
		if isFluctuation {
			for n, square := range sums.square {
				values[n] = math.Sqrt(math.Max(square/m.weight, 0))
			}
		}
		into.Components = append(into.Components, stencil.FrozenOf(values))
	}
	return nil
}

// Sums returns the sums of all averages for a checkpoint, by names as NAME/temperature/mean_0.
func (a *Averages) Sums() map[string][]float64 {
	if len(a.all) == 0 {
		return nil
	}
	all := map[string][]float64{}
	for _, m := range a.all {
		all[m.Name+"/"+stateName] = []float64{m.id(), m.weight, m.began}
		m.eachSum(func(name string, values []float64) bool {
			all[name] = values
			return true
		})
	}
	return all
}

// stateName is the name of what identifies an average, its time and when that began.
const stateName = "state"

// eachSum visits the arrays of an average until visit returns false, and tells whether it never did.
func (m *mean) eachSum(visit func(name string, values []float64) bool) bool {
	for _, q := range m.quantities {
		for c, sums := range m.sums[q.Name] {
			if !visit(fmt.Sprintf("%s/%s/mean_%d", m.Name, q.Name, c), sums.mean) {
				return false
			}
			if sums.square != nil && !visit(fmt.Sprintf("%s/%s/square_%d", m.Name, q.Name, c), sums.square) {
				return false
			}
		}
	}
	return true
}

// restore takes the sums of a checkpoint, unless it has none of just this average.
func (m *mean) restore(sums map[string][]float64) bool {
	state := sums[m.Name+"/"+stateName]
	if len(state) != 3 || state[0] != m.id() {
		return false
	}
	if !m.eachSum(func(name string, values []float64) bool { return len(sums[name]) == len(values) }) {
		return false
	}
	m.weight, m.began = state[1], state[2]
	return m.eachSum(func(name string, values []float64) bool {
		copy(values, sums[name])
		return true
	})
}
