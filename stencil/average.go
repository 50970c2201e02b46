package stencil

import (
	"errors"
	"fmt"

	"convect/kernels"
)

// AxisMeans takes means of fields of a grid over some of its axes, and mean squared deviations from them, on the device and in float64. Nodes count by their dual
// widths. Without axes the mean is the field itself.
type AxisMeans struct {
	grid   *Grid
	axes   []int
	boxes  []kernels.Box    // what is left after each of the axes
	parts  []kernels.Buffer // of the nodes of each of them
	means  []kernels.Buffer // after each of them
	spread []kernels.Buffer // of the deviations; nil: they are not asked for
	wide   kernels.Buffer   // a field in float64, or with its column
	column kernels.Buffer   // what is added to the nodes of each level
	owned  memory
}

// memory are buffers of a device in float64.
type memory struct {
	device kernels.Device
	all    []kernels.Buffer
}

// alloc returns n zeros.
func (m *memory) alloc(n int) (kernels.Buffer, error) {
	b, err := m.device.Alloc(kernels.Float64, n)
	if err != nil {
		return nil, fmt.Errorf("stencil: sums of an average: %w", err)
	}
	m.all = append(m.all, b)
	return b, nil
}

func (m *memory) free() {
	for _, b := range m.all {
		m.device.Free(b)
	}
	m.all = nil
}

// NewAxisMeans allocates what means over the given axes take, with squares if they are asked for.
func NewAxisMeans(g *Grid, over [3]bool, squares bool) (*AxisMeans, error) {
	m := &AxisMeans{grid: g, owned: memory{device: g.Device}}
	var failures []error
	alloc := func(n int) kernels.Buffer {
		b, err := m.owned.alloc(n)
		failures = append(failures, err)
		return b
	}
	n := g.Box.N
	for d := range over {
		if !over[d] || g.Cells[d] == 0 {
			continue
		}
		part := make([]float64, n[d])
		for i := range part {
			part[i] = g.DualWidth(d, i) / g.Size[d]
		}
		on := alloc(len(part))
		n[d] = 1
		box := kernels.NewBox(n, g.Flat())
		m.axes, m.boxes, m.parts, m.means = append(m.axes, d), append(m.boxes, box), append(m.parts, on), append(m.means, alloc(box.Len))
		if squares {
			m.spread = append(m.spread, alloc(box.Len))
		}
		if on != nil {
			g.Device.Upload(on, part)
		}
	}
	if err := errors.Join(failures...); err != nil {
		m.Free()
		return nil, err
	}
	return m, nil
}

// Box returns the layout of the means.
func (m *AxisMeans) Box() kernels.Box {
	if len(m.boxes) == 0 {
		return m.grid.Box
	}
	return m.boxes[len(m.boxes)-1]
}

// Of returns the means of a field, nil being zero, to whose nodes column is added by their levels, nil being nothing; and the mean squared deviations from them, nil
// where they are not asked for or there are no axes. Both are valid until the next call.
func (m *AxisMeans) Of(f *Field, column []float64) (mean, spread kernels.Buffer, err error) {
	x, err := m.taken(f, column)
	if err != nil {
		return nil, nil, err
	}
	from := m.grid.Box
	for a, d := range m.axes {
		args := kernels.AxisMeanArgs{Box: m.boxes[a], From: from, Axis: d, Part: m.parts[a], Nodes: from.N[d], X: x, Spread: spread, Out: m.means[a]}
		if m.spread != nil {
			args.Square = m.spread[a]
		}
		m.grid.Device.AxisMean(args)
		x, spread, from = args.Out, args.Square, args.Box
	}
	return x, spread, nil
}

// taken returns a field in float64, with its column.
func (m *AxisMeans) taken(f *Field, column []float64) (kernels.Buffer, error) {
	if f != nil && f.Grid.Elem == kernels.Float64 && column == nil {
		return f.Buffer, nil
	}
	dev := m.grid.Device
	var err error
	if m.wide == nil {
		if m.wide, err = m.owned.alloc(m.grid.Box.Len); err != nil {
			return nil, err
		}
	}
	if f == nil {
		dev.Fill(kernels.FillArgs{X: m.wide})
	} else {
		dev.Copy(kernels.CopyArgs{Dst: m.wide, Src: f.Buffer})
	}
	if column == nil {
		return m.wide, nil
	}
	if m.column == nil {
		if m.column, err = m.owned.alloc(len(column)); err != nil {
			return nil, err
		}
	}
	dev.Upload(m.column, column)
	dev.AddHeights(kernels.AddHeightsArgs{Box: m.grid.Box, X: m.wide, Column: m.column})
	return m.wide, nil
}

// Free releases the memory.
func (m *AxisMeans) Free() { m.owned.free() }

// TimeMean is a mean over time on the device, in float64, of what is linear between steps: ⟨a⟩ = Σ Δt (a_before + a)/2 / Σ Δt, and where it is asked for the sum
// of squared deviations from it, times time.
type TimeMean struct {
	box                  kernels.Box
	mean, square         kernels.Buffer // square: nil where it is not asked for
	before, spreadBefore kernels.Buffer // at the step before; spreadBefore: nil unless it is a mean over axes with squares
	owned                memory
}

// NewTimeMean allocates a mean over time of what m returns, with squares if m has them or they are asked for.
func NewTimeMean(m *AxisMeans, squares bool) (*TimeMean, error) {
	t := &TimeMean{box: m.Box(), owned: memory{device: m.grid.Device}}
	room := []*kernels.Buffer{&t.mean, &t.before}
	if squares {
		room = append(room, &t.square)
	}
	if squares && len(m.axes) > 0 {
		room = append(room, &t.spreadBefore)
	}
	for _, b := range room {
		var err error
		if *b, err = t.owned.alloc(t.box.Len); err != nil {
			t.Free()
			return nil, err
		}
	}
	return t, nil
}

// Take makes the present values those of the step before.
func (t *TimeMean) Take(now, spread kernels.Buffer) {
	t.owned.device.Copy(kernels.CopyArgs{Dst: t.before, Src: now})
	if t.spreadBefore != nil {
		t.owned.device.Copy(kernels.CopyArgs{Dst: t.spreadBefore, Src: spread})
	}
}

// Add adds the time dt from the step before to the present, whose values then are those of the step before. weight is the time that is in the mean already; where it
// is 0 the mean begins anew.
func (t *TimeMean) Add(now, spread kernels.Buffer, dt, weight float64) {
	dev := t.owned.device
	if weight == 0 {
		dev.Fill(kernels.FillArgs{X: t.mean})
		if t.square != nil {
			dev.Fill(kernels.FillArgs{X: t.square})
		}
	}
	a := kernels.AccumulateArgs{Box: t.box, X: now, Before: t.before, Mean: t.mean, Square: t.square, Dt: dt, Part: dt / (weight + dt), Rest: weight / (weight + dt)}
	if t.spreadBefore != nil {
		a.Spread, a.SpreadBefore = spread, t.spreadBefore
	}
	dev.Accumulate(a)
}

// Sums returns the mean and, nil where it is not asked for, the sum of squares, [z][y][x] of what is left of the grid.
func (t *TimeMean) Sums() (mean, square []float64, err error) {
	mean = make([]float64, t.box.Nodes())
	if err := t.owned.device.DownloadBox(mean, t.mean, t.box); err != nil {
		return nil, nil, fmt.Errorf("stencil: download a mean: %w", err)
	}
	if t.square == nil {
		return mean, nil, nil
	}
	square = make([]float64, len(mean))
	if err := t.owned.device.DownloadBox(square, t.square, t.box); err != nil {
		return nil, nil, fmt.Errorf("stencil: download squares: %w", err)
	}
	return mean, square, nil
}

// SetSums makes the mean and the sum of squares what Sums has returned; their lengths are the caller's to check.
func (t *TimeMean) SetSums(mean, square []float64) {
	t.owned.device.UploadBox(t.mean, t.box, mean)
	if t.square != nil {
		t.owned.device.UploadBox(t.square, t.box, square)
	}
}

// Nodes returns the number of values.
func (t *TimeMean) Nodes() int { return t.box.Nodes() }

// HasSquares tells whether there are squares.
func (t *TimeMean) HasSquares() bool { return t.square != nil }

// Free releases the memory.
func (t *TimeMean) Free() { t.owned.free() }
