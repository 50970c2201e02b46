package bench

import (
	"fmt"

	"convect/cmd/convect/bench/report"
	"convect/kernels"
	"convect/physics"
	"convect/stencil"
)

// stepCase is a problem of bench step.
type stepCase struct {
	kind       string // precision
	stencil    kernels.Stencil
	logNormal  bool // permeability
	dispersion bool
}

// stepCases are 7 points and constant permeability in every precision, and in the default one also 27 points, log-normal
// permeability, and dispersion.
func (r *run) stepCases() []stepCase {
	var cases []stepCase
	for _, kind := range r.kinds {
		cases = append(cases, stepCase{kind: kind, stencil: kernels.SevenPoint})
		if kind == r.Kinds[0] {
			cases = append(cases, stepCase{kind: kind, stencil: kernels.TwentySevenPoint},
				stepCase{kind: kind, stencil: kernels.SevenPoint, logNormal: true},
				stepCase{kind: kind, stencil: kernels.SevenPoint, dispersion: true})
		}
	}
	return cases
}

// The columns that tell cases apart, besides the precision.
var (
	columnStencil      = report.Column{Key: "stencil", Title: "stencil", Origin: report.Label}
	columnPermeability = report.Column{Key: "permeability", Title: "permeability", Origin: report.Label}
	columnDispersion   = report.Column{Key: "dispersion", Title: "dispersion", Origin: report.Label}
)

// plain tells whether the others are compared with this case.
func (c stepCase) plain() bool {
	return c.stencil == kernels.SevenPoint && !c.logNormal && !c.dispersion
}

// dispersionLengths are those of the cases with dispersion.
var dispersionLengths = physics.Dispersion{Longitudinal: 0.02, Transverse: 0.002}

// labels returns the stencil, the permeability and the dispersion.
func (c stepCase) labels() (stencil, permeability, dispersion string) {
	stencil, permeability, dispersion = "7 points", "constant", "none"
	if c.stencil == kernels.TwentySevenPoint {
		stencil = "27 points"
	}
	if c.logNormal {
		permeability = "log-normal"
	}
	if c.dispersion {
		dispersion = fmt.Sprintf("%g, %g", dispersionLengths.Longitudinal, dispersionLengths.Transverse)
	}
	return stencil, permeability, dispersion
}

// name returns the case in words.
func (c stepCase) name() string {
	stencil, permeability, _ := c.labels()
	switch {
	case c.plain():
		return c.kind
	case c.dispersion:
		return c.kind + ", dispersion"
	case c.logNormal:
		return c.kind + ", " + permeability
	}
	return c.kind + ", " + stencil
}

// row adds the case to a row.
func (c stepCase) row(row report.Row) report.Row {
	row[columnPrecision.Key] = c.kind
	row[columnStencil.Key], row[columnPermeability.Key], row[columnDispersion.Key] = c.labels()
	return row
}

// has tells whether a row is of the case.
func (c stepCase) has(row report.Row) bool {
	stencil, permeability, dispersion := c.labels()
	return row[columnPrecision.Key] == c.kind && row[columnStencil.Key] == stencil && row[columnPermeability.Key] == permeability &&
		row[columnDispersion.Key] == dispersion
}

// Of the log-normal medium: the variance of ln K, its correlation in cells, and the cells along x and y after which it repeats
// itself (of a medium larger than that, the drawing would take longer than the steps).
const (
	mediumVariance    = 2
	mediumCorrelation = 6
	mediumPeriod      = 128
)

// medium draws a log-normal permeability of geometric mean 1.
func medium(e stencil.Extent) (physics.Material, error) {
	period := e
	l := physics.LogNormal{Variance: mediumVariance, Seed: 1}
	for d, n := range e.Cells {
		width := e.Size[d] / float64(n)
		l.Correlation[d] = mediumCorrelation * width
		if d != kernels.Z && n > mediumPeriod {
			period.Cells[d], period.Size[d], period.Periodic[d] = mediumPeriod, mediumPeriod*width, true
		}
	}
	m, err := l.Generate(period)
	if err != nil || period.Cells == e.Cells {
		return m, err
	}
	n, p := e.Cells, period.Cells
	cells := make([]float64, 0, n[0]*n[1]*n[2])
	for k := range n[2] {
		for j := range n[1] {
			for i := range n[0] {
				cells = append(cells, m.Cells[0][i%p[0]+p[0]*(j%p[1]+p[1]*k)])
			}
		}
	}
	return physics.Material{Cells: [3][]float64{cells, cells, cells}}, nil
}

// convection returns the problem of a case on so many nodes, from a disturbed state of conduction.
func convection(nodes [3]int, c stepCase) (physics.Parameters, physics.Controls, error) {
	p := physics.Parameters{
		Extent:   stencil.Extent{Cells: [3]int{nodes[0] - 1, nodes[1] - 1, nodes[2] - 1}, Size: [3]float64{4, 4, 1}},
		Rayleigh: 1000, Permeability: physics.Uniform(1), HeatCapacityRatio: physics.Uniform(1), Diffusivity: physics.Uniform(1),
		Initial:   physics.Initial{Conduction: true, Mode: [3]int{4, 4, 1}, Amplitude: 0.1, Noise: 0.1, Seed: 1},
		Transport: kernels.TVD, Precision: element(c.kind), Stencil: c.stencil,
	}
	p.Mixed = c.kind == mixedName
	p.Pressure.Tolerance, p.Diffusion.Tolerance = 1e-6, 1e-4
	if c.kind == float32Name {
		p.Pressure.Tolerance = 1e-4
	}
	p.Walls[kernels.Bottom] = physics.Wall{Heat: physics.FixedTemperature, HeatValue: physics.Constant(1)}
	p.Walls[kernels.Top] = physics.Wall{Heat: physics.FixedTemperature}
	if c.dispersion {
		p.Dispersion = dispersionLengths
	}
	var err error
	if c.logNormal {
		p.Permeability, err = medium(p.Extent)
	}
	return p, physics.Controls{End: 1000, Courant: 0.5}, err
}
