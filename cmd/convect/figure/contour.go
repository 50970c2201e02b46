package figure

import "math"

// Point is a place in the coordinates of the data.
type Point struct{ X, Y float64 }

// Contours returns the lines on which a field has a value: values[i+len(x)*k] stands at (x[i], y[k]) and is bilinear between. Lines that close end where
// they begin; others end at the edge of the field or beside values that are not finite. A value that differs from the level by rounding counts as the level,
// and what runs along the edge of the field alone is left out: a wall on which the field has that value.
func Contours(x, y, values []float64, level float64) [][]Point {
	m := marcher{x: x, y: y, v: values, level: level, nx: len(x), links: map[int][2]int{}}
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	m.rounding = 1e-10 * math.Max(high-low, 0)
	if !(low < high) {
		return nil
	}
	for k := range len(y) - 1 {
		for i := range len(x) - 1 {
			m.cell(i, k)
		}
	}
	return m.lines()
}

// marcher finds the places where a contour crosses the edges between nodes and links them, cell by cell (marching squares).
type marcher struct {
	x, y, v  []float64
	level    float64
	rounding float64
	nx       int
	order    []int          // edges in the order in which they were found
	links    map[int][2]int // the one or two neighbours of a crossed edge along the line, plus 1; 0: none
}

// above returns the value over the level, rounding left out. At the edge of the field, where a wall may have the level, a node counts as the one beside it inside: so
// a line between cells goes on straight to the wall, and none runs along it.
func (m *marcher) above(i, k int) float64 {
	d := m.over(i, k)
	if d != 0 {
		return d
	}
	inside := func(n, count int) int { return min(max(n, 1), max(count-2, 0)) }
	if a, b := inside(i, m.nx), inside(k, len(m.y)); a != i || b != k {
		const little = 1e-9
		return little * m.over(a, b)
	}
	return 0
}

// over returns the value over the level, 0 where it differs by rounding.
func (m *marcher) over(i, k int) float64 {
	d := m.v[i+m.nx*k] - m.level
	if math.Abs(d) <= m.rounding {
		return 0
	}
	return d
}

// Edges are numbered by the node at their lower left end, those along x even.
func (m *marcher) alongX(i, k int) int { return 2 * (i + m.nx*k) }
func (m *marcher) alongY(i, k int) int { return 2*(i+m.nx*k) + 1 }

// cell links the edges of a cell that the contour crosses.
func (m *marcher) cell(i, k int) {
	corners := [4]float64{m.above(i, k), m.above(i+1, k), m.above(i+1, k+1), m.above(i, k+1)} // around
	edges := [4]int{m.alongX(i, k), m.alongY(i+1, k), m.alongX(i, k+1), m.alongY(i, k)}       // edge n leads from corner n to n + 1
	var crossed []int
	sum := 0.0
	for n, c := range corners {
		if math.IsNaN(c) || math.IsInf(c, 0) {
			return
		}
		sum += c
		if (c >= 0) != (corners[(n+1)%4] >= 0) {
			crossed = append(crossed, n)
		}
	}
	switch {
	case len(crossed) == 2:
		m.link(edges[crossed[0]], edges[crossed[1]])
	case len(crossed) == 4 && (sum >= 0) == (corners[0] >= 0): // corners 0 and 2 are joined across the middle
		m.link(edges[0], edges[1])
		m.link(edges[2], edges[3])
	case len(crossed) == 4:
		m.link(edges[3], edges[0])
		m.link(edges[1], edges[2])
	}
}

func (m *marcher) link(a, b int) {
	for _, pair := range [2][2]int{{a, b}, {b, a}} {
		l, known := m.links[pair[0]]
		if !known {
			m.order = append(m.order, pair[0])
		}
		if l[0] == 0 {
			l[0] = pair[1] + 1
		} else {
			l[1] = pair[1] + 1
		}
		m.links[pair[0]] = l
	}
}

// at returns the place of a crossing.
func (m *marcher) at(edge int) Point {
	node := edge / 2
	i, k := node%m.nx, node/m.nx
	di, dk := 1, 0
	if edge%2 == 1 {
		di, dk = 0, 1
	}
	a, b := m.above(i, k), m.above(i+di, k+dk)
	part := 0.0
	if a != b {
		part = math.Min(math.Max(a/(a-b), 0), 1)
	}
	return Point{m.x[i] + part*(m.x[i+di]-m.x[i]), m.y[k] + part*(m.y[k+dk]-m.y[k])}
}

// lines follows the links: first those that end, then those that close.
func (m *marcher) lines() [][]Point {
	var out [][]Point
	seen := map[int]bool{}
	for _, closed := range []bool{false, true} {
		for _, first := range m.order {
			if seen[first] || (m.links[first][1] == 0) == closed {
				continue
			}
			line := m.follow(first, seen)
			if closed {
				line = append(line, line[0])
			}
			if !m.onEdge(line) {
				out = append(out, line)
			}
		}
	}
	return out
}

// follow returns the line that begins at an edge.
func (m *marcher) follow(edge int, seen map[int]bool) []Point {
	var line []Point
	for {
		seen[edge] = true
		if p := m.at(edge); len(line) == 0 || line[len(line)-1] != p {
			line = append(line, p)
		}
		next := -1
		for _, n := range m.links[edge] {
			if n > 0 && !seen[n-1] {
				next = n - 1
			}
		}
		if next < 0 {
			return line
		}
		edge = next
	}
}

// onEdge tells whether a line runs along the edge of the field alone, or is a point.
func (m *marcher) onEdge(line []Point) bool {
	if len(line) < 2 {
		return true
	}
	for _, p := range line {
		if p.X != m.x[0] && p.X != m.x[m.nx-1] && p.Y != m.y[0] && p.Y != m.y[len(m.y)-1] {
			return false
		}
	}
	return true
}

// Levels returns so many levels between two values, at equal distances and half of one from both.
func Levels(low, high float64, count int) []float64 {
	var out []float64
	for n := range count {
		out = append(out, low+(float64(n)+0.5)*(high-low)/float64(count))
	}
	return out
}
