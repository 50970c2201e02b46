package series

import (
	"math"
	"strings"

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
	scalars    []physics.Transported
	wells      []Well
	surfaces   []string
}

func none(*units) string      { return "1" }
func inTime(u *units) string  { return u.TimeUnit }
func inSpeed(u *units) string { return u.VelocityUnit }

// si names a unit of a case in SI units.
func (u *units) si(name string) string {
	if u.LengthUnit == "1" {
		return "1"
	}
	return name
}

// flowScale turns a flux of a scalar, integrated over the walls, into the units of the case: a flow per length of the
// absent axis in 2-D.
func (u *units) flowScale(of *physics.Transported) float64 {
	return of.FluxScale(u.Scales) * math.Pow(u.Length, float64(u.dimensions-1))
}

// columns are those of series.csv, in order.
func (u *units) columns() []column {
	all := []column{
		{"step", none, func(s *physics.Sample, _ *units) float64 { return float64(s.Step) }},
		{"time", inTime, func(s *physics.Sample, u *units) float64 { return s.Time * u.Time }},
		{"dt", inTime, func(s *physics.Sample, u *units) float64 { return s.Dt * u.Time }},
	}
	all = append(all, u.each(transfers)...)
	all = append(all, []column{
		{"speed_rms", inSpeed, func(s *physics.Sample, u *units) float64 { return s.SpeedRMS * u.Velocity }},
		{"speed_max", inSpeed, func(s *physics.Sample, u *units) float64 { return s.SpeedMax * u.Velocity }},
		{"streamfunction_max", func(u *units) string { return u.si("m2/s") },
			func(s *physics.Sample, u *units) float64 { return s.Streamfunction * u.Velocity * u.Length }},
		{"divergence_max", func(u *units) string { return u.si("1/s") },
			func(s *physics.Sample, u *units) float64 { return s.Divergence * u.Velocity / u.Length }},
	}...)
	all = append(all, u.each(balances)...)
	for n := range u.wells {
		all = append(all, u.well(n)...)
	}
	all = append(all, column{"cycles_pressure", none, func(s *physics.Sample, _ *units) float64 { return float64(s.PressureCycles) }})
	all = append(all, u.each(cycles)...)
	for n := range u.surfaces {
		all = append(all, u.surface(n)...)
	}
	return append(all, column{wallSeconds, func(*units) string { return "s" }, nil})
}

// well lists the columns of a well: its rate, what it injects or produces, and the pressure in one that holds it.
func (u *units) well(n int) []column {
	name := u.wells[n].Name
	all := []column{{"well_" + name + "_rate", func(u *units) string { return u.si([]string{"m2/s", "m3/s"}[u.dimensions-2]) },
		func(s *physics.Sample, u *units) float64 {
			return s.Wells[n].Rate * u.Velocity * math.Pow(u.Length, float64(u.dimensions-1))
		}}}
	for place, of := range u.scalars {
		all = append(all, column{"well_" + name + "_" + of.Name, func(u *units) string { return of.Unit(u.Scales) },
			func(s *physics.Sample, u *units) float64 { return s.Wells[n].Scalars[place] * of.Scale(u.Scales) }})
	}
	if u.wells[n].Holds {
		all = append(all, column{"well_" + name + "_pressure", func(u *units) string { return u.PressureUnit },
			func(s *physics.Sample, u *units) float64 { return s.Wells[n].Pressure * u.Pressure }})
	}
	return all
}

// surface lists the columns of a surface: the fluid and each scalar that enter through it.
func (u *units) surface(n int) []column {
	name := u.surfaces[n]
	all := []column{{name + "_" + fluidName, func(u *units) string { return u.si([]string{"m2/s", "m3/s"}[u.dimensions-2]) },
		func(s *physics.Sample, u *units) float64 {
			return s.Surfaces[n].Fluid * u.Velocity * math.Pow(u.Length, float64(u.dimensions-1))
		}}}
	for place := range u.scalars {
		of := &u.scalars[place]
		all = append(all, column{name + "_" + of.Crossing(), func(u *units) string { return u.si(of.FlowUnits[u.dimensions-2]) },
			func(s *physics.Sample, u *units) float64 { return s.Surfaces[n].Scalars[place] * u.flowScale(of) }})
	}
	return all
}

// fluidName ends the names of columns of fluid that crosses a surface.
const fluidName = "fluid"

// ofSurface tells whether a column is one of a surface: those of a run that goes on with other walls, or whose rows are of an earlier version, may be others.
func ofSurface(name string) bool {
	return name != wallSeconds && (strings.HasPrefix(name, "wall_") || strings.HasPrefix(name, "patch_"))
}

// wallSeconds is the last column.
const wallSeconds = "wall_seconds"

// Columns lists the names and the units of the columns of series.csv, in order.
func Columns(o Options) (names, symbols []string) {
	u := units{o.Scales, o.Dimensions, o.Scalars, o.Wells, o.Surfaces}
	for _, c := range u.columns() {
		names, symbols = append(names, c.name), append(symbols, c.unit(&u))
	}
	return names, symbols
}

// SurfaceColumns lists the names of the columns of a surface in a case that transports some scalars.
func SurfaceColumns(surface string, scalars []physics.Transported) []string {
	all := []string{surface + "_" + fluidName}
	for n := range scalars {
		all = append(all, surface+"_"+scalars[n].Crossing())
	}
	return all
}

// each lists columns of every scalar.
func (u *units) each(columns func(of *physics.Transported) []ownColumn) []column {
	var all []column
	for n := range u.scalars {
		for _, c := range columns(&u.scalars[n]) {
			all = append(all, column{c.name, c.unit, func(s *physics.Sample, u *units) float64 { return c.get(&s.Scalars[n], u) }})
		}
	}
	return all
}

// ownColumn is a column of one scalar.
type ownColumn struct {
	name string
	unit func(u *units) string
	get  func(s *physics.ScalarSample, u *units) float64
}

// transfers are the columns of a scalar's dimensionless transfer.
func transfers(of *physics.Transported) []ownColumn {
	var all []ownColumn
	for _, n := range of.Transfers() {
		all = append(all, ownColumn{n.Name, none, func(s *physics.ScalarSample, _ *units) float64 { return *n.In(s) }})
	}
	return all
}

// balances are the columns of a scalar's balance.
func balances(of *physics.Transported) []ownColumn {
	flow := func(u *units) string { return u.si(of.FlowUnits[u.dimensions-2]) }
	return []ownColumn{
		{of.Name + "_mean", func(u *units) string { return of.Unit(u.Scales) },
			func(s *physics.ScalarSample, u *units) float64 { return s.Mean * of.Scale(u.Scales) }},
		{of.Content + "_in", flow, func(s *physics.ScalarSample, u *units) float64 { return s.In * u.flowScale(of) }},
		{of.Content + "_gain", flow, func(s *physics.ScalarSample, u *units) float64 { return s.Gain * u.flowScale(of) }},
	}
}

// cycles are the columns of a scalar's solver.
func cycles(of *physics.Transported) []ownColumn {
	return []ownColumn{{"cycles_" + of.Cycles, none, func(s *physics.ScalarSample, _ *units) float64 { return float64(s.Cycles) }}}
}

// profileColumns are those of profiles.csv with their units.
func (u *units) profileColumns() (names, symbols []string) {
	names, symbols = []string{"step", "time", "z"}, []string{"1", u.TimeUnit, u.LengthUnit}
	for _, of := range u.scalars {
		names, symbols = append(names, of.Name, of.Content+"_flux"), append(symbols, of.Unit(u.Scales), u.si(of.Carried))
	}
	return names, symbols
}

// profileRow returns the row of a level of profiles.
func (u *units) profileRow(p *physics.Profile, level int) []float64 {
	row := []float64{p.Z[level] * u.Length}
	for n, of := range u.scalars {
		scale := of.Scale(u.Scales)
		row = append(row, p.Scalars[n].Mean[level]*scale, p.Scalars[n].Carried[level]*u.Velocity*scale)
	}
	return row
}
