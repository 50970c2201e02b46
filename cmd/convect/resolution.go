package main

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"convect/cmd/convect/casefile"
	"convect/kernels"
	"convect/physics"
)

const (
	// fewCells is the number of cells across a boundary layer below which it is not resolved.
	fewCells = 2
	// likelyPeclet is the number u h/D of cells at a wall, with a quarter of the velocity scale of buoyancy as u, from which central transport is
	// likely to overshoot: in the side-heated cavity it does by 10 % at 3.1 and by a third at 4.
	likelyPeclet = 2.5
)

// driveOf returns the velocity scale of buoyancy, |Ra| K ΔT/μ, nondimensional.
func driveOf(s *physics.Simulation) float64 {
	p := s.Parameters()
	drive := s.Drive() * typical(p.Permeability)
	if p.Viscosity != nil {
		drive /= p.Viscosity.Middle(s.Foreseen())
	}
	return drive
}

// resolutionWarnings warns of cells too wide for boundary layers of each scalar and for central transport, at a velocity scale of buoyancy.
func resolutionWarnings(c *casefile.Case, drive float64) []string {
	var out []string
	for _, of := range c.Parameters.Carried() {
		if h := wallWidth(c, &of); h > 0 {
			out = append(out, thinLayers(c, &of, h, drive)...)
		}
	}
	return out
}

// thinLayers is resolutionWarnings for a scalar with cells of a width at the walls through which it is conducted.
func thinLayers(c *casefile.Case, of *physics.Carried, h, drive float64) []string {
	var out []string
	what, spread, layers := "heat loss", typical(of.Diffusivity), "thermal"
	if of.Name != "temperature" {
		what, layers = "decay", of.Name
	}
	if layer := lossLayer(c, of); layer < fewCells*h {
		out = append(out, fmt.Sprintf("%s makes %s layers at walls as thin as %s, which is %s at the wall, so that %s numbers are those of the cells: "+
			"take more cells, or graded ones (grid.grading)", what, layers, withUnit(layer*c.Scales.Length, c.Scales.LengthUnit), cellCount(layer/h), numberName(of)))
	}
	if drive == 0 {
		return out
	}
	// Boundary layers are about 1/(2 Nu) thick and want six points (Nu grows at most like 0.0162 Ra, Sh like that times the Lewis number).
	more := 1.0
	if of.Name != "temperature" {
		more = 1 / spread
	}
	if layer := 1 / (2 * math.Max(1, 0.0162*drive*more)); layer < fewCells*h {
		out = append(out, fmt.Sprintf("%s boundary layers may be as thin as %s, which is %s at the wall: take more cells, or graded ones (grid.grading)",
			layers, withUnit(layer*c.Scales.Length, c.Scales.LengthUnit), cellCount(layer/h)))
	}
	if peclet := drive / 4 * h / spread; c.Parameters.Transport == kernels.Central && peclet > likelyPeclet {
		out = append(out, fmt.Sprintf("solver.transport is central, and cells at the wall have a Péclet number of about %.3g: the %s is likely to overshoot, from about %g on; "+
			"take tvd or weno5, more cells, or graded ones (grid.grading)", peclet, of.Name, likelyPeclet))
	}
	return out
}

// numberName names the dimensionless transfer of a scalar.
func numberName(of *physics.Carried) string {
	if of.Name == "temperature" {
		return "Nusselt"
	}
	return "Sherwood"
}

// lossLayer returns the distance √(D/B) over which a loss or decay with the rate B takes a wall's value away, nondimensional, with the largest rate at
// the start of points all over the domain; +Inf where there is none.
func lossLayer(c *casefile.Case, of *physics.Carried) float64 {
	const points = 9 // along an axis
	size, most := c.Extent().Size, 0.0
	for n := range points * points * points {
		at := func(d, n int) float64 { return size[d] * float64(n%points) / (points - 1) }
		most = math.Max(most, of.Rate(at(0, n), at(1, n/points), at(2, n/(points*points)), 0))
	}
	return math.Sqrt(typical(of.Diffusivity) / most)
}

// cellCount prints a number of cells below a few.
func cellCount(n float64) string {
	if n < 0.1 {
		return "less than a tenth of a cell"
	}
	return fmt.Sprintf("%.1f cells", n)
}

// wallWidth returns the width of the widest cell at a wall that a scalar is conducted through, 0 where there is none.
func wallWidth(c *casefile.Case, of *physics.Carried) float64 {
	most := 0.0
	for d := range 3 {
		h := c.Extent().Widths(d)
		if len(h) == 0 || c.Extent().Periodic[d] {
			continue
		}
		for end, width := range [2]float64{h[0], h[len(h)-1]} {
			if conducts(c, of, kernels.Side(2*d+end)) {
				most = math.Max(most, width)
			}
		}
	}
	return most
}

// conducts tells whether a scalar is held or has a flux at a wall or a patch of it.
func conducts(c *casefile.Case, of *physics.Carried, s kernels.Side) bool {
	for w := range c.Parameters.Conditions(s) {
		if of.At(w).Conducts() {
			return true
		}
	}
	return false
}

// blowUpAdvice says what helps a case whose computation blew up; buoyant is the time on which buoyancy acts.
func blowUpAdvice(c *casefile.Case, buoyant float64) string {
	var do []string
	if c.Parameters.Transport == kernels.Central {
		do = append(do, "solver.transport: tvd, which has no overshoots")
	}
	if c.Controls.MaxStep > buoyant {
		do = append(do, fmt.Sprintf("time.max_step of %s at most, or none given", c.Scales.TimeText(buoyant, 3)))
	}
	do = append(do, "more cells, or graded ones (grid.grading) where layers are thin")
	if c.Controls.Courant > 0.25 {
		do = append(do, "a smaller time.cfl")
	} else if c.Controls.MaxStep <= buoyant {
		do = append(do, "a smaller time.max_step")
	}
	return "what may help: " + strings.Join(do, "; ")
}

// blewUp tells whether a computation failed because its numbers had lost what they stand for.
func blewUp(err error) bool {
	var far *physics.RangeError
	var stalled *physics.StallError
	return errors.As(err, &far) || errors.As(err, &stalled)
}

// inUnits puts the numbers of an error of a step into the units of the case.
func inUnits(err error, c *casefile.Case) error {
	scales := c.Scales
	var far *physics.RangeError
	var stalled *physics.StallError
	switch {
	case errors.As(err, &far):
		unit := 1.0
		for _, of := range c.Parameters.Transported() {
			if of.Name == far.Name {
				unit = of.Scale(scales)
			}
		}
		return &physics.RangeError{Name: far.Name, Low: far.Low * unit, High: far.High * unit, Beyond: far.Beyond * unit}
	case errors.As(err, &stalled):
		return &physics.StallError{Step: stalled.Step * scales.Time, Scale: stalled.Scale * scales.Time}
	}
	return err
}
