package stencil

import (
	"fmt"

	"convect/kernels"
)

// Mobility makes the conductivity of an operator depend on the temperature,
//
//	k_d = K_d f(T̄),
//
// with K_d the conductivity that the operator was made with, T̄ the mean of T at a cell's nodes, and f a table that is
// interpolated linearly and holds its end values beyond its ends. Fields stay on the device.
type Mobility struct {
	Operator *Operator

	fixed    kernels.Elliptic // K
	table    kernels.Buffer
	entries  int
	low, per float64
}

// NewMobility gives an operator conductivities of its own, K f with f = 1, to be renewed by Update. It comes before
// the operator is coarsened or copied. entries is the number of values that SetTable will take, at least 2.
func NewMobility(o *Operator, entries int) (*Mobility, error) {
	m := &Mobility{Operator: o, fixed: o.elliptic, entries: entries}
	if err := m.allocate(); err != nil {
		return nil, fmt.Errorf("stencil: mobility: %w", err)
	}
	m.SetTable(0, 1, ones(entries))
	t := Field{Grid: o.Grid, Buffer: o.elliptic.Cells[0]} // any values do
	m.Update(&t)
	return m, o.measure()
}

func (m *Mobility) allocate() (err error) {
	o := m.Operator
	if m.table, err = o.Grid.Device.Alloc(o.Grid.Elem, m.entries); err != nil {
		return err
	}
	o.free = append(o.free, m.table)
	return o.renewable(&m.fixed)
}

// renewable gives an operator, which was made with the conductivities of another, arrays of its own for them: one for all directions that share one.
func (o *Operator) renewable(fixed *kernels.Elliptic) (err error) {
	o.layers = [3][]float64{}
	for d := range 3 {
		if p := sharedConductivity(fixed, d); p < d {
			o.elliptic.Cells[d] = o.elliptic.Cells[p]
			continue
		}
		if o.elliptic.Cells[d], err = o.alloc(); err != nil {
			return err
		}
	}
	return nil
}

// sharedConductivity returns the first direction whose K is that of d. That along an absent axis counts for nothing.
func sharedConductivity(k *kernels.Elliptic, d int) int {
	for p := range d {
		if k.Cells[p] == k.Cells[d] && (k.Cells[0] != nil || k.K[p] == k.K[d]) || d == kernels.Y && k.Box.Flat() {
			return p
		}
	}
	return d
}

// SetTable sets f between the temperatures low and high, which belong to the first and the last value.
func (m *Mobility) SetTable(low, high float64, values []float64) {
	m.low, m.per = low, float64(m.entries-1)/(high-low)
	m.Operator.Grid.Device.Upload(m.table, values[:m.entries])
}

// Update computes the conductivities of a temperature. Operators coarsened from this one have to be refreshed then.
func (m *Mobility) Update(temperature *Field) {
	o := m.Operator
	temperature.Exchange(1)
	for d := range 3 {
		if sharedConductivity(&m.fixed, d) < d {
			continue
		}
		o.Grid.Device.Mobility(kernels.MobilityArgs{Box: o.Grid.Box, Periodic: o.Grid.Periodic, T: temperature.Buffer,
			K: m.fixed.K[d], Cells: m.fixed.Cells[d], Table: m.table, Entries: m.entries, Low: m.low, PerUnit: m.per,
			Out: o.elliptic.Cells[d]})
		o.Grid.wrapCells(o.elliptic.Cells[d])
	}
	o.conduct()
}
