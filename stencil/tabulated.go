package stencil

import (
	"fmt"

	"convect/kernels"
)

// Tabulated is a function of two fields, f(X, Y), by a table that is interpolated linearly along both and holds its end values beyond its ends.
// Fields stay on the device.
type Tabulated struct {
	grid          *Grid
	columns, rows int
	table         kernels.Buffer
	low, per      [2]float64
}

// NewTabulated allocates a table of columns, for X, by rows, for Y, at least 2 of each. It fails where there is no memory.
func (g *Grid) NewTabulated(columns, rows int) (*Tabulated, error) {
	b, err := g.Device.Alloc(g.Elem, columns*rows)
	if err != nil {
		return nil, fmt.Errorf("stencil: table: %w", err)
	}
	return &Tabulated{grid: g, columns: columns, rows: rows, table: b}, nil
}

// Set uploads the values at columns and rows between low and high of X and of Y, which belong to the first and the last of them; columns vary fastest.
func (t *Tabulated) Set(low, high [2]float64, values []float64) {
	for d, n := range [2]int{t.columns, t.rows} {
		t.low[d], t.per[d] = low[d], float64(n-1)/(high[d]-low[d])
	}
	t.grid.Device.Upload(t.table, values)
}

// Apply computes out = f(x, y) on all nodes, and around periodic ends.
func (t *Tabulated) Apply(out, x, y *Field) {
	g := t.grid
	g.Device.Tabulate(kernels.TabulateArgs{Box: g.Box, X: x.Buffer, Y: y.Buffer, Table: t.table, Entries: t.columns * t.rows, Columns: t.columns, Rows: t.rows,
		LowX: t.low[0], LowY: t.low[1], PerX: t.per[0], PerY: t.per[1], Out: out.Buffer})
	out.Exchange(kernels.HaloWidth)
}

// Free releases the table; of nil it does nothing.
func (t *Tabulated) Free() {
	if t != nil {
		t.grid.Device.Free(t.table)
	}
}
