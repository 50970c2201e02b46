package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func initCommand() *command {
	f := newFlags("init")
	force := f.Bool("force", false, "overwrite a file that is there")
	of := f.String("template", "keys", "what to begin with: "+strings.Join(templateNames(), ", "))
	return &command{
		name: "init", arguments: "[NAME]", summary: "write a commented case file", most: 1, flags: f,
		text: `Writes a case file with comments that explain every key and show its alternatives: NAME.yaml, or NAME itself where it
ends in .yaml or .yml; case.yaml without a NAME. It runs as it is: a square cell heated from below. The other templates
are cases to begin with, most in SI units:

  water       a geothermal doublet in a sandstone: density and viscosity of water between 10 and 90 °C
  seawater    sea water under a coastal aquifer: salt as a solute, at one temperature
  brine       CO₂ that dissolves into the brine of a saline aquifer
  geothermal  a field above an intrusion, with clay cap, fault and springs
  co2         CO₂ that dissolves into brine, in numbers without units
  insulation  air in the insulation of a wall
  henry       the sea enters an aquifer, in numbers without units
  sweep       a case with many values: NAME.yaml for 'convect sweep', and NAME-case.yaml, its case`,
		examples: []string{"convect init mine", "convect init runs/mine/case.yaml", "convect init coast --template seawater"},
		exits:    []int{exitDone, exitFailed, exitUsage},
		run: func(e *environment, args []string) error {
			name := "case"
			if len(args) > 0 {
				name = args[0]
			}
			if ext := filepath.Ext(name); ext != ".yaml" && ext != ".yml" {
				name += ".yaml"
			}
			text, err := templateOf(*of)
			if err != nil {
				return err
			}
			if *of == sweepTemplate {
				return writeSweep(e, name, text, *force)
			}
			if err := writeTemplate(name, text, *force); err != nil {
				return err
			}
			_, err = fmt.Fprintf(e.out, "wrote %s; next: convect check %s, convect run %s\n", name, name, name)
			return err
		},
	}
}

// templates are the case files of init that are cases of their own.
//
//go:embed templates/*.yaml
var templates embed.FS

// sweepTemplate is the template that is a sweep, with its case beside it.
const sweepTemplate = "sweep"

// templateNames lists what init can begin with.
func templateNames() []string {
	return []string{"keys", "water", "seawater", "brine", "geothermal", "co2", "insulation", "henry", sweepTemplate}
}

// templateOf returns the text of a template.
func templateOf(name string) (string, error) {
	if name == templateNames()[0] {
		return template, nil
	}
	if !slices.Contains(templateNames(), name) {
		return "", usage("there is no template %q; accepted: %s", name, strings.Join(templateNames(), ", "))
	}
	text, err := templates.ReadFile("templates/" + name + ".yaml")
	return string(text), err
}

// writeTemplate writes a case file.
func writeTemplate(path, text string, force bool) error {
	if dir := filepath.Dir(path); dir != "." {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	mode := os.O_CREATE | os.O_WRONLY | os.O_EXCL
	if force {
		mode = os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	}
	file, err := os.OpenFile(path, mode, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return usage("%s is there already: --force overwrites it", path)
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// writeSweep writes a sweep, and before it the case that it names.
func writeSweep(e *environment, path, text string, force bool) error {
	if _, err := os.Stat(path); err == nil && !force {
		return usage("%s is there already: --force overwrites it", path)
	}
	of, err := templates.ReadFile("templates/sweep-case.yaml")
	if err != nil {
		return err
	}
	ext := filepath.Ext(path)
	beside := strings.TrimSuffix(path, ext) + "-case" + ext
	if err := writeTemplate(beside, string(of), force); err != nil {
		return err
	}
	text = strings.Replace(text, "case: CASE ", fmt.Sprintf("case: %q ", filepath.Base(beside)), 1)
	if err := writeTemplate(path, text, force); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.out, "wrote %s and %s; next: convect sweep %s --dry-run, convect sweep %s\n", beside, path, path, path)
	return err
}

// template is the case file that init writes. A commented line with a key shows an alternative: it is right when its
// key is given that value (TestTemplate checks all of them).
const template = `# A case for convect. Only grid.cells, grid.size, physics.rayleigh (or dimensional) and time.end have to be given.
# Values are nondimensional: length H, time H²/κ, velocity κ/H, temperature ΔT; with physics.dimensional in place of rayleigh
# all are in SI units, and times take units (6 h, 30 d, 10000 yr). Where a field or wall value is a number, an expression in x, y, z (and t on walls) may stand: "sin(pi*x)",
# "x < 0.5 ? 1 : 0", with sin cos tan tanh exp log sqrt erf erfc abs min max pow. Lines that start with # and a key are
# alternatives or options. Every key is explained in docs/case-file.md.

title: Square cell heated from below

grid:
  cells: [64, 64]                # 2-D: [x, z]; 3-D: [x, y, z]; powers of two times a small number are fastest
  size: [1, 1]
  # cells: [65, 33]              # any number works
  # grading: {z: {cluster: both, ratio: 4}}                       # narrow cells at low, high or both ends; largest over smallest
# grid: {cells: [32, 32, 32], size: [1, 1, 1]}                    # 3-D

physics:
  rayleigh: 100                  # may be negative: what is warm is dense
  # dimensional: {permeability: 1e-14, viscosity: 2e-4, density: 950, expansivity: 8e-4, temperature_difference: 200, height: 1000, conductivity: 2.5, heat_capacity: 4200, porosity: 0.1, rock_density: 2600, rock_heat_capacity: 840, gravity: 9.81}
  # dimensional with a solute takes besides: haline_contraction 7.6e-4 (above 0: denser), solute_difference 35, solute_diffusivity 3e-10 (of the whole medium)
  # density: 1000 - 7e-3*(T - 4)^2                                # with dimensional, kg/m³, in place of expansivity and haline_contraction; with a solute S may stand beside T
  # permeability: 1              # relative to the reference, above 0; with dimensional in m²
  # permeability: [1, 0.1]       # by axis: [x, z], [x, y, z]
  # permeability: exp(-3*z)      # at the centres of cells
  # permeability: {layers: [{top: 0.3, value: 0.01}, {top: 1, value: [2, 1]}]}              # from the bottom up
  # permeability: {lognormal: {mean_log: 0, variance: 1, correlation: [0.2, 0.05], seed: 1}}
  # permeability: {file: k.h5, dataset: /k}                       # HDF5 or NetCDF-4 with coordinates x, y, z on any grid, or one value a cell
  # permeability: [{file: k.csv, column: kx}, {file: k.csv, column: kz}]                    # a table with the columns x, z or z alone
  # heat_capacity_ratio: 1       # of the medium over that of the fluid; for a dissolved substance the porosity
  # heat_capacity_ratio: 0.3 + 0.1*x
  # porosity: 0.3 + 0.1*z/1000   # with dimensional: from 0 to 1; with the rock it makes heat_capacity_ratio
  # viscosity: 1                 # relative to the reference, above 0; with dimensional in Pa s
  # viscosity: 1 + z             # at the centres of cells
  # viscosity: exp(-2*T)         # of the temperature
  # viscosity: (1 + z)*exp(-2*T) # a product of both; with a solute S may stand beside T
  # buoyancy: (T - 0.25)^2       # b of the buoyancy Ra b, in T and with a solute S, in place of T + N S
  # diffusivity: 1               # relative to the reference, above 0
  # diffusivity: [1, 2]
  # conductivity: 2.5            # in its place with dimensional, in W/(m K)
  heat_source: 0
  # heat_source: exp(-((x - 0.5)^2 + (z - 0.5)^2)/0.01)
  # heat_source: {file: q.csv, column: q}                         # so may porosity, viscosity, diffusivity, conductivity
  # dispersion: {longitudinal: 0.02, transverse: 0.002}           # lengths by which the flow spreads heat and solutes along it and across it; with dimensional in m
  # dispersion: {concentration: {longitudinal: 0.02, transverse: 0.002}}                   # of what is named alone: temperature, concentration, tracers
  # heat_loss: {coefficient: 20, ambient: 0}                      # to surroundings all over the volume; both may be expressions, or tables in time
  # solute: {buoyancy_ratio: -0.5, lewis: 10}                     # beside heat: its buoyancy over the buoyancy of heat, below 0 for salt and CO₂
  # solute: {buoyancy_ratio: 0, lewis: 1, retardation: 1.5, decay: 10, source: exp(-10*z)}
  # tracers: {age: {lewis: 1, source: 1}, dye: {diffusivity: 0.02}}   # carried along by name; walls and initial have a section tracers too

boundaries:                      # left right (x), front back (y), bottom top (z); sides: all but bottom and top
  bottom: {temperature: 1, flow: closed}
  # bottom: {heat_flux: 1}       # into the domain
  # top: {heat_transfer: {coefficient: 10, ambient: 0}}           # into the domain: coefficient (ambient - T)
  # bottom: {temperature: "0.5 + 0.5*tanh(100*t)"}
  top: {temperature: 0, flow: closed}
  # top: {heat_flux: 0, flow: open, inflow_temperature: 0}        # hydrostatic outside
  # top: {temperature: 0, flow: {pressure: 0}}
  sides: {heat_flux: 0, flow: closed}
  # sides: periodic
  # left: {flow: {velocity: 1}, inflow_temperature: 0}            # with right: inward velocities add up to nothing
  # right: {flow: {pressure: 0}, inflow_temperature: 0}
  # patches: [{wall: top, x: [0.25, 0.75], temperature: 1}]       # parts of walls, later ones win

# Wells are points, or vertical lines from … to. A rate above 0 is injected, below 0 produced: a number, an expression in t or a table in time.
# wells: [{name: injector, at: [0.25, 0.5], rate: 10, temperature: 0.2}, {name: producer, at: [0.75], from: 0.3, to: 0.7, rate: -10}]
# wells: [{name: injector, at: [0.25, 0.5], rate: 10, temperature: 0.2}, {name: producer, at: [0.75, 0.5], pressure: -5, radius: 1e-3, temperature: 0, limits: [-20, 0]}]

initial:
  temperature: conduction        # the steady state of conduction alone
  # temperature: 0
  # temperature: 1 - z + 0.1*cos(pi*x)*sin(pi*z)
  # temperature: {file: old.out/checkpoints/ckpt_000100.h5}       # a snapshot or checkpoint, on any grid; or a file of your own
  perturbation: {mode: [1, 0, 1], amplitude: 0.1}                 # half waves by axis
  # perturbation: {noise: 0.001, seed: 1}

time:
  end: 1
  cfl: 0.5
  # first_step: 1e-5
  # max_step: 1e-2
  # steady: 1e-6                 # stop when nothing changes by more than this any more

solver:
  stencil: 7                     # finite volumes
  # stencil: 27                  # trilinear finite elements
  transport: tvd
  # transport: weno5             # fifth order where the flow is smooth, at more work a step
  # transport: central           # exact balances, but wiggles where the grid is coarse
  precision: mixed               # fields of float64, solved by cycles in float32
  # precision: float64
  # precision: float32           # half the memory and time; a tolerance that knows its rounding
  pressure: {tolerance: 1e-8}
  # pressure: {method: cg, tolerance: 1e-8, cycle: FMG, smoother: chebyshev, pre: 2, post: 2, max_iterations: 100}

output:
  every: {time: 0.05}
  # every: {steps: 10}
  # every: {times: [0.1, 0.5, 1]}
  fields: [temperature, pressure, velocity]                       # with a solute concentration too; on request streamfunction, heat_flux, divergence, permeability
  precision: float32
  # precision: float64
  compress: false
  # compress: true
  # probes: [{name: well, at: [0.5, 0.2], fields: [temperature], every: {time: 1e-3}}]                           # values at points, into probes/well.csv
  # slices: [{name: middle, z: 0.5, fields: [temperature], every: {time: 5e-3}}]                                 # fields on planes, in 2-D on lines
  # averages: [{name: plateau, from: 0.5, to: 1, over: [time, x], fields: [temperature], fluctuations: true}]    # means over time, and over axes

checkpoint:
  every: 10m                     # wall time
  # every: {time: 0.5}
  # every: {steps: 1000}
  keep: 2
`
