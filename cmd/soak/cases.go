package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// pick returns one of several values.
func pick[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// drawn is a case and what is known of it.
type drawn struct {
	text  string
	every int64 // steps between checkpoints; 0: by time
}

// draw returns a case of some ten to two hundred steps.
func draw(r *rand.Rand) drawn {
	flat := r.IntN(4) > 0
	steps := 20 + r.IntN(120)
	step := math.Exp2(-9 - 3*r.Float64())
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("title: Soak")
	line("grid: %s", drawGrid(r, flat))
	more := drawMore(r, flat)
	line("physics: {rayleigh: %.4g%s%s}", math.Pow(10, 1+1.5*r.Float64()), drawMedium(r, flat), more.physics)
	line("boundaries: {bottom: {%s}, top: {%s}%s%s}", pick(r, "temperature: 1", "temperature: \"1 + 0.2*sin(200*t)\"", "heat_flux: 1"),
		pick(r, "temperature: 0", "temperature: 0, flow: open", "temperature: \"0.1*x\""), pick(r, "", "", ", sides: periodic"), more.boundaries)
	b.WriteString(more.wells)
	line("initial: {perturbation: %s}", pick(r, "{noise: 0.05, seed: 3}", "{mode: [1, 0, 1], amplitude: 0.1}"))
	line("time: {end: %.6g, max_step: %.6g, first_step: %.6g%s}", step*float64(steps), step, step/4, pick(r, "", "", ", steady: 1e-3"))
	line("output: {every: %s, precision: %s%s}", pick(r, fmt.Sprintf("{steps: %d}", 1+r.IntN(40)), fmt.Sprintf("{time: %.6g}", step*(1+20*r.Float64()))),
		pick(r, "float32", "float64"), pick(r, "", ", compress: true")+drawMeasures(r, flat, step, steps))
	c := drawn{every: int64(1 + r.IntN(30))}
	due := fmt.Sprintf("{steps: %d}", c.every)
	if r.IntN(4) == 0 {
		c.every, due = 0, pick(r, fmt.Sprintf("{time: %.6g}", step*(1+20*r.Float64())), "20ms")
	}
	line("checkpoint: {every: %s, keep: %d}", due, 1+r.IntN(3))
	line("solver: {precision: %s, transport: %s, stencil: %d}", pick(r, "mixed", "float64", "float32"), pick(r, "tvd", "weno5", "central"), pick(r, 7, 7, 27))
	c.text = b.String()
	return c
}

// drawMeasures returns what half of the cases measure besides: probes, slices and averages.
func drawMeasures(r *rand.Rand, flat bool, step float64, steps int) string {
	if r.IntN(2) == 0 {
		return ""
	}
	at, over := "[0.3, 0.4, 0.6]", "[time, x, y]"
	if flat {
		at, over = "[0.3, 0.6]", "[time, x]"
	}
	every := func() string {
		return pick(r, fmt.Sprintf("{steps: %d}", 1+r.IntN(20)), fmt.Sprintf("{time: %.6g}", step*(1+10*r.Float64())))
	}
	return fmt.Sprintf(", probes: [{name: well, at: %s, every: %s}], slices: [{name: level, z: 0.3, fields: [temperature], every: %s}]"+
		", averages: [{name: late, from: %.6g, over: %s, fluctuations: true}, {name: parts, fields: [velocity], every: %s}]",
		at, every(), every(), step*float64(steps)*(0.1+0.5*r.Float64()), over, every())
}

func drawGrid(r *rand.Rand, flat bool) string {
	cells := fmt.Sprintf("[%d, %d, %d]", 4+2*r.IntN(5), 4+2*r.IntN(4), 4+2*r.IntN(5))
	size := "[1, 0.8, 1]"
	if flat {
		cells, size = fmt.Sprintf("[%d, %d]", 8+r.IntN(24), 8+r.IntN(24)), pick(r, "[1, 1]", "[2, 1]")
	}
	return fmt.Sprintf("{cells: %s, size: %s%s}", cells, size, pick(r, "", "", ", grading: {z: {cluster: low, ratio: 3}}"))
}

// more is what a third of the cases has besides: a solute, a tracer, dispersion, a patch, and two wells of rates that vary in time and close.
type more struct{ physics, boundaries, wells string }

func drawMore(r *rand.Rand, flat bool) (m more) {
	if r.IntN(3) > 0 {
		return m
	}
	from, to := "[0.3, 0.2, 0.42]", "[0.7, 0.5, 0.6]"
	if flat {
		from, to = "[0.3, 0.42]", "[0.7, 0.6]"
	}
	m.physics = ", porosity: 0.3, heat_capacity_ratio: 1.1, " + pick(r, "", "dispersion: {longitudinal: 0.02, transverse: 0.005}, ") +
		"solute: {buoyancy_ratio: -0.3, lewis: 4, decay: 2}, tracers: {dye: {lewis: 3, decay: 1}}"
	m.boundaries = pick(r, "", ", patches: [{wall: bottom, x: [0.25, 0.5], temperature: 1.2, concentration: 0.5, tracers: {dye: {concentration: 1}}}]")
	if r.IntN(2) == 0 {
		const rate = "0.3 + 0.1*sin(300*t)"
		m.wells = fmt.Sprintf("wells: [{name: in, at: %s, rate: %s, temperature: 0.5, concentration: 0.2, tracers: {dye: {concentration: 1}}}, {name: out, at: %s, rate: -(%s)}]\n", from, rate, to, rate)
	}
	return m
}

func drawMedium(r *rand.Rand, flat bool) string {
	each := "[1, 0.5, 0.2]"
	if flat {
		each = "[1, 0.2]"
	}
	return pick(r, "", "", ", permeability: \"1 + 0.5*sin(3*x)\"", ", permeability: "+each, ", viscosity: exp(-T)", ", heat_source: 0.5")
}
