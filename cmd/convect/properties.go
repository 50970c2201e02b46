package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"convect/cmd/convect/casefile"
	"convect/kernels"
	"convect/physics"
)

// span is a range of numbers.
type span struct{ low, high float64 }

// String prints the range with three digits.
func (s span) String() string {
	low, high := physics.Significant(s.low, 3), physics.Significant(s.high, 3)
	if low == high {
		return low
	}
	return low + "…" + high
}

// medium is what the properties of a case make of it, in the units of the case.
type medium struct {
	ranges      []casefile.PropertyRange
	fluid       physics.Values
	temperature span    // of the start, and of walls and inflow over the run
	byFlux      float64 // temperature differences that the largest heat flux and the largest source make by conduction over the domain
	bySource    float64
	speed       span // with which the local permeability and viscosity let these temperatures drive the fluid
	rayleigh    span // local, of the vertical permeability, the height of the domain and these temperatures
}

// newMedium looks at a case that is built, the nondimensional values of whose fluid are known, and the velocity scale of the buoyancy of other scalars, times μ/K.
func newMedium(c *casefile.Case, fluid physics.Values, beside float64) *medium {
	p, s, low, high := &c.Parameters, &c.Scales, fluid.Low[0], fluid.High[0]
	drive := math.Abs(p.Rayleigh)*(high-low) + beside
	if p.Buoyancy != nil {
		drive = beside
	}
	least, most := 1.0, 1.0
	if p.Viscosity != nil {
		least, most = p.Viscosity.Range(fluid)
	}
	first := p.Carried()[0]
	k, ratio := along(kernels.Z, p.Permeability, nil), along(kernels.Z, p.Permeability, &first.Diffusivity)
	for d := range kernels.Z {
		if p.Extent.Cells[d] > 0 {
			across := along(d, p.Permeability, nil)
			k = span{math.Min(k.low, across.low), math.Max(k.high, across.high)}
		}
	}
	height := p.Extent.Size[kernels.Z]
	return &medium{
		ranges: c.Ranges(fluid), fluid: fluid,
		temperature: span{low * s.Temperature, high * s.Temperature},
		speed:       span{drive * k.low / most * s.Velocity, drive * k.high / least * s.Velocity},
		rayleigh:    span{drive * height * ratio.low / most, drive * height * ratio.high / least},
	}
}

// heated notes the largest heat flux through a wall and the largest heat source, nondimensional.
func (m *medium) heated(c *casefile.Case, flux, source float64) *medium {
	shortest := math.Inf(1)
	for d, n := range c.Parameters.Extent.Cells {
		if n > 0 {
			shortest = math.Min(shortest, c.Parameters.Extent.Size[d])
		}
	}
	per := shortest / typical(c.Parameters.Carried()[0].Diffusivity) * c.Scales.Temperature
	m.byFlux, m.bySource = flux*per, source*shortest/2*per
	return m
}

// along returns the range of a material in a direction, over another one if there is one.
func along(d int, m physics.Material, over *physics.Material) span {
	at := func(m *physics.Material, cell int) float64 {
		if !m.Varies() {
			return m.Constant[d]
		}
		return m.Cells[d][cell]
	}
	n := max(1, len(m.Cells[d]))
	if over != nil {
		n = max(n, len(over.Cells[d]))
	}
	s := span{math.Inf(1), math.Inf(-1)}
	for cell := range n {
		v := at(&m, cell)
		if over != nil {
			v /= at(over, cell)
		}
		s.low, s.high = math.Min(s.low, v), math.Max(s.high, v)
	}
	return s
}

// porosity returns the range of the porosity, if it is known.
func (m *medium) porosity() (span, bool) {
	for _, r := range m.ranges {
		if r.Name == "porosity" {
			return span{r.Low, r.High}, true
		}
	}
	return span{}, false
}

// print prints the ranges of the properties, those of a case without units that are not 1 throughout, and what they make of the case.
func (m *medium) print(w io.Writer, c *casefile.Case) {
	label := "properties"
	line := func(text string) {
		fmt.Fprintf(w, "  %-12s %s\n", label, text)
		label = ""
	}
	for _, r := range m.ranges {
		if c.Dimensional == nil && r.Low == 1 && r.High == 1 {
			continue
		}
		line(strings.ReplaceAll(r.Name, "_", " ") + " " + r.String())
	}
	if phi, known := m.porosity(); known && phi.low > 0 && c.Dimensional != nil {
		for _, r := range m.ranges {
			if of, is := strings.CutSuffix(r.Name, casefile.SoluteDiffusivity); is {
				line(of + " diffusivity in the water of the pores " + span{r.Low / phi.high, r.High / phi.low}.String() + " m²/s, where that above is of fluid and grains together")
			}
		}
	}
	if c.Dimensional != nil && !c.Parameters.Isothermal {
		line("temperature " + m.temperature.String() + " K, of the start, walls and inflow")
	}
	if !(m.rayleigh.high > 0) {
		return
	}
	label = "buoyancy"
	of := "these temperatures"
	if len(c.Parameters.Solutes) > 0 || c.Parameters.Buoyancy != nil {
		of = "all that is buoyant"
	}
	line("local Rayleigh number " + m.rayleigh.String() + ", of the height of the domain and " + of)
	if c.Dimensional == nil {
		return
	}
	line("Darcy velocity up to " + speedText(m.speed.high))
	if phi, known := m.porosity(); known && phi.low > 0 {
		line("water in the pores up to " + speedText(m.speed.high/phi.low))
	}
}

// speedText prints a speed in m/s and in a unit that a person reads.
func speedText(v float64) string {
	for _, u := range physics.TimeUnits() {
		if v*u.Seconds >= 1 || u.Name == "yr" {
			return fmt.Sprintf("%.3g m/s (%s m/%s)", v, physics.Significant(v*u.Seconds, 3), u.Name)
		}
	}
	return ""
}
