package physics

import (
	"fmt"
	"math"
	"slices"

	"convect/kernels"
	"convect/stencil"
)

// Well injects or produces fluid at a point or along a vertical line, ∇·u = Σ q δ. What it injects has given values of the scalars, what it produces has those of
// the fluid where it is taken:
//
//	∂(σs)/∂t + ∇·(us) = … + Σ δ (max(q, 0) s_in + min(q, 0) s).
//
// A line shares its rate out by the horizontal permeability √(K_x K_y) (2-D: K_x) of the cells that it passes, times its length in them.
type Well struct {
	Name     string
	At       [3]float64 // along x, y (3-D) and, of a point, z
	Line     bool
	From, To float64 // height of the ends of a line, From < To

	Rate   Func   // volume per time into the domain, in units of κH (2-D: κ, a unit of length deep), a function of time alone; nil: 0
	Brings []Func // values of what it injects, by the order of Transported, functions of time alone; nil: not given
	Varies bool   // a value here depends on time
	Course Course

	// Pressure is what the well holds in place of a rate, at the upper end of its line or at the point, relative to the hydrostatic pressure of fluid at T = 0, a function of time
	// alone; nil: it has a rate. In the well stands fluid of what it brings, which is given whether it injects or not. Lines of 3-D and points of 2-D can hold one.
	Pressure    Func
	Radius      float64 // of the well
	Skin        float64 // what is added to ln(r_o/r_w)
	Least, Most float64 // limits of the rate, Least ≤ Most; both 0: none
}

// Bring returns the value of the n-th scalar in what the well injects, to be written to; the temperature is the first.
func (w *Well) Bring(n int) *Func {
	for len(w.Brings) <= n {
		w.Brings = append(w.Brings, nil)
	}
	return &w.Brings[n]
}

// bring returns the value of the n-th scalar, nil where none is given.
func (w *Well) bring(n int) Func {
	if n >= len(w.Brings) {
		return nil
	}
	return w.Brings[n]
}

// WellSample is what a well did at a step. Nondimensional.
type WellSample struct {
	Rate    float64   // into the domain
	Scalars []float64 // of what it injects or produces, by the order of Transported; NaN where nothing flows
	// Pressure is that in a well that holds one, or would but for a limit of its rate, at the height where it holds it; NaN in others.
	Pressure float64
}

// wells are those of a model, on its grid. All that belongs to them lies on few nodes, whose values come to the host.
type wells struct {
	grid    *stencil.Grid
	all     []*well
	held    heldWells
	in, out float64 // Σ of the rates above and below 0
	rate    float64 // the largest Σ|q|/2V of a node: a Courant number per time, where σ is 1; see sum
	largest float64 // Σ |q|, the largest so far
}

// well is a well on the grid.
type well struct {
	of               *Well
	x                [3]float64 // a point of it
	parts            []wellPart
	total            float64 // rate now
	pressure, bottom float64 // of a well that holds one: what it is to hold now, and what it has
	connections      []*connection
	resistances      map[resistanceKey]float64 // found so far
	columns          []wellColumn              // whose mobility its index takes; nil: the viscosity does not vary
	axes             [2]int                    // across it
	means            []float64
}

// wellPart is a block of nodes of a well.
type wellPart struct {
	stencil.Part
	weights   []float64 // of each node in the rate; all of a well's add up to 1
	rates     []float64 // volume per time into each node now
	has, gets []float64 // room for values of the nodes
	exits     []wellExit
}

// wellExit is a node of fixed pressure: what a well brings there leaves through the wall at once.
type wellExit struct {
	node    int // of the part
	side    kernels.Side
	element int
	share   float64 // velocity through the face for a unit of the rate
}

// newWells places the wells on the grid. It fails where one lies outside, and where two have one name.
func newWells(g *stencil.Grid, p *Parameters, scalars int) (*wells, error) {
	w := &wells{grid: g}
	names := map[string]bool{}
	for i := range p.Wells {
		of := &p.Wells[i]
		if names[of.Name] {
			return nil, fmt.Errorf("two wells have the name %q", of.Name)
		}
		names[of.Name] = true
		parts, err := spreadWell(g, p, of)
		if err != nil {
			return nil, fmt.Errorf("well %s: %w", of.Name, err)
		}
		l := &well{of: of, parts: parts, x: of.At, means: make([]float64, scalars)}
		if of.Line {
			l.x[kernels.Z] = (of.From + of.To) / 2
		}
		w.all = append(w.all, l)
		if of.Pressure == nil {
			continue
		}
		if err := w.hold(p, l); err != nil {
			return nil, fmt.Errorf("well %s: %w", of.Name, err)
		}
	}
	return w, nil
}

// setRates takes the rates of a time, all of them or those that vary.
func (w *wells) setRates(t float64, all bool) error {
	changed := false
	w.held.time = t
	for _, l := range w.all {
		if all || l.of.Varies {
			changed = true
			if l.of.Pressure != nil {
				l.pressure = value(l.of.Pressure, l.x, t)
				l.take()
				continue
			}
			if err := l.setRate(value(l.of.Rate, l.x, t)); err != nil {
				return fmt.Errorf("well %s: %w at t = %g", l.of.Name, err, t)
			}
		}
	}
	if changed {
		w.sum()
	}
	return nil
}

// setRate shares a rate out among the nodes.
func (l *well) setRate(q float64) error {
	switch {
	case q-q != 0:
		return fmt.Errorf("its rate is %g", q)
	case q > 0 && l.of.bring(0) == nil:
		return fmt.Errorf("it injects, and the temperature of what it injects is not given")
	}
	l.total = q
	for i := range l.parts {
		p := &l.parts[i]
		for n, weight := range p.weights {
			p.rates[n] = q * weight
		}
	}
	return nil
}

// vary tells whether a rate may vary in time.
func (w *wells) vary() bool {
	return slices.ContainsFunc(w.all, func(l *well) bool { return l.of.Varies })
}

// throughText says what carries fluid in and out.
func (w *wells) throughText() string {
	if len(w.all) == 0 {
		return "the velocities of the walls"
	}
	return "the wells and the velocities of the walls"
}

// sum adds the rates up, and finds the node whose fluid is exchanged the fastest. What relaxes at a rate r is stable in SBDF2, extrapolated, up to
// r Δt = 4/3, and upwind differences at a Courant number C relax the shortest wave at r Δt = 2C: an exchange |q|/V counts as half as much. The faces of a node carry
// as much as one well brings there, so that the sum matters where the rates of several wells cancel.
func (w *wells) sum() {
	w.in, w.out, w.rate = 0, 0, 0
	nodes := map[[3]int]float64{}
	for _, l := range w.all {
		for _, p := range l.parts {
			for n, q := range p.rates {
				w.in, w.out = w.in+math.Max(q, 0), w.out+math.Max(-q, 0)
				i, j, k := p.Node(n)
				nodes[[3]int{i, j, k}] += math.Abs(q)
			}
		}
	}
	for at, q := range nodes {
		w.rate = math.Max(w.rate, q/2/(w.grid.DualWidth(0, at[0])*w.grid.DualWidth(1, at[1])*w.grid.DualWidth(2, at[2])))
	}
	w.largest = math.Max(w.largest, w.in+w.out)
}
