package physics

import "math"

// Event tells an Observer what the simulation has just reached.
type Event struct {
	Start  bool // before the first step, of a new run or after a restart
	Output bool // output is due (also true at Start of a new run and at the end of a run)
	End    bool // the run is over (end time or steady state); not set by an interruption
	// Growth is the rate at which a small disturbance of the present state grows, where the state no longer changes by itself and would
	// be steady but for that: told once for each such standstill. +Inf: beyond what could be followed; 0: nothing of the kind.
	Growth float64
}

// Observer is told after every step, and once before the first. It may read the simulation, not change it.
// An error stops the run.
type Observer interface {
	Observe(s *Simulation, e Event) error
}

// Sample holds the scalars of one step: a row of series.csv. Nondimensional; NaN where undefined.
type Sample struct {
	Step               int64
	Time, Dt           float64
	NusseltHot         float64 // from the conservative heat flux through the hot wall
	NusseltCold        float64
	NusseltVolume      float64 // from the volume mean of the heat flux
	NusseltDissipation float64 // from <D|∇T|²>
	SpeedRMS, SpeedMax float64
	Streamfunction     float64 // max |ψ|, 2-D
	StreamfunctionMid  float64 // ψ at the centre, 2-D
	Divergence         float64 // max |∇·u|
	TemperatureMean    float64 // volume mean of σT over that of σ
	HeatIn             float64 // heat that entered through walls and sources per time, integrated
	HeatGain           float64 // discrete d/dt of the heat content, integrated
	PressureCycles     int
	DiffusionCycles    int
	PressureResidual   float64 // relative to its reference
}

// Nusselt returns the mean of the hot and the cold wall, or the value of the only one.
func (s *Sample) Nusselt() float64 {
	switch {
	case math.IsNaN(s.NusseltHot):
		return s.NusseltCold
	case math.IsNaN(s.NusseltCold):
		return s.NusseltHot
	}
	return (s.NusseltHot + s.NusseltCold) / 2
}
