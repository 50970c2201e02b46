package main

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Streamlines start one of so many strips of the longer side apart and end where they come within a third of that; a
// step is a part of a strip.
const (
	strips      = 22
	fine        = 3 // squares a strip
	stepPart    = 0.12
	shortest    = 4 // strips; shorter lines are left out
	slowest     = 1e-3
	lineWidth   = vg.Length(0.8)
	arrowLength = 3.2 * vg.Millimeter / 2
)

// streamlines returns lines along the flow in a plane, evenly spaced, each with an arrow in its middle; none where
// nothing moves. Lines start at the points of a lattice and end at the walls or where they come close to another
// line (after Jobard & Lefer, Creating evenly-spaced streamlines of arbitrary density, 1997).
func streamlines(flow [2]*slice) []plot.Plotter {
	t := &tracer{u: flow[0], w: flow[1]}
	width, height := flow[0].size()
	t.strip = math.Max(width, height) / strips
	t.cell = t.strip / fine
	t.nx, t.nz = int(width/t.cell)+1, int(height/t.cell)+1
	t.taken = make([]int, t.nx*t.nz)
	for i, u := range flow[0].values {
		t.fastest = math.Max(t.fastest, math.Hypot(u, flow[1].values[i]))
	}
	if t.fastest == 0 {
		return nil
	}
	var lines []plot.Plotter
	for k := 1; k < t.nz; k += fine {
		for i := 1; i < t.nx; i += fine {
			seed := plotter.XY{X: flow[0].across[0] + (float64(i)+0.5)*t.cell, Y: flow[0].up[0] + (float64(k)+0.5)*t.cell}
			if points := t.trace(seed, len(lines)+1); len(points) > 0 {
				lines = append(lines, streamline{points, color.NRGBA{A: 130}})
			}
		}
	}
	return lines
}

// tracer follows the flow and remembers which squares of a lattice have a line.
type tracer struct {
	u, w    *slice
	strip   float64
	cell    float64 // side of a square
	nx, nz  int
	taken   []int // number of the line in each square, 0: none
	fastest float64
}

// trace returns the line through a point, or nothing if it would be too short.
func (t *tracer) trace(seed plotter.XY, number int) plotter.XYs {
	if !t.isFree(seed) {
		return nil
	}
	after, closed := t.follow(seed, 1, number)
	var before plotter.XYs
	if !closed {
		before, _ = t.follow(seed, -1, number)
	}
	line := plotter.XYs{}
	for i := len(before) - 1; i >= 0; i-- {
		line = append(line, before[i])
	}
	line = append(append(line, seed), after...)
	if closed {
		line = append(line, seed)
	}
	if float64(len(line))*stepPart < shortest {
		for i, n := range t.taken {
			if n == number {
				t.taken[i] = 0
			}
		}
		return nil
	}
	return line
}

// isFree tells whether no line is nearer than about a strip.
func (t *tracer) isFree(p plotter.XY) bool {
	s := t.square(p)
	if s < 0 {
		return false
	}
	i, k := s%t.nx, s/t.nx
	for b := max(k-fine+1, 0); b < min(k+fine, t.nz); b++ {
		for a := max(i-fine+1, 0); a < min(i+fine, t.nx); a++ {
			if t.taken[a+t.nx*b] != 0 {
				return false
			}
		}
	}
	return true
}

// follow goes along the flow (direction 1) or against it (-1), by the midpoint rule; closed tells whether the line has come back to where it began.
func (t *tracer) follow(p plotter.XY, direction float64, number int) (line plotter.XYs, closed bool) {
	seed := p
	when := map[int]int{} // step at which each square was entered
	again := 0            // steps in squares that the line has been in before
	step := direction * stepPart * t.strip
	const most, turn = 4000, 8 // steps; about a strip
	for range most {
		half, ok := t.move(p, p, step/2)
		if !ok {
			break
		}
		next, ok := t.move(p, half, step)
		s := t.square(next)
		if !ok || s < 0 || (t.taken[s] != 0 && t.taken[s] != number) {
			break
		}
		if t.closes(line, seed, next) {
			return line, true
		}
		if first, been := when[s]; !been {
			when[s] = len(line)
		} else if len(line)-first > 2*turn {
			again++
		}
		if again > turn { // it winds into a centre
			break
		}
		t.taken[s] = number
		line = append(line, next)
		p = next
	}
	return line, false
}

// closes tells whether a line has come back to its start.
func (t *tracer) closes(line plotter.XYs, seed, p plotter.XY) bool {
	const few = 20
	return len(line) > few && math.Hypot(p.X-seed.X, p.Y-seed.Y) < 0.75*stepPart*t.strip
}

// move returns the point a step away from p in the direction of the flow at another point; false where it is slow.
func (t *tracer) move(p, at plotter.XY, step float64) (plotter.XY, bool) {
	u, w := t.u.at(at.X, at.Y), t.w.at(at.X, at.Y)
	speed := math.Hypot(u, w)
	if !(speed > slowest*t.fastest) {
		return p, false
	}
	return plotter.XY{X: p.X + step*u/speed, Y: p.Y + step*w/speed}, true
}

// square returns the square of a point, -1 outside.
func (t *tracer) square(p plotter.XY) int {
	x, z := t.u.across, t.u.up
	if p.X < x[0] || p.X > x[len(x)-1] || p.Y < z[0] || p.Y > z[len(z)-1] {
		return -1
	}
	i, k := min(int((p.X-x[0])/t.cell), t.nx-1), min(int((p.Y-z[0])/t.cell), t.nz-1)
	return i + t.nx*k
}

// streamline draws a line with an arrow in its middle.
type streamline struct {
	points plotter.XYs
	colour color.Color
}

// Plot draws the line.
func (s streamline) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	line := make([]vg.Point, len(s.points))
	for i, q := range s.points {
		line[i] = vg.Point{X: x(q.X), Y: y(q.Y)}
	}
	strokeInk(c, draw.LineStyle{Color: s.colour, Width: lineWidth}, line)
	at := len(line) / 2
	tip, tail := line[at], line[max(at-2, 0)]
	drawHead(c, tail, tip, arrowLength)
}
