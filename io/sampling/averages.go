package sampling

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"convect/io/header"
	"convect/io/snapshot"
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
	quantities []physics.Quantity
	axes       *stencil.AxisMeans
	sums       map[string][]*stencil.TimeMean // of each quantity and its components, on the device
	weight     float64                        // time that the sums are of
	began      float64                        // of that
	before     float64                        // time of the step before
	writer     *snapshot.Writer
}

// NewAverages prepares the averages of a run. sums are those of a checkpoint that it goes on from, nil at a new run; said tells what they lack.
func NewAverages(s Simulation, o Options, averages []Average, sums map[string][]float64) (a *Averages, said []string, err error) {
	a = &Averages{}
	defer func() {
		if err != nil {
			a.Free()
		}
	}()
	for _, of := range averages {
		m, err := newMean(s, of)
		if err != nil {
			return a, nil, fmt.Errorf("average %s: %w", of.Name, err)
		}
		a.all = append(a.all, m)
		if m.writer, err = o.writer(header.Average, AveragesFolder, of.Name, m.place(), nil); err != nil {
			return a, nil, err
		}
		m.began = math.Max(of.From, s.Time())
		if sums != nil && !m.restore(sums) && s.Time() > of.From && s.Time() < of.To {
			said = append(said, fmt.Sprintf("the checkpoint has no sums of the average %s, which begins at t = %s: it is averaged from here on alone", of.Name, o.Scales.TimeText(of.From, 6)))
		}
	}
	return a, said, nil
}

// Rehearse makes the sums of averages without files and looks at one step, so that they take the memory of the device that they will take.
func Rehearse(s Simulation, averages []Average) (a *Averages, err error) {
	a = &Averages{}
	for _, of := range averages {
		m, err := newMean(s, of)
		if err == nil {
			a.all = append(a.all, m)
			err = m.look(0)
		}
		if err != nil {
			a.Free()
			return nil, fmt.Errorf("average %s: %w", of.Name, err)
		}
	}
	return a, nil
}

// Free releases the memory of the sums on the device.
func (a *Averages) Free() {
	if a == nil {
		return
	}
	for _, m := range a.all {
		m.free()
	}
}

// newMean allocates the sums of an average.
func newMean(s Simulation, of Average) (m *mean, err error) {
	g := s.Grid()
	m = &mean{Simulation: s, Average: of, grid: without(g, of.Over), sums: map[string][]*stencil.TimeMean{}, before: s.Time(), quantities: chosen(s.Quantities(), of.Fields)}
	if m.axes, err = stencil.NewAxisMeans(g, of.Over, of.Fluctuations); err != nil {
		return nil, err
	}
	for _, q := range m.quantities {
		for range q.Components {
			sums, err := stencil.NewTimeMean(m.axes, of.Fluctuations)
			if err != nil {
				m.free()
				return nil, err
			}
			m.sums[q.Name] = append(m.sums[q.Name], sums)
		}
	}
	return m, nil
}

// free releases the sums.
func (m *mean) free() {
	m.axes.Free()
	for _, all := range m.sums {
		for _, sums := range all {
			sums.Free()
		}
	}
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
		err := m.Simulation.Evaluate(q.Name, func(c int, f *stencil.Field, column []float64) error {
			now, spread, err := m.axes.Of(f, column)
			if err != nil {
				return err
			}
			if sums := m.sums[q.Name][c]; dt > 0 {
				sums.Add(now, spread, dt, m.weight)
			} else {
				sums.Take(now, spread)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	m.weight += dt
	return nil
}
