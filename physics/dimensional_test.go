package physics

import (
	"math"
	"strings"
	"testing"
)

// aquiferSI is a warm sedimentary aquifer.
func aquiferSI() Dimensional {
	return Dimensional{Permeability: 1e-13, Viscosity: 1e-3, Density: 1000, Expansivity: 2e-4, TemperatureDifference: 50,
		Height: 1000, Conductivity: 2.5, HeatCapacity: 4200, Porosity: 0.7, Gravity: 10}
}

func TestDimensional(t *testing.T) {
	d := aquiferSI()
	if err := d.Check(); err != nil {
		t.Fatal(err)
	}
	kappa := 2.5 / 4.2e6
	s := d.Scales()
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"diffusivity", d.Diffusivity(), kappa},
		// k ρ g α ΔT / μ = 1e-8 m/s, over κ/H
		{"Rayleigh number", d.Rayleigh(), 1e-8 * 1000 / kappa},
		{"length", s.Length, 1000},
		{"time", s.Time, 1e6 / kappa},
		{"temperature", s.Temperature, 50},
		{"velocity", s.Velocity, kappa / 1000},
		{"pressure", s.Pressure, 1e-3 * kappa / 1e-13},
		{"heat flux", s.HeatFlux, 0.125},
		// Ra in units of the pressure scale over the height is ρ g α ΔT, the weight of the light fluid.
		{"buoyancy", d.Rayleigh() * s.Pressure / s.Length, 1000 * 10 * 2e-4 * 50},
	} {
		if math.Abs(c.got-c.want) > 1e-12*c.want {
			t.Errorf("%s: %g, want %g", c.name, c.got, c.want)
		}
	}
}

// Grains of 2600 kg/m³ and 840 J/(kg K) in water: half of one and half of the other hold 0.76 of the heat of water.
func TestHeatCapacityRatio(t *testing.T) {
	d := aquiferSI()
	d.RockDensity, d.RockHeatCapacity = 2600, 840
	for phi, want := range map[float64]float64{0: 0.52, 0.25: 0.64, 0.5: 0.76, 1: 1} {
		if got := d.HeatCapacityRatio(phi); math.Abs(got-want) > 1e-15 {
			t.Errorf("porosity %g: %g, want %g", phi, got, want)
		}
	}
}

func TestDimensionalCheck(t *testing.T) {
	for name, spoil := range map[string]func(*Dimensional){
		"permeability":           func(d *Dimensional) { d.Permeability = 0 },
		"viscosity":              func(d *Dimensional) { d.Viscosity = -1 },
		"density":                func(d *Dimensional) { d.Density = math.NaN() },
		"expansivity":            func(d *Dimensional) { d.Expansivity = 0 },
		"temperature_difference": func(d *Dimensional) { d.TemperatureDifference = -5 },
		"height":                 func(d *Dimensional) { d.Height = math.Inf(1) },
		"conductivity":           func(d *Dimensional) { d.Conductivity = 0 },
		"heat_capacity":          func(d *Dimensional) { d.HeatCapacity = 0 },
		"porosity":               func(d *Dimensional) { d.Porosity = 1.1 },
		"rock_density":           func(d *Dimensional) { d.RockDensity = -2600 },
		"rock_heat_capacity":     func(d *Dimensional) { d.RockHeatCapacity = math.Inf(1) },
		"gravity":                func(d *Dimensional) { d.Gravity = -9.81 },
	} {
		d := aquiferSI()
		spoil(&d)
		if err := d.Check(); err == nil || !strings.HasPrefix(err.Error(), name+" = ") {
			t.Errorf("%s spoilt: error %v", name, err)
		}
	}
	d := aquiferSI()
	d.Expansivity = -d.Expansivity
	if err := d.Check(); err != nil || d.Rayleigh() > 0 {
		t.Errorf("negative expansivity: error %v, Ra %g", err, d.Rayleigh())
	}
}
