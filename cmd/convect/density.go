package main

import (
	"fmt"
	"io"
	"math"

	"convect/cmd/convect/casefile"
	"convect/physics"
)

// slopes are what a buoyancy that is given as an expression amounts to between the least and the greatest values of a case: b per unit of T in the middle of S, and of S in the middle of T, nondimensional.
type slopes struct {
	per    [2]float64
	given  [2]bool // it depends on the scalar, which varies
	turns  [2]bool // it has an extreme in between
	values physics.Values
}

// slopesOf looks at an expression of the buoyancy.
func slopesOf(law *physics.Law, v physics.Values) (s slopes) {
	s.values = v
	for n, depends := range [2]bool{law.OfTemperature, law.OfConcentration} {
		if s.given[n] = depends && v.High[n] > v.Low[n]; !s.given[n] {
			continue
		}
		line := v
		for other := range line.Low {
			if other != n {
				middle := (v.Low[other] + v.High[other]) / 2
				line.Low[other], line.High[other] = middle, middle
			}
		}
		ends := law.Of(line.High[0], line.High[1]) - law.Of(line.Low[0], line.Low[1])
		least, most := law.Range(line)
		s.per[n] = ends / (v.High[n] - v.Low[n])
		s.turns[n] = most-least > math.Abs(ends)*(1+1e-6)
	}
	return s
}

// printLightness prints what an expression of the buoyancy or the density amounts to.
func printLightness(w io.Writer, c *casefile.Case, v physics.Values) {
	law := c.Parameters.Buoyancy
	if law == nil {
		return
	}
	s, label := slopesOf(law, v), "expression"
	line := func(format string, args ...any) {
		fmt.Fprintf(w, "  %-12s %s\n", label, fmt.Sprintf(format, args...))
		label = ""
	}
	names, units := [2]string{"temperature", "concentration"}, [2]float64{c.Scales.Temperature, c.Scales.Concentration}
	coefficients := [2]string{"expansivity %.4g 1/K", "haline contraction %.4g"}
	for n, name := range names {
		if !s.given[n] {
			continue
		}
		ra := c.Parameters.Rayleigh * s.per[n]
		number := fmt.Sprintf("Ra %.4g", ra)
		if n == 1 && s.given[0] && s.per[0] != 0 {
			number = fmt.Sprintf("N %.4g", s.per[1]/s.per[0])
		}
		if unit := c.Lightness(); unit != 0 {
			sign := [2]float64{1, -1}[n] // what a contraction makes denser is not light
			number += ", " + fmt.Sprintf(coefficients[n], sign*unit*s.per[n]/units[n])
		}
		if s.turns[n] {
			number += "; in between the density has an extreme, so that these say little"
		}
		line("over the %ss from %.4g to %.4g it amounts to %s", name, s.values.Low[n]*units[n], s.values.High[n]*units[n], number)
	}
}

// lightnessWarnings warns of an expression in SI units that no Boussinesq approximation is made for, or that is likely in another unit.
func lightnessWarnings(c *casefile.Case, v physics.Values) (out []string) {
	const contrast, far = 0.5, 0.1
	unit := c.Lightness()
	if unit == 0 {
		return nil
	}
	least, most := c.Parameters.Buoyancy.Range(v)
	if change := unit * (most - least); change > contrast {
		out = append(out, fmt.Sprintf("the density of the fluid changes by %.2g of itself: the Boussinesq approximation is for small changes; physics.density is in kg/m³, physics.buoyancy a part of the density", change))
	}
	if off := -unit * c.Parameters.Buoyancy.Middle(v); math.Abs(off) > far {
		out = append(out, fmt.Sprintf("in the middle of the values of walls and the start the density is %.4g kg/m³, and its reference physics.dimensional.density %.4g kg/m³, of whose column pressures are counted from: the two are far apart",
			c.Dimensional.Density*(1+off), c.Dimensional.Density))
	}
	return out
}
