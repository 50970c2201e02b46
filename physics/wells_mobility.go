package physics

import (
	"math"
	"slices"

	"convect/kernels"
	"convect/stencil"
)

// Where the viscosity follows what is carried, the index of a connection is that of the mobility K/μ which the cells around it have in a step. The matrix R is found once, with μ = 1, so that it
// belongs to no state; each step begins with R_ij/√(f_i f_j), f the part of K that the connections have of it, and corrects it by what the pressure has answered (Broyden, Math. Comp. 19, 577, 1965).

// heldSolvesViscous bounds the solves of a step then, and heldNoise is the change of the rates, relative to their sum, below which the answer of the pressure is too rough to correct R by.
const (
	heldSolvesViscous = 40
	heldNoise         = 1e-5
)

// leg is what one layer of cells has of a connection: its index is this part times √(k_a k_b) over the resistance.
type leg struct {
	layer   int
	part    float64 // 2π times its length
	against resistance
}

// wellColumn is a column of the cells that hold a well, over all layers in 3-D, one cell in 2-D.
type wellColumn struct {
	stencil.Part
	values [2][]float64 // the mobility along both axes across the well
}

// follow finds the cells whose mobility the index of a well takes.
func (l *well) follow(g *stencil.Grid, axes [2]int, cellsA, cellsB []int) error {
	l.axes = axes
	for _, b := range cellsB {
		for _, a := range cellsA {
			low, n := [3]int{a, b, 0}, [3]int{1, 1, g.Cells[kernels.Z]}
			if g.Flat() {
				low, n = [3]int{a, 0, b}, [3]int{1, 1, 1}
			}
			part, err := g.Part(low, n)
			if err != nil {
				return err
			}
			l.columns = append(l.columns, wellColumn{Part: part, values: [2][]float64{make([]float64, part.Nodes()), make([]float64, part.Nodes())}})
		}
	}
	return nil
}

// renewIndices finds the indices of the connections for the present mobility, and what part they are of those with μ = 1.
func (w *wells) renewIndices(o *stencil.Operator) error {
	cells := o.Elliptic().Cells
	for _, l := range w.all {
		for i := range l.columns {
			for n, d := range l.axes {
				if err := l.columns[i].Download(l.columns[i].values[n], &stencil.Field{Grid: w.grid, Buffer: cells[d], Name: "mobility"}); err != nil {
					return err
				}
			}
		}
		for _, c := range l.connections {
			c.index = 0
			for _, leg := range c.legs {
				mean, ratio := l.mobility(leg.layer)
				c.index += leg.part * mean / leg.against.at(ratio)
			}
		}
	}
	return nil
}

// mobility is √(k_a k_b) of a layer now, of the means over the cells that hold the well, and their ratio k_b/k_a.
func (l *well) mobility(layer int) (mean, ratio float64) {
	along := [2]float64{}
	for i := range l.columns {
		for n := range along {
			along[n] += l.columns[i].values[n][layer] / float64(len(l.columns))
		}
	}
	return math.Sqrt(along[0] * along[1]), along[1] / along[0]
}

// prepareHeld finds, once, how the pressure answers to the rates of wells that hold one where μ is 1. It leaves the mobility to be renewed.
func (f *flow) prepareHeld() error {
	h := &f.wells.held
	if len(h.all) == 0 || h.base != nil {
		return nil
	}
	f.viscosity.neutral(f.pressure)
	if err := f.solver.Refresh(); err != nil {
		return err
	}
	room, rhs := f.scratch.borrow("room of the pressure solve"), f.scratch.borrow("pressure right side")
	defer f.scratch.giveBack(room)
	defer f.scratch.giveBack(rhs)
	f.solver.SetScratch(room)
	defer f.solver.SetScratch(nil)
	if err := f.respond(rhs); err != nil {
		return err
	}
	h.base, h.response = h.response, nil
	f.viscosity.tabulate()
	return nil
}

// beginHeld begins a step with the indices and the matrix of its mobility.
func (f *flow) beginHeld() error {
	h := &f.wells.held
	if f.viscosity == nil {
		return nil
	}
	if err := f.wells.renewIndices(f.mobility); err != nil {
		return err
	}
	if h.response == nil {
		h.response = make([][]float64, len(h.all))
		for j := range h.response {
			h.response[j] = make([]float64, len(h.all))
		}
	}
	for j, by := range h.all {
		for i, of := range h.all {
			h.response[j][i] = h.base[j][i] / math.Sqrt(by.index/by.plain*of.index/of.plain)
		}
	}
	return nil
}

// heldRounding is what the rounding of the pressure, a few units of its last place, makes of the rates, below which no correction of R brings them.
func (f *flow) heldRounding(means []float64) float64 {
	if f.viscosity == nil {
		return 0
	}
	const units = 16
	sum := 0.0
	for _, c := range f.wells.held.all {
		sum += c.index * (math.Abs(c.well.pressure) + math.Abs(means[c.place]))
	}
	return units * f.grid.Elem.Epsilon() * sum
}

// answer are the rates of a solve and the means of the pressure that it gave.
type answer struct{ rates, means []float64 }

// learn makes the matrix one that gives the change of the means which the change of the rates from the solve before has made, and returns the answer of this one.
func (h *heldWells) learn(last answer, means []float64) answer {
	now := answer{rates: make([]float64, len(h.all)), means: slices.Clone(means)}
	size := 0.0
	for _, c := range h.all {
		now.rates[c.place] = c.rate
		size += math.Abs(c.rate)
	}
	if last.rates == nil {
		return now
	}
	change, square, largest := make([]float64, len(h.all)), 0.0, 0.0
	for j := range change {
		change[j] = now.rates[j] - last.rates[j]
		square, largest = square+change[j]*change[j], math.Max(largest, math.Abs(change[j]))
	}
	if largest <= heldNoise*size {
		return now
	}
	for i := range means {
		off := now.means[i] - last.means[i]
		for j, q := range change {
			off -= h.response[j][i] * q
		}
		for j, q := range change {
			h.response[j][i] += off * q / square
		}
	}
	return now
}
