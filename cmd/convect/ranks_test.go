package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"convect/kernels/ranks"
)

// slabCase is a box in 3-D with walls that are left to tests.
const slabCase = `title: Slabs
grid: {cells: [12, 24, 8], size: [1.5, 3, 1]GRID}
physics: {rayleigh: 300PHYSICS}
boundaries: {bottom: {temperature: 1BOTTOM}, top: {temperature: 0TOP}WALLS}
initial: {perturbation: {mode: [1, 2, 1], amplitude: 0.1}INITIAL}
time: {end: 0.006, first_step: 0.0005, max_step: 0.001}
output: {every: {time: 0.003}}
MORE`

// slabCases are what is done to slabCase.
var slabCases = []struct {
	name  string
	words []string
}{
	{"constant", nil},
	{"periodic", []string{"WALLS", ", front: periodic, back: periodic"}},
	{"periodic-xy", []string{"WALLS", ", front: periodic, back: periodic, left: periodic, right: periodic"}},
	{"graded", []string{"GRID", ", grading: {y: {cluster: both, ratio: 4}, z: {cluster: both, ratio: 3}}"}},
	{"odd", []string{"[12, 24, 8]", "[11, 23, 9]"}},
	{"thin", []string{"[12, 24, 8]", "[4, 36, 5]"}},
	{"log-normal", []string{"PHYSICS", ", permeability: {lognormal: {variance: 2, correlation: [0.3, 0.3, 0.2], seed: 3}}",
		"end: 0.006", "end: 0.0015", "time: 0.003", "time: 0.00075"}}, // it is fast in places, and takes 30 steps where others take six
	{"layers", []string{"PHYSICS", ", permeability: {layers: [{top: 0.4, value: 1}, {top: 0.6, value: 0.01}, {top: 1, value: [3, 2, 1]}]}"}},
	{"open-top", []string{"TOP", ", flow: open"}},
	{"open-sides", []string{"WALLS", ", front: {flow: {pressure: 1}, inflow_temperature: 0.2}, back: {flow: open}"}},
	{"27-points", []string{"MORE", "solver: {stencil: 27}\n"}},
	{"weno5", []string{"MORE", "solver: {transport: weno5}\n"}},
	{"float64", []string{"MORE", "solver: {precision: float64}\n"}},
	{"float32", []string{"MORE", "solver: {precision: float32}\n"}},
	{"viscosity", []string{"PHYSICS", `, viscosity: "exp(-1.5*T)"`}},
	{"salt", []string{"PHYSICS", `, solute: {buoyancy_ratio: -0.5, lewis: 5}`, "BOTTOM", ", concentration: 1", "TOP", ", concentration: 0"}},
	{"dispersion", []string{"PHYSICS", `, dispersion: {longitudinal: 0.02, transverse: 0.002}`}},
	{"wells", []string{"MORE", "wells:\n  - {name: in, at: [0.4, 0.6], from: 0.3, to: 0.7, rate: 0.1, temperature: 0.2}\n  - {name: out, at: [1.1, 2.3], from: 0.3, to: 0.7, rate: -0.1}\n"}},
	{"side-heat", []string{"WALLS", `, front: {temperature: "0.5 + 0.1*sin(300*t)"}, left: {heat_flux: "0.3*y"}`}},
	{"patch", []string{"WALLS", ", patches: [{wall: bottom, x: [0.3, 0.9], y: [0.7, 2.2], temperature: 2}, {wall: back, x: [0.2, 1], z: [0.2, 0.6], flow: open}, {wall: left, y: [1, 2], z: [0, 0.5], flow: {velocity: 1}, inflow_temperature: 0.4}]"}},
	{"tracer", []string{"PHYSICS", ", tracers: {dye: {lewis: 20}}", "BOTTOM", ", tracers: {dye: {concentration: 1}}"}},
	{"multigrid", []string{"MORE", "solver: {pressure: {method: multigrid, smoother: red-black}}\n"}},
	{"direct", []string{"[12, 24, 8]", "[12, 32, 10]", "MORE", "solver: {pressure: {method: direct}}\n"}}, // several GPUs solve along y
	{"between", []string{"[12, 24, 8]", "[18, 32, 18]"}}, // a level with as many rows as the finer one, whose coarse nodes lie between fine ones along z
	{"w-cycle", []string{"MORE", "solver: {pressure: {method: multigrid, cycle: W, smoother: chebyshev}}\n"}},
	{"lines", []string{"MORE", "solver: {pressure: {smoother: line}}\n", "GRID", ", grading: {z: {cluster: both, ratio: 8}}"}},
	{"fmg", []string{"MORE", "solver: {pressure: {cycle: FMG}}\n"}},
	{"flat", []string{"[12, 24, 8], size: [1.5, 3, 1]", "[24, 8], size: [3, 1]", "[1, 2, 1]", "[2, 1]"}},
}

// withRanks shares grids of few rows out too, and makes ghosts that are not right NaN.
func withRanks(t *testing.T, o ranks.Options) {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(testRanks, string(text))
}

// A run on ranks has the bits of a run on one: rows of series.csv, profiles, snapshots and checkpoints.
func TestRanks(t *testing.T) {
	withRanks(t, ranks.Options{Rows: 2, Gather: -1, Poison: true})
	for n, c := range slabCases {
		if testing.Short() && n%6 != 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			text := strings.NewReplacer(append(c.words, "GRID", "", "PHYSICS", "", "BOTTOM", "", "TOP", "", "WALLS", "", "INITIAL", "", "MORE", "")...).Replace(slabCase)
			dir := writeCase(t, text)
			mustRun(t, dir, "run", "small.yaml", "--out", "one.out", "--device", "cpu", "--threads", "1")
			for _, size := range []int{2, 3} {
				out := fmt.Sprintf("%d.out", size)
				mustRun(t, dir, "run", "small.yaml", "--out", out, "--device", fmt.Sprintf("cpu:%d", size), "--threads", "1")
				sameEnd(t, directory(filepath.Join(dir, "one.out")), directory(filepath.Join(dir, out)))
			}
		})
	}
}
