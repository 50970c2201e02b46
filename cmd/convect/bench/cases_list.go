package bench

import (
	"fmt"
	"math"
	"strings"
)

// ordinary is a row of bench cases: how its case file differs from that of the closed box. Texts are put behind what stands there in the same section.
type ordinary struct {
	name    string
	full    [3]int // cells beside a closed box of fullCells along each axis; none: as the box
	odd     bool   // the numbers of cells are odd on any grid
	section bool   // 2-D: there are no cells along y
	large   bool   // more nodes than the others have: on a processor it runs only where it is named
	drawn   bool   // its permeability is a file
	grading string
	physics string
	bottom  string
	top     string
	sides   string
	beside  string // of the initial state: how a scalar beside the temperature starts
	solver  string
}

// The closed box, with which the others are compared, and its cells along each axis to which the other grids belong.
const (
	closedBox = "closed"
	fullCells = 256
)

// sectionCells are the cells of a section in 2-D, four times as wide as high.
var sectionCells = [3]int{4096, 0, 1024}

// The grid on which flow develops: coarser by this, but of so many cells or all.
const (
	developBy    = 4
	developCells = 16
)

// mediumFile is the file of a permeability, beside the case.
const mediumFile = "medium.h5"

// ordinaryCases are the rows, the closed box first.
func ordinaryCases() []ordinary {
	const thin, directions = "[{top: 0.45, value: 1}, {top: 0.5, value: 0.001}, {top: 1, value: 1}]",
		"[{top: 0.4, value: [1, 1, 0.1]}, {top: 0.5, value: [0.1, 0.2, 0.01]}, {top: 1, value: [2, 1, 0.5]}]"
	lognormal := fmt.Sprintf(", permeability: {lognormal: {variance: %g, correlation: %g, seed: 5}}", drawnVariance, drawnCorrelation)
	return []ordinary{
		{name: closedBox},
		{name: "slab", full: [3]int{300, 300, 180}},
		{name: "flat", full: [3]int{600, 600, 50}},
		{name: "decimal", full: [3]int{250, 250, 250}},
		{name: "odd", full: [3]int{251, 257, 263}, odd: true},
		{name: "strip", full: [3]int{97, 1025, 33}, odd: true},
		{name: "flat-large", full: [3]int{1000, 1000, 100}, large: true},
		{name: "layers", physics: ", permeability: {layers: " + thin + "}"},
		{name: "layers-xyz", physics: ", permeability: {layers: " + directions + "}"},
		{name: "lognormal", physics: lognormal},
		{name: "lognormal-xyz", physics: ", permeability: {file: " + mediumFile + "}", drawn: true},
		{name: "viscosity", physics: `, viscosity: "exp(-1.5*T)"`},
		{name: "graded-z", grading: "z: {ratio: 4, cluster: both}"},
		{name: "graded-all", grading: "x: {ratio: 10, cluster: both}, y: {ratio: 10, cluster: both}, z: {ratio: 10, cluster: both}"},
		{name: "open-top", top: ", flow: open"},
		{name: "periodic", sides: ", left: periodic, right: periodic, front: periodic, back: periodic"},
		{name: "27-points", solver: ", stencil: 27"},
		{name: "27-graded", grading: "z: {ratio: 4, cluster: both}", solver: ", stencil: 27"},
		{name: "27-lognormal", physics: lognormal, solver: ", stencil: 27"},
		{name: "2-D", full: sectionCells, section: true},
		{name: "2-D-lognormal", full: sectionCells, section: true, physics: lognormal},
		{name: "weno5", solver: ", transport: weno5"},
		{name: "dispersion", physics: ", dispersion: {longitudinal: 0.02, transverse: 0.002}"},
		{name: "solute", physics: ", solute: {buoyancy_ratio: 0.1, lewis: 10}", bottom: ", concentration: 1", top: ", concentration: 0", beside: ", concentration: %s"},
		{name: "tracer", physics: ", tracers: {dye: {lewis: 10}}", bottom: ", tracers: {dye: {concentration: 1}}", top: ", tracers: {dye: {concentration: 0}}",
			beside: ", tracers: {dye: %s}"},
	}
}

// axes returns what a case file says of the axes that a grid has, which in 2-D are x and z.
func axes[T any](of [3]T, section bool) []T {
	if section {
		return []T{of[0], of[2]}
	}
	return of[:]
}

// cellsText writes numbers of cells, 0 along an axis that there is not.
func cellsText(cells [3]int) string { return sizeText(axes(cells, cells[1] == 0)) }

// list writes numbers as a case file has them.
func list[T any](format string, of []T) string {
	words := make([]string, len(of))
	for n, v := range of {
		words[n] = fmt.Sprintf(format, v)
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// cells returns the numbers of cells beside a closed box of so many along each axis.
func (c *ordinary) cells(box int) (cells [3]int) {
	for d, n := range c.full {
		if c.section && d == 1 {
			continue
		}
		if n == 0 {
			n = fullCells
		}
		cells[d] = max(3, int(math.Round(float64(n)*float64(box)/fullCells)))
		if c.odd {
			cells[d] |= 1
		}
	}
	return cells
}

// coarser returns the numbers of cells of the grid on which the flow of a case develops: where there are many, a quarter.
func coarser(cells [3]int) [3]int {
	for d, n := range cells {
		cells[d] = min(n, max(n/developBy, developCells))
	}
	return cells
}

// text returns the case file on so many cells of a box of the proportions of shape, from noise or from a snapshot.
func (c *ordinary) text(cells, shape [3]int, precision, snapshot string) string {
	size := [3]float64{1, 1, 1}
	for d := range size {
		size[d] = float64(shape[d]) / float64(shape[2])
	}
	initial, start := fmt.Sprintf("perturbation: {mode: [%.0f, %.0f, 1], amplitude: 0.25, noise: 0.02, seed: 3}", math.Ceil(2*size[0]), math.Ceil(2*size[1])), "diffusion"
	if snapshot != "" {
		start = fmt.Sprintf("{file: %q}", snapshot)
		initial = "temperature: " + start
	}
	if c.beside != "" {
		initial += fmt.Sprintf(c.beside, start)
	}
	return fmt.Sprintf(`title: %s
grid: {cells: %s, size: %s, grading: {%s}}
physics: {rayleigh: 2000%s}
boundaries: {bottom: {temperature: 1%s}, top: {temperature: 0%s}%s}
initial: {%s}
time: {end: 1000}
solver: {precision: %s%s}
`, c.name, list("%d", axes(cells, c.section)), list("%.17g", axes(size, c.section)), c.grading, c.physics, c.bottom, c.top, c.sides, initial, precision, c.solver)
}
