package sampling

import (
	"fmt"
	"math"

	"convect/physics"
	"convect/stencil"
)

// Probe is a point of a case at which fields are measured. Nondimensional.
type Probe struct {
	Name   string
	At     [3]float64 // x, y, z; y does not count in 2-D
	Fields []string
	Every  physics.Schedule
}

// Simulation is what is measured. *physics.Simulation is one.
type Simulation interface {
	Source
	DownloadBlocks(name string, blocks []physics.Block) ([][][]float64, error)
	Evaluate(name string, use func(c int, f *stencil.Field, column []float64) error) error
}

// Probes has the values at the points of a case. Fields are computed once a step for all of them.
type Probes struct {
	of     Simulation
	scales physics.Scales
	probes []Probe
	points []point
	fields []string // of all probes
	step   int64    // of the values; -1: none
	values []map[string][]float64
}

// NewProbes places the probes on the grid of a simulation.
func NewProbes(s Simulation, scales physics.Scales, probes []Probe) *Probes {
	p := &Probes{of: s, scales: scales, probes: probes, step: -1, values: make([]map[string][]float64, len(probes))}
	for n := range probes {
		p.points = append(p.points, newPoint(s.Grid(), probes[n].At))
		for _, name := range probes[n].Fields {
			p.fields = appendNew(p.fields, name)
		}
	}
	return p
}

// appendNew appends a name unless it is there.
func appendNew(names []string, name string) []string {
	for _, n := range names {
		if n == name {
			return names
		}
	}
	return append(names, name)
}

// Columns returns the names and units of what a probe measures, with the quantities that there are: a vector has a column for each of its components along axes of the grid.
func (p *Probe) Columns(all []physics.Quantity, flat bool, scales physics.Scales) (names, units []string) {
	for _, q := range chosen(all, p.Fields) {
		for c := range q.Components {
			if !present(&q, c, flat) {
				continue
			}
			name := q.Name
			if q.Components > 1 {
				name += "_" + "xyz"[c:c+1]
			}
			names, units = append(names, name), append(units, q.Unit(scales))
		}
	}
	return names, units
}

// present tells whether a component is not one along an absent axis.
func present(q *physics.Quantity, component int, flat bool) bool {
	return q.Components == 1 || !flat || component != 1
}

// chosen returns the quantities of the given names, in their order.
func chosen(all []physics.Quantity, names []string) (some []physics.Quantity) {
	for _, name := range names {
		for _, q := range all {
			if q.Name == name {
				some = append(some, q)
			}
		}
	}
	return some
}

// Values returns what the n-th probe measures in the present step, by the order of its columns, in the units of the case.
func (p *Probes) Values(n int) ([]float64, error) {
	if p.step != p.of.Step() {
		if err := p.measure(); err != nil {
			return nil, err
		}
	}
	var row []float64
	flat := p.of.Grid().Flat()
	for _, q := range chosen(p.of.Quantities(), p.probes[n].Fields) {
		for c, v := range p.values[n][q.Name] {
			if present(&q, c, flat) {
				row = append(row, v*q.Scale(p.scales))
			}
		}
	}
	return row, nil
}

// measure takes the values of the present step of all probes.
func (p *Probes) measure() error {
	p.step = -1
	for n := range p.values {
		p.values[n] = map[string][]float64{}
	}
	for _, q := range chosen(p.of.Quantities(), p.fields) {
		var blocks []physics.Block
		for n := range p.points {
			blocks = append(blocks, p.points[n].blocks...)
		}
		all, err := p.of.DownloadBlocks(q.Name, blocks)
		if err != nil {
			return fmt.Errorf("probes: %s: %w", q.Name, err)
		}
		for n := range p.points {
			values := make([]float64, q.Components)
			for c := range values {
				if values[c] = p.points[n].value(all, c); math.IsNaN(values[c]) {
					return fmt.Errorf("probes: %s of %s is not a number", q.Name, p.probes[n].Name)
				}
			}
			p.values[n][q.Name], all = values, all[len(p.points[n].blocks):]
		}
	}
	p.step = p.of.Step()
	return nil
}
