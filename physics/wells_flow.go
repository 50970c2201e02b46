package physics

import (
	"convect/kernels"
	"convect/stencil"
)

// idle tells whether nothing flows.
func (l *well) idle() bool { return l.total == 0 && l.of.Pressure == nil }

// feed adds the rates to the integrated right side of the pressure equation.
func (w *wells) feed(rhs *stencil.Field) {
	for _, l := range w.all {
		for i := range l.parts {
			p := &l.parts[i]
			if l.idle() || p.Download(p.gets, rhs) != nil { // a failure is kept by the device, returned by the solve that follows
				continue
			}
			for n, q := range p.rates {
				p.gets[n] += q
			}
			p.Upload(rhs, p.gets)
		}
	}
}

// leave lets what wells bring to nodes of fixed pressure out through their walls.
func (w *wells) leave(f *stencil.Flow) {
	moved := false
	for _, l := range w.all {
		for i := range l.parts {
			p := &l.parts[i]
			for _, e := range p.exits {
				if q := p.rates[e.node]; q != 0 && f.AddThrough(e.side, e.element, -q*e.share) == nil {
					moved = true
				}
			}
		}
	}
	if moved {
		f.ExchangeVelocities()
	}
}

// findExits finds the nodes of wells at which the pressure is fixed.
func (w *wells) findExits(b *stencil.Boundary) {
	if len(w.all) == 0 {
		return
	}
	for s := kernels.Left; s <= kernels.Top; s++ {
		if !b.Fixed(s) {
			continue
		}
		elements := map[[3]int]int{}
		share := b.Share(s)
		for e := range share {
			i, j, k := w.grid.WallIndex(s, e)
			elements[[3]int{i, j, k}] = e
		}
		for _, l := range w.all {
			for i := range l.parts {
				l.parts[i].findExits(w.grid, s, elements, share)
			}
		}
	}
}

func (p *wellPart) findExits(g *stencil.Grid, s kernels.Side, elements map[[3]int]int, share []float64) {
	for n := range p.weights {
		i, j, k := p.Node(n)
		if e, on := elements[[3]int{i, j, k}]; on && share[e] > 0 {
			p.exits = append(p.exits, wellExit{n, s, e, share[e] / g.WallArea(s, e)})
		}
	}
}

// fastest bounds the velocity that wells drive anywhere: all of what flows through the smallest face.
func (w *wells) fastest() float64 {
	if w.largest == 0 {
		return 0
	}
	area := w.grid.MinWidth()
	if !w.grid.Flat() {
		area *= area
	}
	return w.largest / area
}

// means computes p̄ of all connections: of the present pressure and its column, or, without a column, of any field.
func (w *wells) means(p *stencil.Field, column []float64, into []float64) error {
	for _, l := range w.all {
		if l.of.Pressure == nil {
			continue
		}
		for i := range l.parts {
			if err := l.parts[i].Download(l.parts[i].has, p); err != nil {
				return err
			}
		}
		for _, c := range l.connections {
			into[c.place] = 0
			for _, n := range c.nodes {
				part := &l.parts[n.part]
				_, _, k := part.Node(n.node)
				v := part.has[n.node]
				if column != nil {
					v += column[k]
				}
				into[c.place] += n.weight * v
			}
		}
	}
	return nil
}

// take gives the nodes of a well the rates of its connections.
func (l *well) take() {
	if l.of.Pressure == nil {
		return
	}
	l.total = 0
	for i := range l.parts {
		clear(l.parts[i].rates)
	}
	for _, c := range l.connections {
		l.total += c.rate
		for _, n := range c.nodes {
			l.parts[n.part].rates[n.node] += c.rate * n.weight
		}
	}
}
