package physics

// Solute is what is dissolved in the fluid, of the concentration S:
//
//	ε ∂S/∂t + ∇·(uS) = ∇·(D_S ∇S) - Da S + Q_S
//
// with the lengths, times and velocities of heat: H, H²/κ and κ/H. Concentrations are multiples of a difference ΔS, fluxes of κΔS/H. (Nield & Bejan, Convection in
// Porous Media, chapter 9.)
type Solute struct {
	// BuoyancyRatio is N: buoyancy is Ra (T + N S). N > 0: the solute lightens the fluid, as heat does; of salt and CO₂ N < 0.
	BuoyancyRatio float64
	Porosity      Material // ε, times the retardation where grains take up solute; above 0. Only direction 0 is used
	Diffusivity   Material // D_S/κ, that of the whole medium: 1/Le
	Source        Term     // Q_S
	Decay         Term     // Da is its rate
	Initial       Initial  // its Temperature is S
}

// solute describes the concentration. It has the transport and the solver of the temperature.
func (p *Parameters) solute() substance {
	s := p.Solute
	return substance{
		Transported: soluteResults(), prefix: "concentration_",
		capacity: s.Porosity, capacityName: "porosity", diffusivity: s.Diffusivity,
		terms:   []term{{"the solute source", s.Source}, {"the decay", s.Decay}},
		initial: s.Initial, scheme: p.Transport, solver: p.Diffusion, buoyancy: p.Rayleigh * s.BuoyancyRatio,
		at:        func(w *Wall) Condition { return w.beside(0) },
		rightSide: "solute right side", solve: "solute solve", update: "solute update",
		fluxName: "solute flux", coefficientName: "solute-transfer coefficient", residual: "solute residual",
	}
}

// soluteResults describes the concentration. What it enters by is its high wall.
func soluteResults() Transported {
	one := func(Scales) float64 { return 1 }
	return Transported{
		Name: "concentration", Content: "solute", Number: "sherwood", Ends: [2]string{"high", "low"}, Cycles: "solute",
		Unit: func(Scales) string { return "1" }, Scale: one, FluxScale: one, FlowUnits: [2]string{"m2/s", "m3/s"}, Carried: "m/s",
	}
}
