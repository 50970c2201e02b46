package physics

import (
	"convect/kernels"
	"convect/multigrid"
	"convect/stencil"
)

// Func is a value in space and time; lengths and times are nondimensional. One that gives values to all nodes or cells is called by several goroutines at a time.
type Func func(x, y, z, t float64) float64

// Constant returns the Func that is v everywhere.
func Constant(v float64) Func { return func(_, _, _, _ float64) float64 { return v } }

// Wall is the condition on one wall or patch.
//
// Pressure is counted relative to the hydrostatic pressure of fluid at T = 0, zero at z = 0. Behind an Open wall
// stands fluid at rest whose temperature is Inflow if set, else what the wall is held at or tied to, else 0, and whose
// pressure is that of its own hydrostatic column: p = -∫_z^H Ra T_out dz, so zero at the top.
//
// Where fluid enters through a wall whose temperature is not fixed it brings Inflow (nil: the temperature outside that the wall is tied to,
// else 0), and no more is conducted than flux or coefficient say; where it leaves it takes the temperature of the wall node.
type Wall struct {
	Heat      HeatKind
	HeatValue Func // temperature, or flux into the domain; nil: 0
	// HeatCoefficient is h of what ties the wall, at least 0: h (HeatValue - T) enters by conduction. nil: 0.
	HeatCoefficient Func
	Flow            FlowKind
	FlowValue       Func        // pressure, or inward velocity; nil: 0
	Inflow          Func        // temperature of entering fluid; nil: none given
	Beside          []Condition // on the scalars beside the temperature, by their order; those that are missing insulate
	Varies          bool        // a value here depends on time
	Course          Course      // how they do
	Alike           bool        // no value here depends on position; false where that is not known
}

// Condition is what a wall does to a scalar: of the temperature Heat, HeatValue, HeatCoefficient and Inflow of Wall.
type Condition struct {
	Kind        HeatKind
	Value       Func // of the scalar, at the wall or outside, or its flux into the domain; nil: 0
	Coefficient Func // of what ties it; nil: 0
	Inflow      Func // what entering fluid brings; nil: none given
}

// Of returns the condition on the n-th scalar beside the temperature, from 0 on, to be written to.
func (w *Wall) Of(n int) *Condition {
	for len(w.Beside) <= n {
		w.Beside = append(w.Beside, Condition{})
	}
	return &w.Beside[n]
}

// beside returns the condition on the n-th scalar beside the temperature.
func (w *Wall) beside(n int) Condition {
	if n >= len(w.Beside) {
		return Condition{}
	}
	return w.Beside[n]
}

// Material is a cell property: constant per direction, or one value a cell ([z][y][x] of stencil.Grid.CellShape)
// per direction; directions may share one slice.
type Material struct {
	Constant [3]float64
	Cells    [3][]float64
}

// Uniform returns the isotropic constant material.
func Uniform(v float64) Material { return Material{Constant: [3]float64{v, v, v}} }

// Varies tells whether the material differs from cell to cell.
func (m Material) Varies() bool { return m.Cells[0] != nil }

// Initial describes the starting temperature.
type Initial struct {
	// Conduction starts from the steady state of conduction alone; else Nodes (if not nil) or Temperature is used.
	Conduction  bool
	Temperature Func
	Nodes       []float64 // [z][y][x] of nodes, periodic planes not repeated
	// Mode adds Amplitude Π_d shape_d(m_d π x_d / L_d) to T: along z sin where both z walls have fixed
	// temperature, else cos; along x and y cos (2π and cos where periodic).
	Mode      [3]int
	Amplitude float64
	// Noise adds uniform noise in [-Noise, Noise] from Seed.
	Noise float64
	Seed  int64
}

// Parameters define a model. All values are nondimensional: length H, time H²/κ, velocity κ/H, temperature ΔT.
type Parameters struct {
	Extent       stencil.Extent
	Rayleigh     float64
	Permeability Material // relative K; divide by what of the viscosity depends on position alone before
	// Viscosity is relative μ, positive over all values of a run; nil: 1. The mobility of a cell is its K over μ at the mean value of its nodes, or, where μ depends on
	// both, over the geometric mean of μ at its nodes.
	Viscosity *Law
	// HeatCapacityRatio is σ, (ρc) of the medium over (ρc) of the fluid; of a dissolved substance the porosity. Only direction 0
	// is used.
	HeatCapacityRatio Material
	Diffusivity       Material   // relative D
	Dispersion        Dispersion // of all scalars that have none of their own
	HeatSource        Func       // Q, nil: none
	// SourceVaries tells that Q depends on time, and SourceCourse how.
	SourceVaries bool
	SourceCourse Course
	Buoyancy     *Law     // b of the buoyancy Ra b; nil: the temperature, and each solute times its number over that of the temperature
	HeatLoss     Term     // to surroundings all over the volume: the rate at which, and their temperature
	Isothermal   bool     // there is no temperature; the first of the solutes takes its place in the list
	Solutes      []Solute // their conditions at walls are Wall.Beside, in this order
	Walls        [6]Wall  // by kernels.Side; those of periodic and absent axes are ignored
	Patches      []Patch
	Wells        []Well
	Initial      Initial

	Stencil   kernels.Stencil // of pressure and diffusion
	Transport kernels.Scheme
	Precision kernels.Elem // of the fields
	Mixed     bool         // fields of float64, solvers that make their cycles in float32; it overrides that of their options
	Pressure  multigrid.Options
	Diffusion multigrid.Options

	beside []substance // what is transported beside these; no case names any yet
}

// Controls steer the time stepping. Times are nondimensional.
type Controls struct {
	End       float64
	Courant   float64 // largest Δt max_n Σ_d |u_d|/(σ w_d), σ the least
	FirstStep float64 // 0: chosen
	MaxStep   float64 // 0: chosen
	Steady    float64 // 0: never stop as steady
	// WallTolerance bounds what steps cost where values of walls or the heat source vary in time: the error of the flux through a wall whose
	// temperature is a sine, over the flux's amplitude. 0: chosen.
	WallTolerance float64
	Output        Schedule
	Measures      []Schedule // of what is measured besides: steps end on these times too
}

// Schedule tells when output is due, besides at the end and at the start. At most one of its parts is set. Those of Controls.Measures may hold times that
// differ by rounding from those of the output or the end (3 * 0.1 > 0.3); a step ends on one of both.
type Schedule struct {
	Interval float64   // every Interval of time
	Times    []float64 // at these times, increasing
	Steps    int       // every so many steps (does not shape Δt)
}

// Scales turn nondimensional results into the units of the case: multiply by them.
type Scales struct {
	Length, Time, Temperature, Velocity, Pressure, HeatFlux float64
	Concentration                                           float64 // in a unit that the case chooses, which has no name
	Permeability                                            float64 // in m2
	// Units are the names to write into files, "1" where nondimensional.
	LengthUnit, TimeUnit, TemperatureUnit, VelocityUnit, PressureUnit, HeatFluxUnit string
}

// Nondimensional are the scales of a case without units.
func Nondimensional() Scales {
	return Scales{1, 1, 1, 1, 1, 1, 1, 1, "1", "1", "1", "1", "1", "1"}
}

// PrecisionName returns how the case file calls fields of a type with solvers of the same or of mixed precision: float32,
// float64 or mixed.
func PrecisionName(fields kernels.Elem, mixed bool) string {
	if mixed {
		return "mixed"
	}
	return fields.String()
}
