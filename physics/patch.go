package physics

import (
	"iter"
	"math"
	"slices"

	"convect/kernels"
	"convect/stencil"
)

// Patch replaces parts of the condition of a rectangle of a wall.
type Patch struct {
	Side kernels.Side
	// Range holds [low, high] along each axis; the axis normal to the wall is ignored. Whole axis: ±Inf.
	Range [3][2]float64
	Wall  Wall
	// Heat and Flow tell which half of Wall replaces that of the wall under it.
	Heat, Flow bool
	Beside     []bool // the same of the conditions on the scalars beside the temperature
}

// patchSlack is the part of an extent by which a node may lie beside the edge of a patch and still belong to it.
const patchSlack = 1e-9

// wholeWall is the range of a wall without patches.
func wholeWall() [3][2]float64 {
	whole := [2]float64{math.Inf(-1), math.Inf(1)}
	return [3][2]float64{whole, whole, whole}
}

// Conditions lists the condition of a wall and those of the patches on it, later ones win, each with its range.
func (p *Parameters) Conditions(s kernels.Side) iter.Seq2[*Wall, [3][2]float64] {
	return func(yield func(*Wall, [3][2]float64) bool) {
		if !yield(&p.Walls[s], wholeWall()) {
			return
		}
		for i := range p.Patches {
			if patch := &p.Patches[i]; patch.Side == s && !yield(&patch.Wall, patch.Range) {
				return
			}
		}
	}
}

// inSpan tells whether a coordinate lies in a span, its ends included.
func inSpan(x float64, span [2]float64, slack float64) bool {
	return x >= span[0]-slack && x <= span[1]+slack
}

// Holds tells whether a patch holds a point of its side, edges included. The start of a periodic axis is its end too.
func (p *Patch) Holds(e *stencil.Extent, x [3]float64) bool {
	for d, span := range p.Range {
		if d == p.Side.Axis() || e.Cells[d] == 0 {
			continue
		}
		size := e.Size[d]
		slack := patchSlack * size
		if !inSpan(x[d], span, slack) && !(e.Periodic[d] && x[d] == 0 && inSpan(size, span, slack)) {
			return false
		}
	}
	return true
}

// edges adds to a list the edges of the patch along d between two coordinates, the lower of which is negative around the end of a periodic
// axis of a given size.
func (p *Patch) edges(d int, low, high, size float64, list []float64) []float64 {
	for _, edge := range p.Range[d] {
		if low < 0 && edge-size > low {
			edge -= size
		}
		if edge > low && edge < high {
			list = append(list, edge)
		}
	}
	return list
}

// replace changes the condition of a wall under the patch.
func (p *Patch) replace(c *Wall) {
	if p.Heat {
		c.takeHeat(&p.Wall)
	}
	if p.Flow {
		c.takeFlow(&p.Wall)
	}
	if len(p.Wall.Beside) > 0 {
		p.replaceBeside(c)
	}
	if p.Wall.Inflow != nil {
		c.Inflow = p.Wall.Inflow
	}
}

// replaceBeside changes the conditions on the scalars beside the temperature, without changing those of the wall itself.
func (p *Patch) replaceBeside(c *Wall) {
	c.Beside = slices.Clone(c.Beside)
	for n, own := range p.Wall.Beside {
		under := c.Of(n)
		if own.Inflow == nil {
			own.Inflow = under.Inflow
		}
		if n < len(p.Beside) && p.Beside[n] {
			*under = own
		}
		under.Inflow = own.Inflow
	}
}
