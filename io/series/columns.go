package series

import (
	"math"

	"convect/physics"
)

// column is one quantity of series.csv.
type column struct {
	name string
	unit func(u *units) string
	get  func(s *physics.Sample, u *units) float64 // in the units of the case; nil: written by the Writer
}

// units are the scales of the case and the number of its dimensions, 2 or 3.
type units struct {
	physics.Scales
	dimensions int
}

func none(*units) string            { return "1" }
func inTime(u *units) string        { return u.TimeUnit }
func inTemperature(u *units) string { return u.TemperatureUnit }
func inSpeed(u *units) string       { return u.VelocityUnit }

// si names a unit of a case in SI units.
func (u *units) si(name string) string {
	if u.LengthUnit == "1" {
		return "1"
	}
	return name
}

// heatScale turns a heat flow, a flux integrated over the walls, into the units of the case: a flow per length of the
// absent axis in 2-D.
func (u *units) heatScale() float64 { return u.HeatFlux * math.Pow(u.Length, float64(u.dimensions-1)) }

func inHeat(u *units) string {
	if u.dimensions == 2 {
		return u.si("W/m")
	}
	return u.si("W")
}

// columns are those of series.csv, in order.
func columns() []column {
	return []column{
		{"step", none, func(s *physics.Sample, _ *units) float64 { return float64(s.Step) }},
		{"time", inTime, func(s *physics.Sample, u *units) float64 { return s.Time * u.Time }},
		{"dt", inTime, func(s *physics.Sample, u *units) float64 { return s.Dt * u.Time }},
		{"nusselt_hot", none, func(s *physics.Sample, _ *units) float64 { return s.NusseltHot }},
		{"nusselt_cold", none, func(s *physics.Sample, _ *units) float64 { return s.NusseltCold }},
		{"nusselt_volume", none, func(s *physics.Sample, _ *units) float64 { return s.NusseltVolume }},
		{"nusselt_dissipation", none, func(s *physics.Sample, _ *units) float64 { return s.NusseltDissipation }},
		{"speed_rms", inSpeed, func(s *physics.Sample, u *units) float64 { return s.SpeedRMS * u.Velocity }},
		{"speed_max", inSpeed, func(s *physics.Sample, u *units) float64 { return s.SpeedMax * u.Velocity }},
		{"streamfunction_max", func(u *units) string { return u.si("m2/s") },
			func(s *physics.Sample, u *units) float64 { return s.Streamfunction * u.Velocity * u.Length }},
		{"divergence_max", func(u *units) string { return u.si("1/s") },
			func(s *physics.Sample, u *units) float64 { return s.Divergence * u.Velocity / u.Length }},
		{"temperature_mean", inTemperature, func(s *physics.Sample, u *units) float64 { return s.TemperatureMean * u.Temperature }},
		{"heat_in", inHeat, func(s *physics.Sample, u *units) float64 { return s.HeatIn * u.heatScale() }},
		{"heat_gain", inHeat, func(s *physics.Sample, u *units) float64 { return s.HeatGain * u.heatScale() }},
		{"cycles_pressure", none, func(s *physics.Sample, _ *units) float64 { return float64(s.PressureCycles) }},
		{"cycles_diffusion", none, func(s *physics.Sample, _ *units) float64 { return float64(s.DiffusionCycles) }},
		{"wall_seconds", func(*units) string { return "s" }, nil},
	}
}
