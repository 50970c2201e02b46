package casefile

import (
	"slices"

	"convect/kernels"
	"convect/physics"
)

// maxMode bounds the wave number of a perturbation.
const maxMode = 1 << 16

// start is what the case says about how a scalar starts.
type start struct {
	value value
	field field
	file  *gridFile // nil: none
}

// isStart tells whether a file is that of a scalar's start.
func (c *Case) isStart(g *gridFile) bool {
	return slices.ContainsFunc(c.carried(), func(of carried) bool { return of.absent(c) == "" && of.start(c).file == g })
}

// decodeInitial reads how the scalars start.
func (c *Case) decodeInitial(v value) {
	s, _ := v.section()
	tracers := c.tracerSections(s)
	for _, of := range c.carried() {
		own := s
		if of.tracer {
			own = tracers
		}
		if v := own.get(of.name); !of.refused(c, v) {
			c.decodeStart(v, &of)
		}
		if of.perturbation == "" {
			continue
		}
		if p := s.get(of.perturbation); !of.refused(c, p) && p.given() {
			c.decodePerturbation(p, of.initial(c), of.unit(&c.Scales))
		}
	}
}

// decodeStart reads how a scalar starts: where nothing is said, the temperature from conduction, any other from 0.
func (c *Case) decodeStart(v value, of *carried) {
	in, start := of.initial(c), of.start(c)
	start.value = v
	accepted := of.steady + ", a number, an expression in x, y, z, or {file: …}"
	switch {
	case !v.given():
		in.Conduction = of.name == "temperature"
	case v.node.kind == scalar && v.node.text == of.steady:
		in.Conduction = true
	case v.node.kind == mapping:
		if start.file = c.gridFile(v, of.property(c)); start.file == nil {
			in.Conduction = true
		}
	case v.node.kind == scalar && Nearest(v.node.text, []string{of.steady}) != "":
		v.noneOf([]string{of.steady}, accepted)
	case v.node.kind == scalar:
		start.field = v.field(limit{anyNumber().ok, of.steady + ", {file: …}, a finite number"}, c.variables()...)
		in.Temperature = start.field.nondimensional(c.Scales, of.unit(&c.Scales))
	default:
		v.wrong(accepted)
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

// buildInitial evaluates what the starts need beside their expressions.
func (c *Case) buildInitial() error {
	for n, of := range c.carried() {
		if of.absent(c) != "" {
			continue
		}
		start, in := of.start(c), of.initial(c)
		switch file := start.file; {
		case file == nil:
			if start.field.value.given() {
				c.checkNodes(&start.field)
			}
		default:
			if kind, _ := kindOf(file.request.Path); c.uniform && (kind == "" || !file.plain()) {
				in.Temperature = c.betweenWalls(n, of.unit(&c.Scales))
				continue
			}
			nodes, err := c.readInitial(file, &of)
			if err != nil {
				return err
			}
			in.Nodes = nodes
		}
	}
	return nil
}

// betweenWalls is linear in z, over the range of the walls' values of the n-th scalar.
func (c *Case) betweenWalls(n int, unit float64) physics.Func {
	low, high := c.wallValues(n)
	if low > high {
		low, high = 0, 0
	}
	height := c.Parameters.Extent.Size[kernels.Z]
	return func(_, _, z, _ float64) float64 { return (high + (low-high)*z/height) / unit }
}
