package casefile

import (
	"fmt"
	"math"
	"testing"
)

// TestViscosity checks K/μ of the cells and μ(T) of every way to write a viscosity.
func TestViscosity(t *testing.T) {
	for _, c := range []struct {
		text     string
		mobility func(x, z float64) float64 // K/μ at the centre of a cell
		of       func(t float64) float64    // nil: none
	}{
		{"2", func(_, _ float64) float64 { return 1.5 }, nil},
		{"4/2", func(_, _ float64) float64 { return 1.5 }, nil},
		{"1 + x*z", func(x, z float64) float64 { return 3 / (1 + x*z) }, nil},
		{"exp(-2*T)", func(_, _ float64) float64 { return 3 }, func(t float64) float64 { return math.Exp(-2 * t) }},
		{"2/(1 + T)", func(_, _ float64) float64 { return 3 }, func(t float64) float64 { return 2 / (1 + t) }},
		{"2*(1 + z)*exp(-T)/(1 + x)", func(x, z float64) float64 { return 3 * (1 + x) / (1 + z) },
			func(t float64) float64 { return 2 * math.Exp(-t) }},
		{"1/(1 + z)/(1 + T)", func(_, z float64) float64 { return 3 * (1 + z) }, func(t float64) float64 { return 1 / (1 + t) }},
		{"T > 0.5 ? 1 : 2", func(_, _ float64) float64 { return 3 }, func(t float64) float64 {
			if t > 0.5 {
				return 1
			}
			return 2
		}},
	} {
		text := withSections(fmt.Sprintf("physics:\n  rayleigh: 1\n  permeability: 3\n  viscosity: %q\n", c.text))
		got, err := Parse("case.yaml", []byte(text), nil)
		if err == nil {
			err = got.Build(BuildOptions{})
		}
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		e, k := got.Parameters.Extent, got.Parameters.Permeability
		for cell := range e.Cells[0] * e.Cells[2] {
			x, z := 2*(float64(cell%8)+0.5)/8, (float64(cell/8)+0.5)/4
			for d := range 3 {
				v := k.Constant[d]
				if k.Varies() {
					v = k.Cells[d][cell]
				}
				if want := c.mobility(x, z); math.Abs(v-want) > 1e-14*want {
					t.Errorf("%s: cell %d: %g, want %g", c.text, cell, v, want)
				}
			}
		}
		of := got.Parameters.Viscosity
		if (of == nil) != (c.of == nil) {
			t.Errorf("%s: depends on temperature: %v", c.text, of != nil)
		} else if of != nil && math.Abs(of(0.3)-c.of(0.3)) > 1e-15 {
			t.Errorf("%s: %g at 0.3, want %g", c.text, of(0.3), c.of(0.3))
		}
	}
}

// TestViscosityInUnits: T is in the units of the case, the viscosity relative to the reference, and a permeability by
// direction keeps its directions.
func TestViscosityInUnits(t *testing.T) {
	const physics = "physics:\n  dimensional: {permeability: 1e-12, viscosity: 1e-3, density: 1000, expansivity: 2e-4, " +
		"temperature_difference: 50, height: 100, conductivity: 2, heat_capacity: 4200}\n" +
		"  permeability: [1e-12, 5e-13]\n  viscosity: (1 + z/100)*1e-3*exp(-T/25)\n"
	text := withSections("grid:\n  cells: [4, 4]\n  size: [100, 100]\n" + physics + "boundaries:\n  bottom: {temperature: 50}\n  top: {temperature: 0}\n")
	c, err := Parse("case.yaml", []byte(text), nil)
	if err == nil {
		err = c.Build(BuildOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Parameters.Viscosity(0.5); math.Abs(got-math.Exp(-1)) > 1e-15 {
		t.Errorf("μ at 25 K is %g", got)
	}
	if k := c.Parameters.Permeability.Cells; math.Abs(k[0][0]-1/1.125) > 1e-15 || math.Abs(k[2][15]-0.5/1.875) > 1e-15 {
		t.Errorf("K/μ %g and %g", k[0][0], k[2][15])
	}
}
