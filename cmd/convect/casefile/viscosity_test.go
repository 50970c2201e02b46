package casefile

import (
	"fmt"
	"math"
	"strings"
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
		} else if of != nil && math.Abs(of.Of(0.3, 0)-c.of(0.3)) > 1e-15 {
			t.Errorf("%s: %g at 0.3, want %g", c.text, of.Of(0.3, 0), c.of(0.3))
		}
	}
}

// TestViscosityOfBoth checks μ(T, S) in both kinds of units, with and without a temperature, and that it says what it depends on.
func TestViscosityOfBoth(t *testing.T) {
	const si = "physics:\n  dimensional: {permeability: 1e-12, viscosity: 1e-3, density: 1000, expansivity: 2e-4, temperature_difference: 50, height: 100, conductivity: 2, heat_capacity: 4200, " +
		"haline_contraction: 1e-3, solute_difference: 20, solute_diffusivity: 1e-9, porosity: 0.2, rock_density: 2600, rock_heat_capacity: 800}\n"
	const salt = "physics:\n  temperature: none\n  dimensional: {permeability: 1e-12, viscosity: 1e-3, density: 1000, height: 100, haline_contraction: 1e-3, solute_difference: 20, solute_diffusivity: 1e-9}\n"
	const mu = "  viscosity: 1e-3*exp(-T/25 + S/40)*(1 + z/100)\n"
	for _, c := range []struct {
		text     string
		want     float64 // at T = 0.5 and S = 0.25
		heat, of bool    // depends on T, on S
	}{
		{"physics:\n  rayleigh: 1\n  solute: {buoyancy_ratio: -1, lewis: 2}\n  viscosity: 2*exp(-2*T)*(1 + x)/(1 + S)\n", 2 * math.Exp(-1) / 1.25, true, true},
		{"physics:\n  rayleigh: 1\n  solute: {buoyancy_ratio: -1, lewis: 2}\n  viscosity: exp(3*S)\n", math.Exp(0.75), false, true},
		{"physics:\n  rayleigh: 1\n  solute: {buoyancy_ratio: -1, lewis: 2}\n  viscosity: exp(-T)\n", math.Exp(-0.5), true, false},
		{si + "  solute: {}\n" + mu, math.Exp(-25./25 + 5./40), true, true},
		{salt + "  solute: {}\n" + strings.Replace(mu, "-T/25 + ", "", 1), math.Exp(5. / 40), false, true},
	} {
		walls := "boundaries:\n  bottom: {temperature: 1, concentration: 1}\n  top: {temperature: 0, concentration: 0}\n"
		if strings.Contains(c.text, "none") {
			walls = "boundaries:\n  bottom: {concentration: 1}\n  top: {concentration: 0}\n"
		}
		got, err := Parse("case.yaml", []byte("grid: {cells: [8, 4], size: [2, 1]}\n"+c.text+walls+"time: {end: 1}\n"), nil)
		if err == nil {
			err = got.Build(BuildOptions{})
		}
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if mu := got.Parameters.Viscosity; math.Abs(mu.Of(0.5, 0.25)-c.want) > 1e-15 || mu.OfTemperature != c.heat || mu.OfConcentration != c.of {
			t.Errorf("%s: μ = %g, want %g; of T: %v, of S: %v", c.text, mu.Of(0.5, 0.25), c.want, mu.OfTemperature, mu.OfConcentration)
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
	if got := c.Parameters.Viscosity.Of(0.5, 0); math.Abs(got-math.Exp(-1)) > 1e-15 {
		t.Errorf("μ at 25 K is %g", got)
	}
	if k := c.Parameters.Permeability.Cells; math.Abs(k[0][0]-1/1.125) > 1e-15 || math.Abs(k[2][15]-0.5/1.875) > 1e-15 {
		t.Errorf("K/μ %g and %g", k[0][0], k[2][15])
	}
}
