package mueller

import "math"

// Parameters describe a problem.
type Parameters struct {
	Columns [2]int // n_x, n_y
	Levels  int    // n_z
	// Flat: the square [-1,1]² instead of the panel of the sphere.
	Flat bool
	// Courant is c in ω = c Δx, Δx = 2/n_x the width of a column in (X,Y).
	Courant float64
	Lambda  float64 // λ
	Depth   float64 // H
}

// Standard returns the problem of the paper on n × n columns of the given number of cells: c = 8.4, λ = 1, H = 0.01.
func Standard(n, levels int, flat bool) Parameters {
	return Parameters{Columns: [2]int{n, n}, Levels: levels, Flat: flat, Courant: 8.4, Lambda: 1, Depth: 0.01}
}

// Omega returns ω.
func (p Parameters) Omega() float64 { return p.Courant * 2 / float64(p.Columns[0]) }

// Height returns r_k, also for k between the levels.
func (p Parameters) Height(k float64) float64 {
	z := k / float64(p.Levels)
	return 1 + p.Depth*z*z
}

// Place returns (X,Y) of the point (i,j) of the horizontal grid: corners of columns have whole numbers.
func (p Parameters) Place(i, j float64) (x, y float64) {
	return -1 + 2*i/float64(p.Columns[0]), -1 + 2*j/float64(p.Columns[1])
}

// weight returns ∫ r² dr from a to b on the sphere, b - a on the flat panel.
func (p Parameters) weight(a, b float64) float64 {
	if p.Flat {
		return b - a
	}
	return (b - a) * (a*a + a*b + b*b) / 3
}

// area returns the area of column (i,j): on the sphere the solid angle of a rectangle in (X,Y).
func (p Parameters) area(i, j int) float64 {
	x0, y0 := p.Place(float64(i), float64(j))
	x1, y1 := p.Place(float64(i+1), float64(j+1))
	if p.Flat {
		return (x1 - x0) * (y1 - y0)
	}
	angle := func(x, y float64) float64 { return math.Atan(x * y / math.Sqrt(1+x*x+y*y)) }
	return (angle(x1, y1) - angle(x0, y1)) - (angle(x1, y0) - angle(x0, y0))
}

// distance returns the distance of two points: on the sphere their angle.
func (p Parameters) distance(x0, y0, x1, y1 float64) float64 {
	if p.Flat {
		return math.Hypot(x1-x0, y1-y0)
	}
	cross := math.Hypot(math.Hypot(x1-x0, y1-y0), x0*y1-x1*y0)
	return math.Atan2(cross, 1+x0*x1+y0*y1)
}

// edges returns α between column (i,j) and its neighbours in x and in y, zero where there is none.
func (p Parameters) edges(i, j int) (x, y float64) {
	at := func(di, dj float64) [2]float64 {
		x, y := p.Place(float64(i)+di, float64(j)+dj)
		return [2]float64{x, y}
	}
	apart := func(a, b [2]float64) float64 { return p.distance(a[0], a[1], b[0], b[1]) }
	if i < p.Columns[0]-1 {
		x = apart(at(1, 0), at(1, 1)) / apart(at(0.5, 0.5), at(1.5, 0.5))
	}
	if j < p.Columns[1]-1 {
		y = apart(at(0, 1), at(1, 1)) / apart(at(0.5, 0.5), at(0.5, 1.5))
	}
	return x, y
}
