package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"convect/cmd/convect/casefile"
	"convect/kernels"
	"convect/physics"
	"convect/stencil"
)

func checkCommand() *command {
	var set []string
	f := newFlags("check")
	addSet(f, &set)
	device := f.String("device", "auto", "auto (the GPU with the most free memory, else the CPU), cpu, cuda, cuda:N, or several GPUs: cuda:0-3, cuda:0,2, cuda:all")
	plan := f.Bool("plan", false, "print which kernels a step runs, on each level of its solves, and why faster forms do not serve")
	threads := f.Int("threads", 0, "threads to measure with; 0: one for each core")
	size := f.Int("ranks", 0, "print how so many processes under mpirun share the case, and how well")
	return &command{
		name: "check", arguments: "CASE", summary: "validate a case and estimate its cost", least: 1, most: 1, flags: f,
		text: `Validates a case and prints the Rayleigh number, the range of every property of the medium and what it makes of them
(local Rayleigh numbers, velocities), unknowns, memory, multigrid levels, the scales of diffusion and advection, an
estimate of the time that it takes, and warnings. It writes nothing. The estimate rests on a few steps that are
measured in memory, of the case itself or, where it is large, of the same case on a coarser grid.

--plan prints besides which kernels a step runs on the device, in each part of it and on each multigrid level. Where a
faster form does not serve the reason stands behind, as that the widths of an axis differ, or that a patch fixes a part
of a wall alone.

--ranks N prints which rows of y each of N processes under mpirun has, with the memory that it takes, what they send
each other in a step, and the efficiency that is to be expected.`,
		examples: []string{"convect check cube.yaml --plan", "convect check cube.yaml --ranks 8", "convect check square.yaml", "convect check square.yaml --set 'grid.cells=[512, 512]'"},
		exits:    []int{exitDone, exitFailed, exitUsage},
		run: func(e *environment, args []string) error {
			c, err := loadCase(args[0], set)
			if err != nil {
				return err
			}
			if *size < 0 {
				return usage("--ranks %d: accepted are 1 and above", *size)
			}
			name, why, err := e.gpus.forCase(*device, c)
			if err != nil {
				return err
			}
			if why != "" {
				fmt.Fprintf(e.out, "  %-12s %s\n", "device", why)
			}
			dev, err := e.open(name, *threads)
			if err != nil {
				return err
			}
			defer dev.Close()
			t, err := check(e.out, dev, c, c.With)
			if err == nil && *size > 0 {
				err = checkRanks(e.out, c, t, dev.Info(), *size, e.ranks)
			}
			if err != nil || !*plan {
				return err
			}
			return checkPlan(e.out, dev, c)
		},
	}
}

// check prints what is to know about a case before it is run, and returns the trial that tells it. reload reads it again with more overrides.
func check(w io.Writer, dev kernels.Device, c *casefile.Case, reload reloader) (*trial, error) {
	hierarchy, notes := "not built for so many nodes", []string{}
	if err := checkReading(dev, c, false); err != nil {
		return nil, err
	}
	built := memoryFloor(c) <= roomOn(dev.Info()).free
	if built {
		if err := c.Build(casefile.BuildOptions{}); err != nil { // the files and values of the case itself
			return nil, err
		}
	}
	trial, err := measure(dev, c, reload)
	if err != nil {
		return nil, err
	}
	if built && c.Nodes() <= levelNodes {
		if hierarchy, notes, err = levels(dev, c, trial.method); err != nil {
			return nil, err
		}
	}
	nodes := c.Nodes()
	fmt.Fprintf(w, "%s: %s\n", c.Path, c.Title)
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "  %-12s %s\n", label, fmt.Sprintf(format, args...))
	}
	line("Ra", "%.6g", c.Parameters.Rayleigh)
	printLightness(w, c, trial.fluid)
	if built {
		m := newMedium(c, trial.fluid, trial.beside).heated(c, trial.flux, trial.source)
		m.print(w, c)
		notes = append(notes, absurdities(c, m)...)
	}
	line("grid", "%s cells, %.9g nodes, cell %s", cellsText(c.Extent().Cells), nodes, cellSize(c))
	if built {
		if err := printWells(w, dev, c); err != nil {
			return nil, err
		}
	}
	for _, read := range c.FilesRead() {
		line("file", "%s: %s", read.Key, read.Text)
	}
	unknowns := append([]string{"pressure"}, scalarNames(c)...)
	line("unknowns", "%.9g (%s on each node), %s", float64(len(unknowns))*nodes, inWords(unknowns), physics.PrecisionName(c.Parameters.Precision, c.Parameters.Mixed))
	info := dev.Info()
	memory, host := trial.memory.need(info, c.Extent().Cells)
	line("memory", "%s%s on %s; %s", perNode(memory, nodes), bytesText(memory), info.Name, roomOn(info).words())
	if host > 0 {
		line("", "and %s on the host while a checkpoint is written", bytesText(host))
	}
	line("multigrid", "%s", hierarchy)
	printScales(w, c, trial)
	printDispersion(w, c, trial.drive)
	steps := trial.steps
	line("steps", "about %s%s, if the velocity stays below %s", roundText(steps), earlier(c), velocityText(trial.speed*c.Scales.Velocity, c.Scales))
	line("time", "about %s on %s (%s)", durationText(steps*trial.seconds*nodes/trial.nodes), threadsText(info), trial.how)
	if err := trial.memory.memoryError(c, info); err != nil {
		notes = append(notes, err.Error())
	}
	outlook, unwanted := outlookText(c, trial.outlook)
	if unwanted {
		notes = append(notes, outlook)
	} else if outlook != "" {
		line("note", "%s", outlook)
	}
	for _, text := range append(notes, warnings(c, trial)...) {
		line("warning", "%s", text)
	}
	return trial, nil
}

// scalarNames lists what is transported in a case.
func scalarNames(c *casefile.Case) []string {
	var names []string
	for _, of := range c.Parameters.Transported() {
		names = append(names, of.Name)
	}
	return names
}

// inWords lists names with "and" before the last.
func inWords(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// perNode prints how much memory a node takes, where there are so many that the program itself does not count.
func perNode(memory, nodes float64) string {
	if nodes < 1e5 {
		return ""
	}
	return fmt.Sprintf("%.0f bytes a node, ", memory/nodes)
}

// threadsText names what a device runs on.
func threadsText(i kernels.Info) string {
	if deviceFamily(i.Name) == "cpu" {
		return countText(i.Threads, "thread")
	}
	return fmt.Sprintf("%s (%s)", i.Name, i.Description)
}

// earlier says that a run may end before its end.
func earlier(c *casefile.Case) string {
	if c.Controls.Steady > 0 {
		return " (fewer where it gets steady)"
	}
	return ""
}

// printScales prints the scales of time and speed.
func printScales(w io.Writer, c *casefile.Case, t *trial) {
	s, least := c.Scales, leastWidth(c)
	all := c.Parameters.Carried()
	for n, of := range all {
		label, name := "", ""
		if n == 0 {
			label = "diffusion"
		}
		if len(all) > 1 {
			name = " of the " + of.Name
		}
		time := of.Capacity.Max() / of.Diffusivity.Max()
		fmt.Fprintf(w, "  %-12s %s over the unit of length, %s across a cell%s\n", label, s.TimeText(time, 3), s.TimeText(least*least*time, 3), name)
	}
	if t.drive > 0 {
		fmt.Fprintf(w, "  %-12s typical velocity %s: %s over the unit of length, %s across a cell\n", "advection",
			velocityText(t.drive*s.Velocity, s), s.TimeText(t.capacity/t.drive, 3), s.TimeText(t.capacity*least/t.drive, 3))
	}
	largest, follows := "without a bound", ""
	if !math.IsInf(t.controls.MaxStep, 1) {
		largest = s.TimeText(t.controls.MaxStep, 3)
	}
	if t.follows {
		follows = ", less where walls, wells, the heat source or the heat loss vary in time"
	}
	fmt.Fprintf(w, "  %-12s first %s, largest %s%s\n", "step", s.TimeText(t.controls.FirstStep, 3), largest, follows)
}

// velocityText prints a velocity, one in SI units in one that a person reads too.
func velocityText(v float64, s physics.Scales) string {
	if s.VelocityUnit == "m/s" {
		return speedText(v)
	}
	return withUnit(v, s.VelocityUnit)
}

func withUnit(v float64, unit string) string { return fmt.Sprintf("%.3g%s", v, unitSuffix(unit)) }

// leastWidth returns the smallest width of a cell, nondimensional.
func leastWidth(c *casefile.Case) float64 {
	least := math.Inf(1)
	for d := range 3 {
		for _, h := range c.Extent().Widths(d) {
			least = math.Min(least, h)
		}
	}
	return least
}

// cellSize prints the widths of a cell, from the least to the greatest along a graded axis.
func cellSize(c *casefile.Case) string {
	var widths []string
	for d := range 3 {
		h := c.Extent().Widths(d)
		switch {
		case len(h) == 0:
		case c.Extent().Grading[d].Cluster == stencil.Even:
			widths = append(widths, fmt.Sprintf("%.3g", h[0]*c.Scales.Length))
		default:
			widths = append(widths, fmt.Sprintf("%.3g…%.3g", slices.Min(h)*c.Scales.Length, slices.Max(h)*c.Scales.Length))
		}
	}
	return strings.Join(widths, " × ") + unitSuffix(c.Scales.LengthUnit)
}

// roundText prints a count with two digits.
func roundText(n float64) string {
	const most = 1e7
	if digit := math.Pow10(max(0, int(math.Log10(math.Max(n, 1)))-1)); n < most {
		return fmt.Sprintf("%.0f", math.Round(n/digit)*digit)
	}
	return fmt.Sprintf("%.2g", n)
}

// durationText prints a time in seconds in words that fit its size.
func durationText(seconds float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{365.25 * 86400, "years"}, {86400, "days"}, {3600, "hours"}, {60, "minutes"}} {
		if seconds >= 2*u.size {
			return fmt.Sprintf("%.2g %s", seconds/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.2g seconds", seconds)
}

// warnings lists what is legal but likely not wanted.
func warnings(c *casefile.Case, t *trial) []string {
	var out []string
	if o := c.Controls.Output; o.Interval == 0 && o.Steps == 0 && len(o.Times) == 0 {
		when := "snapshots of the start and the end alone"
		if c.Output.Scheduled {
			when = "no snapshots"
		}
		out = append(out, "output.every is not given: there will be "+when)
	}
	out = append(out, c.Warnings()...)
	out = append(out, maxStepWarnings(c, t.buoyant)...)
	out = append(out, dispersionWarnings(c, t.drive)...)
	out = append(out, lawWarnings(c, t.fluid)...)
	return append(out, resolutionWarnings(c, t.drive)...)
}

// typical returns the mean of a material over cells and directions.
func typical(m physics.Material) float64 {
	if !m.Varies() {
		return (m.Constant[0] + m.Constant[1] + m.Constant[2]) / 3
	}
	sum, n := 0.0, 0
	for _, cells := range m.Cells {
		for _, k := range cells {
			sum += k
		}
		n += len(cells)
	}
	return sum / float64(n)
}
