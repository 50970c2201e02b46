package casefile

import (
	"convect/kernels"
	"convect/physics"
)

// maxMode bounds the wave number of a perturbation.
const maxMode = 1 << 16

// decodeInitial reads how the scalars start.
func (c *Case) decodeInitial(v value) {
	s, _ := v.section()
	for _, of := range allCarried() {
		if absent := of.absent(c); absent != "" {
			for _, key := range []string{of.start, of.perturbation} {
				if v := s.get(key); v.given() {
					v.refuse(absent, "there is no %s in this case", of.start)
				}
			}
			continue
		}
		of.decodeStart(c, s.get(of.start))
		if p := s.get(of.perturbation); p.given() {
			c.decodePerturbation(p, of.initial(c), of.unit(&c.Scales))
		}
	}
}

// decodeTemperature reads the starting temperature.
func (c *Case) decodeTemperature(t value) {
	in := &c.Parameters.Initial
	const accepted = "conduction, a number, an expression in x, y, z, or {file: …}"
	switch {
	case !t.given() || (t.node.kind == scalar && t.node.text == "conduction"):
		in.Conduction = true
	case t.node.kind == mapping:
		if c.plan.initialFile = c.gridFile(t, c.temperatureProperty()); c.plan.initialFile == nil {
			in.Conduction = true
		}
	case t.node.kind == scalar && Nearest(t.node.text, []string{"conduction"}) != "":
		t.noneOf([]string{"conduction"}, accepted)
	case t.node.kind == scalar:
		f := t.field(limit{anyNumber().ok, "conduction, {file: …}, a finite number"}, c.variables()...)
		in.Temperature = f.nondimensional(c.Scales, c.Scales.Temperature)
		c.plan.initial = f
	default:
		t.wrong(accepted)
	}
}

func (c *Case) decodePerturbation(v value, in *physics.Initial, unit float64) {
	s, ok := v.section()
	if !ok {
		return
	}
	mode, amplitude, noise, seed := s.get("mode"), s.get("amplitude"), s.get("noise"), s.get("seed")
	switch {
	case mode.given() != amplitude.given():
		v.refuse("mode and amplitude together", "mode and amplitude need each other")
	case seed.given() && !noise.given():
		seed.refuse("noise and seed", "there is no noise to seed")
	case mode.given():
		in.Amplitude, _ = amplitude.number(anyNumber())
		in.Amplitude /= unit
		items, ok := c.vector(mode, "half waves")
		for d, item := range items {
			if !ok || !item.given() {
				continue
			}
			m, _ := item.integer(0, maxMode)
			in.Mode[d] = int(m)
			if c.flat() && d == kernels.Y && m != 0 {
				item.refuse("0", "a 2-D case has no waves along y")
			}
		}
	case !noise.given():
		v.refuse("{mode: […], amplitude: …}, {noise: …, seed: …} or both", "the perturbation is empty")
	}
	if noise.given() {
		in.Noise, _ = noise.number(notNegative())
		in.Noise /= unit
		in.Seed = seed.integerOr(0, maxSeed, 1)
	}
}

// buildInitial evaluates what the start temperature needs beside its expression.
func (c *Case) buildInitial() error {
	c.buildConcentration()
	if c.plan.initialFile != nil {
		if kind, _ := kindOf(c.plan.initialFile.request.Path); c.uniform && (kind == "" || !c.plan.initialFile.plain()) {
			c.Parameters.Initial.Temperature = c.betweenWalls()
			return nil
		}
		nodes, err := c.readInitial()
		if err != nil {
			return err
		}
		c.Parameters.Initial.Nodes = nodes
		return nil
	}
	if c.plan.initial.value.given() {
		c.checkNodes(&c.plan.initial)
	}
	return nil
}

// betweenWalls is linear in z, over the range of the walls' temperatures.
func (c *Case) betweenWalls() physics.Func {
	low, high := c.wallTemperatures()
	if low > high {
		low, high = 0, 0
	}
	height, unit := c.Parameters.Extent.Size[kernels.Z], c.Scales.Temperature
	return func(_, _, z, _ float64) float64 { return (high + (low-high)*z/height) / unit }
}
