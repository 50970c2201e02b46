package physics

import "math"

// Transported describes a scalar to those who write results: how files and tables call it, and its units.
type Transported struct {
	Name    string    // of its field, and in messages: temperature
	Content string    // what it is an amount of: heat
	Number  string    // its dimensionless transfer through walls: nusselt
	Ends    [2]string // the wall where it enters, and the other one: hot, cold
	Cycles  string    // what its solver's cycles are called: diffusion

	Unit      func(Scales) string // of its values
	Scale     func(Scales) float64
	FluxScale func(Scales) float64 // of a flux by diffusion
	FlowUnits [2]string            // of such a flux through all of a wall, in SI units, in 2-D and in 3-D
	Carried   string               // unit of its value times a velocity, in SI units
}

// Transported lists what is transported in a model with these parameters, the temperature first.
func (p *Parameters) Transported() []Transported {
	var all []Transported
	for _, of := range p.substances() {
		all = append(all, of.Transported)
	}
	return all
}

// Carried describes a scalar to those who judge a case.
type Carried struct {
	Transported
	Capacity, Diffusivity Material
	Dispersion            Dispersion
	Buoyancy              float64                 // its factor in Ra b
	At                    func(w *Wall) Condition // what a wall does to it
	rates                 []Func
}

// Rate returns the rate at which terms take the scalar at a point and a time, in a unit of volume.
func (of *Carried) Rate(x, y, z, t float64) float64 {
	sum := 0.0
	for _, rate := range of.rates {
		sum += rate(x, y, z, t)
	}
	return sum
}

// Carried lists the scalars by the order of [Parameters.Transported].
func (p *Parameters) Carried() []Carried {
	var all []Carried
	for _, of := range p.substances() {
		c := Carried{Transported: of.Transported, Capacity: of.capacity, Diffusivity: of.diffusivity, Dispersion: of.dispersion, Buoyancy: of.buoyancy, At: of.at}
		for _, term := range of.terms {
			if term.Rate != nil {
				c.rates = append(c.rates, term.Rate)
			}
		}
		all = append(all, c)
	}
	return all
}

// Meaning says in words what the scalar is.
func (of *Transported) Meaning() string {
	if of.Name == temperatureName || of.Name == concentrationName {
		return of.Name
	}
	return "concentration of the tracer " + of.Name
}

// Crossing is what crosses a surface, in names of columns: heat, or a solute by the name of its field.
func (of *Transported) Crossing() string {
	if of.Name == temperatureName {
		return of.Content
	}
	return of.Name
}

// Transfer is a number of the dimensionless transfer of a scalar: its column, and its place in a sample.
type Transfer struct {
	Name string
	In   func(s *ScalarSample) *float64
}

// Transfers lists the numbers of the scalar's dimensionless transfer.
func (of *Transported) Transfers() []Transfer {
	return []Transfer{
		{of.Number + "_" + of.Ends[0], func(s *ScalarSample) *float64 { return &s.Hot }},
		{of.Number + "_" + of.Ends[1], func(s *ScalarSample) *float64 { return &s.Cold }},
		{of.Number + "_volume", func(s *ScalarSample) *float64 { return &s.Volume }},
		{of.Number + "_dissipation", func(s *ScalarSample) *float64 { return &s.Dissipation }},
	}
}

// What the temperature and the solute without a name of its own are called.
const (
	temperatureName   = "temperature"
	concentrationName = "concentration"
)

// temperatureResults describes the temperature.
func temperatureResults() Transported {
	return Transported{
		Name: temperatureName, Content: "heat", Number: "nusselt", Ends: [2]string{"hot", "cold"}, Cycles: "diffusion",
		Unit: func(c Scales) string { return c.TemperatureUnit }, Scale: func(c Scales) float64 { return c.Temperature },
		FluxScale: func(c Scales) float64 { return c.HeatFlux }, FlowUnits: [2]string{"W/m", "W"}, Carried: "K m/s",
	}
}

// ScalarSample holds what is measured of one scalar at a step. Nondimensional; NaN where undefined. The dimensionless transfer is that
// through walls over that by diffusion alone: of the temperature the Nusselt number.
type ScalarSample struct {
	Hot         float64 // transfer through the wall where it enters, from the conservative flux
	Cold        float64 // through the other wall
	Volume      float64 // from the volume mean of the flux
	Dissipation float64 // from <D|∇s|²>
	Mean        float64 // volume mean of σs over that of σ
	In          float64 // what entered through walls and sources per time, integrated
	Gain        float64 // discrete d/dt of the content, integrated
	Cycles      int
}

// Transfer returns the mean of the transfers through both walls, or that through the only one.
func (s *ScalarSample) Transfer() float64 {
	switch {
	case math.IsNaN(s.Hot):
		return s.Cold
	case math.IsNaN(s.Cold):
		return s.Hot
	}
	return (s.Hot + s.Cold) / 2
}
