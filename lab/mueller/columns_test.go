package mueller_test

import (
	"math"

	"convect/kernels/devicetest"
	"convect/lab/mueller"
)

// PanelField is a host array laid out by a panel.
type PanelField struct {
	Panel mueller.Panel
	V     []float64
}

// NewPanelField returns an array of zeros.
func NewPanelField(p mueller.Panel) PanelField { return PanelField{p, make([]float64, p.Len)} }

// At returns the value of cell k of column (i,j), n = {i,j,k}.
func (f PanelField) At(n Node) float64 { return f.V[f.Panel.Index(n[0], n[1], n[2])] }

// Set sets the value of a cell.
func (f PanelField) Set(n Node, v float64) { f.V[f.Panel.Index(n[0], n[1], n[2])] = v }

// eachCell calls visit for all cells of a panel.
func eachCell(p mueller.Panel, visit func(n Node)) { eachWithin(Node{}, p.N, visit) }

// panelResult holds what the reference computed on the cells of a panel.
type panelResult struct{ value, size PanelField }

// onCells evaluates point on all cells.
func onCells(p mueller.Panel, point func(n Node) sum) panelResult {
	r := panelResult{NewPanelField(p), NewPanelField(p)}
	eachCell(p, func(n Node) {
		s := point(n)
		r.value.Set(n, s.value)
		r.size.Set(n, s.size)
	})
	return r
}

// at returns the value and size at a cell.
func (r panelResult) at(n Node) sum { return sum{r.value.At(n), r.size.At(n)} }

// Columns is a mueller.ColumnOperator on the host.
type Columns struct {
	Panel                      mueller.Panel
	Mass, Vertical, Horizontal []float64
	Area, EdgeX, EdgeY         []float64
}

// Upload uploads the operator.
func (c *Columns) Upload(m *devicetest.Memory) *mueller.ColumnOperator {
	return &mueller.ColumnOperator{
		Panel: c.Panel, Mass: m.Floats(c.Mass), Vertical: m.Floats(c.Vertical), Horizontal: m.Floats(c.Horizontal),
		Area: m.Floats(c.Area), EdgeX: m.Floats(c.EdgeX), EdgeY: m.Floats(c.EdgeY),
	}
}

// coupling is what ties a cell to a neighbour.
type coupling struct {
	at Node
	g  float64
}

// couplings returns the horizontal couplings d_k α of a cell to its neighbours.
func (c *Columns) couplings(n Node) (all []coupling) {
	edge := func(values []float64, i, j int) float64 {
		return c.Horizontal[n[2]] * values[c.Panel.Horizontal(i, j)]
	}
	if n[0] > 0 {
		all = append(all, coupling{shift(n, 0, -1), edge(c.EdgeX, n[0]-1, n[1])})
	}
	if n[0] < c.Panel.N[0]-1 {
		all = append(all, coupling{shift(n, 0, 1), edge(c.EdgeX, n[0], n[1])})
	}
	if n[1] > 0 {
		all = append(all, coupling{shift(n, 1, -1), edge(c.EdgeY, n[0], n[1]-1)})
	}
	if n[1] < c.Panel.N[1]-1 {
		all = append(all, coupling{shift(n, 1, 1), edge(c.EdgeY, n[0], n[1])})
	}
	return all
}

// area returns |T|.
func (c *Columns) area(n Node) float64 { return c.Area[c.Panel.Horizontal(n[0], n[1])] }

// apply returns A u at a cell.
func (c *Columns) apply(u PanelField, n Node) (s sum) {
	area, k := c.area(n), n[2]
	s.add(area * c.Mass[k] * u.At(n))
	neighbour := func(at Node, g float64) {
		s.add(g * u.At(n))
		s.add(-g * u.At(at))
	}
	if k > 0 {
		neighbour(shift(n, 2, -1), area*c.Vertical[k])
	}
	if k < c.Panel.N[2]-1 {
		neighbour(shift(n, 2, 1), area*c.Vertical[k+1])
	}
	for _, to := range c.couplings(n) {
		neighbour(to.at, to.g)
	}
	return s
}

// solve returns M⁻¹ r by elimination, and M⁻¹ of r's size, which bounds what rounding makes of it because M⁻¹ has no
// negative entry.
func (c *Columns) solve(r panelResult) panelResult {
	z := panelResult{NewPanelField(c.Panel), NewPanelField(c.Panel)}
	nz := c.Panel.N[2]
	pivot := make([]float64, nz)
	eachWithin(Node{}, Node{c.Panel.N[0], c.Panel.N[1], 1}, func(n Node) {
		area := c.area(n)
		kept := 0.0 // of the coupling to the level below, by its pivot
		var before sum
		for k := range nz {
			own := area * c.Mass[k]
			for _, to := range c.couplings(Node{n[0], n[1], k}) {
				own += to.g
			}
			low, high := area*c.Vertical[k], area*c.Vertical[k+1]
			g := own + low*kept
			pivot[k] = g + high
			kept = g / pivot[k]
			at := Node{n[0], n[1], k}
			next := r.at(at)
			next.addScaled(low, before)
			before = sum{next.value / pivot[k], next.size / pivot[k]}
			z.value.Set(at, before.value)
			z.size.Set(at, before.size)
		}
		for k := nz - 2; k >= 0; k-- {
			at, above := Node{n[0], n[1], k}, Node{n[0], n[1], k + 1}
			e := area * c.Vertical[k+1] / pivot[k]
			z.value.Set(at, z.value.At(at)+e*z.value.At(above))
			z.size.Set(at, z.size.At(at)+e*z.size.At(above))
		}
	})
	return z
}

// residual returns f - A u; a field without values for u means zero.
func (c *Columns) residual(f, u PanelField) panelResult {
	return onCells(c.Panel, func(n Node) (s sum) {
		s.add(f.At(n))
		if u.V != nil {
			s.addScaled(-1, c.apply(u, n))
		}
		return s
	})
}

// smooth returns u + omega M⁻¹ (f - A u).
func (c *Columns) smooth(u, f PanelField, omega float64) panelResult {
	z := c.solve(c.residual(f, u))
	return onCells(c.Panel, func(n Node) (s sum) {
		if u.V != nil {
			s.add(u.At(n))
		}
		s.addScaled(omega, z.at(n))
		return s
	})
}

// combineCells returns x + c y.
func combineCells(x PanelField, c float64, y PanelField) panelResult {
	return onCells(x.Panel, func(n Node) (s sum) {
		s.add(x.At(n))
		s.add(c * y.At(n))
		return s
	})
}

// dotCells returns Σ x y with the sizes of both.
func dotCells(x, y panelResult) (s sum) {
	lost := 0.0 // by the sum so far, which would round as often as there are cells (Kahan 1965)
	eachCell(x.value.Panel, func(n Node) {
		term := x.value.At(n)*y.value.At(n) - lost
		next := s.value + term
		lost = (next - s.value) - term
		s.value = next
		s.size += x.size.At(n) * y.size.At(n)
	})
	return s
}

// exactly is a field as a result without error, its size the magnitude.
func exactly(x PanelField) panelResult {
	return onCells(x.Panel, func(n Node) sum { return sum{x.At(n), math.Abs(x.At(n))} })
}

// restrict sums the residual over the children of coarse columns.
func (c *Columns) restrict(u, f PanelField, coarse mueller.Panel, factor [2]int) panelResult {
	r := c.residual(f, u)
	return onCells(coarse, func(n Node) (s sum) {
		eachWithin(Node{}, Node{factor[0], factor[1], 1}, func(child Node) {
			s.addScaled(1, r.at(Node{factor[0]*n[0] + child[0], factor[1]*n[1] + child[1], n[2]}))
		})
		return s
	})
}

// prolongColumns returns u + P x.
func prolongColumns(u, x PanelField, factor [2]int) panelResult {
	return onCells(u.Panel, func(n Node) (s sum) {
		s.add(u.At(n))
		eachWithin(Node{}, Node{2, 2, 1}, func(which Node) {
			parent, weight := n, 1.0
			for d := range factor {
				if factor[d] == 1 {
					weight *= 0.5
					continue
				}
				parent[d] = n[d] / 2
				beside := parent[d] - 1 + 2*(n[d]%2)
				switch {
				case which[d] == 0:
					weight *= 0.75
				case beside < 0 || beside >= x.Panel.N[d]:
					weight *= 0.25
				default:
					parent[d] = beside
					weight *= 0.25
				}
			}
			s.add(weight * x.At(parent))
		})
		return s
	})
}

// sparse is a matrix as rows of entries by column.
type sparse []map[int]sum

// matrix returns A and the systems of M by rows and columns as in mueller.Matrix, the systems with entries -1, 0, 1 levels
// away.
func (c *Columns) matrix() (a, m sparse) {
	p := c.Panel
	index := func(n Node) int { return p.Index(n[0], n[1], n[2]) - p.Origin }
	a, m = make(sparse, p.Len-2*p.Origin), make(sparse, p.Len-2*p.Origin)
	eachCell(p, func(n Node) {
		row, systems := map[int]sum{}, map[int]sum{}
		var own sum
		link := func(at Node, g float64) {
			own.add(g)
			row[index(at)] = sum{-g, g}
		}
		own.add(c.area(n) * c.Mass[n[2]])
		for _, s := range []int{-1, 1} {
			if at := shift(n, 2, s); at[2] >= 0 && at[2] < p.N[2] {
				g := c.area(n) * c.Vertical[max(n[2], at[2])]
				link(at, g)
				systems[s] = sum{-g, g}
			}
		}
		for _, to := range c.couplings(n) {
			link(to.at, to.g)
		}
		row[index(n)], systems[0] = own, own
		a[index(n)], m[index(n)] = row, systems
	})
	return a, m
}
