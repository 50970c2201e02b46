package physics

// Solute is what is dissolved in the fluid, of the concentration S:
//
//	ε ∂S/∂t + ∇·(uS) = ∇·(D_S ∇S) - Da S + Q_S
//
// with the lengths, times and velocities of heat: H, H²/κ and κ/H. Concentrations are multiples of a difference ΔS, fluxes of κΔS/H. (Nield & Bejan, Convection in
// Porous Media, chapter 9.)
type Solute struct {
	// Name is what its field and its columns are called, "" for concentration.
	Name string
	// Rayleigh is N Ra, the factor of S in Ra b. Of the sign of that of the temperature: the solute lightens the fluid, as heat does; 0: it only drifts along.
	Rayleigh    float64
	Porosity    Material    // ε, times the retardation where grains take up solute; above 0. Only direction 0 is used
	Diffusivity Material    // D_S/κ, that of the whole medium: 1/Le
	Dispersion  *Dispersion // its own lengths; nil: those of Parameters
	Source      Term        // Q_S
	Decay       Term        // Da is its rate
	Initial     Initial     // its Temperature is S
}

// lengths are those of its dispersion.
func (s *Solute) lengths(p *Parameters) Dispersion {
	if s.Dispersion != nil {
		return *s.Dispersion
	}
	return p.Dispersion
}

// solute describes the n-th solute. It has the transport and the solver of the temperature.
func (p *Parameters) solute(n int) substance {
	s := &p.Solutes[n]
	results := soluteResults(s.Name)
	var viscosity func(float64) float64
	if n == 0 {
		viscosity = p.Viscosity.alone(false)
	}
	return substance{
		Transported: results, prefix: results.Name + "_",
		capacity: s.Porosity, capacityName: "porosity", diffusivity: s.Diffusivity, dispersion: s.lengths(p),
		terms:   []term{{"the source of the " + results.Name, s.Source}, {"the decay of the " + results.Name, s.Decay}},
		initial: s.Initial, scheme: p.Transport, solver: p.Diffusion, buoyancy: s.Rayleigh, viscosity: viscosity,
		at:        func(w *Wall) Condition { return w.beside(n) },
		rightSide: results.Content + " right side", solve: results.Content + " solve", update: results.Content + " update",
		fluxName: results.Content + " flux", coefficientName: results.Content + "-transfer coefficient", residual: results.Content + " residual",
	}
}

// soluteResults describes a solute by its name. What it enters by is its high wall.
func soluteResults(name string) Transported {
	scale := func(c Scales) float64 { return c.Concentration }
	flux := func(c Scales) float64 { return c.Concentration * c.Velocity }
	t := Transported{
		Name: concentrationName, Content: "solute", Number: "sherwood", Ends: [2]string{"high", "low"}, Cycles: "solute",
		Unit: func(Scales) string { return "1" }, Scale: scale, FluxScale: flux, FlowUnits: [2]string{"m2/s", "m3/s"}, Carried: "m/s",
	}
	if name != "" {
		t.Name, t.Content, t.Number, t.Cycles = name, name, "sherwood_"+name, name
	}
	return t
}
