package sampling

import (
	"errors"
	"fmt"

	"convect/io/header"
	"convect/io/snapshot"
	"convect/kernels"
	"convect/physics"
	"convect/stencil"
)

// Slice is a plane of a case, in 2-D a line, on which fields are written. Nondimensional.
type Slice struct {
	Name   string
	Axis   int     // to which it is normal
	At     float64 // where it cuts the axis
	Fields []string
	Every  *physics.Schedule // nil: with the snapshots
}

// Source is what is cut. *physics.Simulation is one.
type Source interface {
	snapshot.Source
}

// cut is a slice as the source of its snapshots.
type cut struct {
	Simulation
	Slice
	grid   *stencil.Grid
	taps   []tap
	writer *snapshot.Writer
}

// newCut places a slice on the grid of a simulation.
func newCut(s Simulation, of Slice) *cut {
	g := s.Grid()
	var absent [3]bool
	absent[of.Axis] = true
	return &cut{Simulation: s, Slice: of, grid: without(g, absent), taps: taps(g, of.Axis, of.At)}
}

// without returns a grid without some of its axes, of which nothing but extents, coordinates and widths can be asked.
func without(g *stencil.Grid, absent [3]bool) *stencil.Grid {
	out := &stencil.Grid{Elem: g.Elem, Box: kernels.Box{N: g.Box.N}, Cells: g.Cells, Size: g.Size, Periodic: g.Periodic, Widths: g.Widths}
	for d := range 3 {
		if absent[d] {
			out.Box.N[d], out.Cells[d], out.Size[d], out.Periodic[d], out.Widths[d] = 1, 0, 0, false, nil
		}
	}
	return out
}

// Grid returns the grid of the slice.
func (c *cut) Grid() *stencil.Grid { return c.grid }

// Freeze gives the values of a quantity on the slice.
func (c *cut) Freeze(name string, into *physics.Frozen) error {
	var blocks []physics.Block
	for _, t := range c.taps {
		b := physics.Block{N: c.Simulation.Grid().Box.N}
		b.Low[c.Axis], b.N[c.Axis] = t.node, 1
		blocks = append(blocks, b)
	}
	all, err := c.DownloadBlocks(name, blocks)
	if err != nil {
		return err
	}
	into.Components, into.Column = nil, nil
	for component := range all[0] {
		values := all[0][component]
		for i := range values {
			sum := 0.0
			for n, t := range c.taps {
				sum += t.part * all[n][component][i]
			}
			values[i] = sum
		}
		into.Components = append(into.Components, stencil.FrozenOf(values))
	}
	return nil
}

// Options define what a Slices or Averages writes.
type Options struct {
	Dir       string // run directory; it exists
	Precision kernels.Elem
	Compress  bool
	Scales    physics.Scales
	Case      string // text of the case as run
	Version   string // of the program
	Present   Present
}

// Slices writes slices. It is a physics.Observer.
type Slices struct{ cuts []*cut }

// NewSlices prepares the folders of the slices of a run.
func NewSlices(s Simulation, o Options, slices []Slice) (*Slices, error) {
	all := &Slices{}
	for _, of := range slices {
		c := newCut(s, of)
		var place [3]float64
		place[of.Axis] = of.At
		var err error
		if c.writer, err = o.writer(header.Slice, SlicesFolder, of.Name, place, of.Fields); err != nil {
			return nil, err
		}
		all.cuts = append(all.cuts, c)
	}
	return all, nil
}

// Observe writes the slices that are due.
func (s *Slices) Observe(_ *physics.Simulation, e physics.Event) error {
	for _, c := range s.cuts {
		due := e.Output && (c.Every == nil || e.Start || e.End) || !e.Start && c.Every != nil && c.Every.Due(c.Time(), c.Step())
		var err error
		switch {
		case due:
			err = c.writer.Begin(c)
		case e.Start:
			err = c.writer.Renew()
		}
		if err == nil && e.End {
			err = c.writer.Wait()
		}
		if err != nil {
			return fmt.Errorf("slice %s: %w", c.Name, err)
		}
	}
	return nil
}

// SetCase makes text the case of the slices that follow, once those under way are written.
func (s *Slices) SetCase(text string) error {
	var failures []error
	for _, c := range s.cuts {
		failures = append(failures, c.writer.SetCase(text))
	}
	return errors.Join(failures...)
}

// Wait waits until what is under way is on disk.
func (s *Slices) Wait() error {
	var failures []error
	for _, c := range s.cuts {
		failures = append(failures, c.writer.Wait())
	}
	return errors.Join(failures...)
}
