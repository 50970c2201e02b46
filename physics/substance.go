package physics

import (
	"convect/kernels"
	"convect/multigrid"
)

// substance says of a scalar what a case says of it, and how it is called.
type substance struct {
	Transported
	prefix   string // of its numbers in a state
	capacity Material
	// diffusivity is relative to that of the units.
	diffusivity  Material
	dispersion   Dispersion
	terms        []term // beside transport
	initial      Initial
	scheme       kernels.Scheme
	solver       multigrid.Options
	at           func(w *Wall) Condition     // what a wall does to it; nil: what the wall has for it among those beside the temperature
	buoyancy     float64                     // its factor in Ra b; 0: it drives nothing
	viscosity    func(value float64) float64 // of the fluid as a function of it; nil: of nothing, of another scalar, or of two
	capacityName string
	// What it calls its parts of a step and its residual.
	rightSide, solve, update, fluxName, coefficientName, residual string
}

// heat describes the temperature.
func (p *Parameters) heat() substance {
	return substance{
		Transported: temperatureResults(),
		capacity:    p.HeatCapacityRatio, capacityName: "heat-capacity ratio", diffusivity: p.Diffusivity, dispersion: p.Dispersion,
		terms: []term{
			{"the heat source", Term{Gain: p.HeatSource, Varies: p.SourceVaries, Course: p.SourceCourse}},
			{"the heat loss", p.HeatLoss},
		},
		initial: p.Initial, scheme: p.Transport, solver: p.Diffusion, buoyancy: p.Rayleigh, viscosity: p.Viscosity.alone(true),
		at:        func(w *Wall) Condition { return Condition{w.Heat, w.HeatValue, w.HeatCoefficient, w.Inflow} },
		rightSide: "heat right side", solve: "diffusion solve", update: "heat update",
		fluxName: "heat flux", coefficientName: "heat-transfer coefficient", residual: "heat residual",
	}
}

// substances lists what is transported, the temperature first where there is one.
func (p *Parameters) substances() []substance {
	var all []substance
	if !p.Isothermal {
		all = append(all, p.heat())
	}
	for n := range p.Solutes {
		all = append(all, p.solute(n))
	}
	all = append(all, p.beside...)
	for n := range all[min(1, len(all)):] {
		if of := &all[n+1]; of.at == nil {
			of.at = func(w *Wall) Condition { return w.beside(n) }
		}
	}
	return all
}
