package physics

import "slices"

// Event tells an Observer what the simulation has just reached.
type Event struct {
	Start  bool // before the first step, of a new run or after a restart
	Output bool // output is due (also true at Start of a new run and at the end of a run)
	OnTop  bool // of an Output: that of the start or the end, which no schedule asks for
	End    bool // the run is over (end time or steady state); not set by an interruption
	// Growth is the rate at which a small disturbance of the present state grows, where the state no longer changes by itself and would
	// be steady but for that: told once for each such standstill. +Inf: beyond what could be followed; 0: nothing of the kind.
	Growth float64
}

// Observer is told after every step, and once before the first. It may read the simulation, and change of it the controls alone ([Simulation.SetControls]).
// An error stops the run.
type Observer interface {
	Observe(s *Simulation, e Event) error
}

// Sample holds the scalars of one step: a row of series.csv. Nondimensional; NaN where undefined.
type Sample struct {
	Step               int64
	Time, Dt           float64
	Scalars            []ScalarSample // by the order of Parameters.Transported, the temperature first; valid until the next step
	SpeedRMS, SpeedMax float64
	Streamfunction     float64         // max |ψ|, 2-D
	StreamfunctionMid  float64         // ψ at the centre, 2-D
	Divergence         float64         // max |∇·u|, less what wells bring
	Wells              []WellSample    // by the order of Parameters.Wells; valid until the next step
	Surfaces           []SurfaceSample // by the order of Parameters.Surfaces; valid until the next step
	PressureCycles     int
	PressureResidual   float64 // relative to its reference
}

// Clone returns a copy that stays as it is.
func (s *Sample) Clone() Sample {
	c := *s
	c.Scalars, c.Wells, c.Surfaces = slices.Clone(s.Scalars), slices.Clone(s.Wells), slices.Clone(s.Surfaces)
	for n := range c.Surfaces {
		c.Surfaces[n].Scalars = slices.Clone(c.Surfaces[n].Scalars)
	}
	return c
}

// Heat returns what is measured of the temperature: its transfer is the Nusselt number. Without a temperature it is the first solute.
func (s *Sample) Heat() *ScalarSample { return &s.Scalars[0] }
