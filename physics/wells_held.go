package physics

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"convect/kernels"
	"convect/stencil"
)

// A well that holds a pressure is connected to the fluid at each height of its nodes, q = c (p_w - p̄), with p̄ the mean pressure by the weights of the well across and
// the well index c = 2π √(k_a k_b) L/(ln(r_o/r_w) + skin). The rates are implicit: the pressure of a step answers to the rates by a matrix that is found
// once, R_ij the rise of p̄_i by a unit of q_j, so that after a solve with the rates before, those that belong to the pressure are the solution of a small linear system, and a
// second solve with them is consistent. A well at a limit of its rate has an unknown pressure in place of an unknown rate.

// connection is one height of a well that holds a pressure.
type connection struct {
	well  *well
	nodes []connected
	z     float64
	index float64 // c
	plain float64 // c where μ is 1
	legs  []leg
	rate  float64 // belongs to the state
	name  string
	place int // among all connections
}

// connected is a node of a connection.
type connected struct {
	part, node int
	weight     float64 // in the connection
}

// heldWells are the connections of a model.
type heldWells struct {
	all      []*connection
	response [][]float64 // R; nil: not found yet
	base     [][]float64 // R where μ is 1 and the viscosity follows what is carried
	level    float64     // what is to add to the pressure of a closed box
	time     float64     // of the rates
}

// heldTolerance is the change of a rate, relative to the sum of all, that needs no further solve; heldSolves bounds these. Where nothing flows, it is relative to this part of what the
// pressures themselves would drive.
const (
	heldTolerance = 1e-7
	heldFloor     = 1e-2
	heldSolves    = 12
)

// hold makes the connections of a well that holds a pressure: one for each height of a line, one of a point in 2-D.
func (w *wells) hold(p *Parameters, l *well) error {
	g, of := w.grid, l.of
	axes := [2]int{kernels.X, kernels.Y}
	if g.Flat() {
		axes[1] = kernels.Z
	}
	if err := canHold(g, p, of, axes); err != nil {
		return err
	}
	if p.Viscosity != nil {
		_, cellsA := placeOn(g, axes[0], of.At[axes[0]])
		_, cellsB := placeOn(g, axes[1], of.At[axes[1]])
		if err := l.follow(g, axes, cellsA, cellsB); err != nil {
			return err
		}
	}
	if g.Flat() {
		return w.connect(p, l, axes, 0, of.At[kernels.Z], map[int]float64{0: 1})
	}
	lengths, z := lengthsOf(g, of.From, of.To), g.Coordinates(kernels.Z)
	for _, k := range slices.Sorted(maps.Keys(lengths)) {
		if err := w.connect(p, l, axes, k, z[k], lengths[k]); err != nil {
			return err
		}
	}
	return nil
}

// canHold refuses wells that cannot hold a pressure.
func canHold(g *stencil.Grid, p *Parameters, of *Well, axes [2]int) error {
	switch {
	case g.Flat() == of.Line:
		return errors.New("a vertical line in 3-D, or a point in 2-D, can hold a pressure")
	case of.bring(0) == nil:
		return errors.New("it holds a pressure, and the temperature of what it injects is not given")
	}
	for _, d := range axes {
		if !g.Periodic[d] && (of.At[d] < placeSlack || of.At[d] > g.Size[d]*(1-placeSlack)) {
			return errors.New("it holds a pressure and lies on a wall")
		}
	}
	return nil
}

// connect makes the connection of a well at the height z of node k, which has parts of its length in layers of cells.
func (w *wells) connect(p *Parameters, l *well, axes [2]int, k int, z float64, length map[int]float64) error {
	g, of := w.grid, l.of
	at := [2]float64{of.At[axes[0]], of.At[axes[1]]}
	_, cellsA := placeOn(g, axes[0], at[0])
	_, cellsB := placeOn(g, axes[1], at[1])
	c := &connection{well: l, z: z, name: fmt.Sprintf("well_%s_%d", of.Name, k), place: len(w.held.all)}
	signs := imageSigns(g, p, axes, of.At, z)
	for _, layer := range slices.Sorted(maps.Keys(length)) {
		ka, kb, least, most := meanAcross(g, &p.Permeability, axes, cellsA, cellsB, layer)
		if p.Viscosity == nil { // nothing moves the means
			least, most = kb/ka, kb/ka
		}
		against := newResistance(least, most, func(ratio float64) float64 {
			key := resistanceKey{ratio, signs}
			if known, ok := l.resistances[key]; ok {
				return known
			}
			radius := of.Radius * (math.Pow(ratio, 0.25) + math.Pow(ratio, -0.25)) / 2 // of the circle in ρ that is as far from its centre in the mean
			r := equivalent(g, p.Stencil, axes, at, [2]float64{1, ratio}, signs) - math.Log(radius) + of.Skin
			if l.resistances == nil {
				l.resistances = map[resistanceKey]float64{}
			}
			l.resistances[key] = r
			return r
		})
		for _, r := range against.values {
			if !(r > 0) {
				return fmt.Errorf("its radius %g and skin %g leave no resistance between it and its cells", of.Radius, of.Skin)
			}
		}
		c.index += 2 * math.Pi * math.Sqrt(ka*kb) * length[layer] / against.at(kb/ka)
		c.legs = append(c.legs, leg{layer, 2 * math.Pi * length[layer], against})
	}
	c.plain = c.index
	c.gather(k, g.Flat())
	w.held.all, l.connections = append(w.held.all, c), append(l.connections, c)
	return nil
}

// gather finds the nodes of a connection: those at a height, or in 2-D all.
func (c *connection) gather(height int, all bool) {
	sum := 0.0
	for i := range c.well.parts {
		part := &c.well.parts[i]
		for n, weight := range part.weights {
			if _, _, k := part.Node(n); all || k == height {
				c.nodes = append(c.nodes, connected{i, n, weight})
				sum += weight
			}
		}
	}
	for i := range c.nodes {
		c.nodes[i].weight /= sum
	}
}

// lengthsOf returns for each node along z what part of a line belongs to it, by the layers of cells in which the parts lie.
func lengthsOf(g *stencil.Grid, from, to float64) map[int]map[int]float64 {
	h := g.Widths[kernels.Z]
	ends, all := coordinatesOf(h), map[int]map[int]float64{}
	add := func(node, layer int, length float64) {
		if g.Periodic[kernels.Z] {
			node %= g.Cells[kernels.Z]
		}
		if length <= 0 {
			return
		}
		if all[node] == nil {
			all[node] = map[int]float64{}
		}
		all[node][layer] += length
	}
	for k := range h {
		low, high := math.Max(from, ends[k]), math.Min(to, ends[k+1])
		if high-low <= placeSlack*h[k] {
			continue
		}
		upper := ((low+high)/2 - ends[k]) / h[k]
		add(k, k, (high-low)*(1-upper))
		add(k+1, k, (high-low)*upper)
	}
	return all
}

// resistanceKey is what the resistances of the connections of a well differ by: the ratio k_b/k_a, and the images behind walls.
type resistanceKey struct {
	ratio float64
	signs [2][2]float64
}

// imageSigns returns the signs of the images of a well behind the walls across it, at a height: 1 of a closed wall, -1 of one of fixed pressure, 0 where an axis is periodic.
func imageSigns(g *stencil.Grid, p *Parameters, axes [2]int, at [3]float64, z float64) (signs [2][2]float64) {
	walls := newWalls(g, p)
	at[kernels.Z] = z
	for n, d := range axes {
		for end := range signs[n] {
			side := kernels.Side(2*d + end)
			if !g.Wall(side) {
				continue
			}
			x := at
			x[d] = float64(end) * g.Size[d]
			signs[n][end] = 1
			if c := walls.at(side, x); c.Flow.Rule().Holds {
				signs[n][end] = -1
			}
		}
	}
	return signs
}

// meanAcross returns the means of the permeabilities along two axes over the cells that hold a well, and the least and the largest k_b/k_a among them; in 2-D the axes are those of the
// grid, in 3-D the layer counts.
func meanAcross(g *stencil.Grid, k *Material, axes [2]int, cellsA, cellsB []int, layer int) (ka, kb, least, most float64) {
	if !k.Varies() {
		ka, kb = k.Constant[axes[0]], k.Constant[axes[1]]
		return ka, kb, kb / ka, kb / ka
	}
	least = math.Inf(1)
	shape := g.CellShape()
	for _, b := range cellsB {
		for _, a := range cellsA {
			cell := a + shape[0]*(b+shape[1]*layer)
			if g.Flat() {
				cell = a + shape[0]*b
			}
			n := float64(len(cellsA) * len(cellsB))
			a, b := k.Cells[axes[0]][cell], k.Cells[axes[1]][cell]
			ka, kb = ka+a/n, kb+b/n
			least, most = math.Min(least, b/a), math.Max(most, b/a)
		}
	}
	return ka, kb, least, most
}
