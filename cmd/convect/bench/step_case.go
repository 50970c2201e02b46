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
	scalars    scalars
}

// scalars are what a problem transports.
type scalars string

const (
	heatAlone     scalars = "heat"
	soluteAlone   scalars = "solute"
	heatAndSolute scalars = "heat, solute"
	heatAndTracer scalars = "heat, tracer"
)

// stepCases are heat with 7 points and constant permeability in every precision, and in the default one also 27 points, log-normal
// permeability, dispersion, and other scalars.
func (r *run) stepCases() []stepCase {
	var cases []stepCase
	for _, kind := range r.kinds {
		plain := stepCase{kind: kind, stencil: kernels.SevenPoint, scalars: heatAlone}
		cases = append(cases, plain)
		if kind != r.Kinds[0] {
			continue
		}
		for _, change := range []func(c *stepCase){
			func(c *stepCase) { c.stencil = kernels.TwentySevenPoint },
			func(c *stepCase) { c.logNormal = true },
			func(c *stepCase) { c.dispersion = true },
			func(c *stepCase) { c.scalars = soluteAlone },
			func(c *stepCase) { c.scalars = heatAndSolute },
			func(c *stepCase) { c.scalars = heatAndTracer },
		} {
			other := plain
			change(&other)
			cases = append(cases, other)
		}
	}
	return cases
}

// The columns that tell cases apart, besides the precision.
var (
	columnStencil      = report.Column{Key: "stencil", Title: "stencil", Origin: report.Label}
	columnPermeability = report.Column{Key: "permeability", Title: "permeability", Origin: report.Label}
	columnDispersion   = report.Column{Key: "dispersion", Title: "dispersion", Origin: report.Label}
	columnScalars      = report.Column{Key: "scalars", Title: "scalars", Origin: report.Label}
)

// plain tells whether the others are compared with this case.
func (c stepCase) plain() bool {
	return c.stencil == kernels.SevenPoint && !c.logNormal && !c.dispersion && c.scalars == heatAlone
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
	case c.scalars != heatAlone:
		return c.kind + ", " + string(c.scalars)
	}
	return c.kind + ", " + stencil
}

// row adds the case to a row.
func (c stepCase) row(row report.Row) report.Row {
	row[columnPrecision.Key] = c.kind
	row[columnStencil.Key], row[columnPermeability.Key], row[columnDispersion.Key] = c.labels()
	row[columnScalars.Key] = string(c.scalars)
	return row
}

// has tells whether a row is of the case.
func (c stepCase) has(row report.Row) bool {
	stencil, permeability, dispersion := c.labels()
	return row[columnPrecision.Key] == c.kind && row[columnStencil.Key] == stencil && row[columnPermeability.Key] == permeability &&
		row[columnDispersion.Key] == dispersion && row[columnScalars.Key] == string(c.scalars)
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
	c.transport(&p)
	if c.dispersion {
		p.Dispersion = dispersionLengths
	}
	var err error
	if c.logNormal {
		p.Permeability, err = medium(p.Extent)
	}
	return p, physics.Controls{End: 1000, Courant: 0.5}, err
}

// transport gives a problem the scalars of the case. A solute or a tracer begins like the temperature and has its walls: alone the solute drives the flow as heat
// does; beside heat it has Le = 10, and N = 0.1 or none.
func (c stepCase) transport(p *physics.Parameters) {
	if c.scalars == heatAlone {
		return
	}
	solute := physics.Solute{Porosity: physics.Uniform(1), Diffusivity: physics.Uniform(0.1), Initial: p.Initial}
	for _, wall := range []kernels.Side{kernels.Bottom, kernels.Top} {
		*p.Walls[wall].Of(0) = physics.Condition{Kind: physics.FixedTemperature, Value: p.Walls[wall].HeatValue}
	}
	switch c.scalars {
	case soluteAlone:
		solute.Rayleigh, solute.Diffusivity = p.Rayleigh, physics.Uniform(1)
		p.Isothermal, p.Rayleigh = true, 0
	case heatAndSolute:
		solute.Rayleigh = 0.1 * p.Rayleigh
	case heatAndTracer:
		solute.Name = "tracer"
	}
	p.Solutes = []physics.Solute{solute}
}
