package stencil

import (
	"fmt"
	"math"
)

// Cluster tells where the cells of an axis are narrow.
type Cluster uint8

// Clusters.
const (
	Even        Cluster = iota // nowhere: all cells have one width
	ClusterLow                 // at the low end
	ClusterHigh                // at the high end
	ClusterBoth                // at both ends, alike
)

var clusterNames = [...]string{"", "low", "high", "both"}

// String returns the name in the case file; empty for Even.
func (c Cluster) String() string { return clusterNames[c] }

// ParseCluster returns the cluster of a name: low, high or both.
func ParseCluster(name string) (Cluster, error) {
	for c, n := range clusterNames {
		if n == name && n != "" {
			return Cluster(c), nil
		}
	}
	return 0, fmt.Errorf("stencil: cluster %q is not one of low, high, both", name)
}

// Grading is the law by which the widths of cells change along an axis: h_i ∝ Ratio^e_i with, for i = 0 … n-1,
//
//	low   e_i = i / (n-1)
//	high  e_i = 1 - i / (n-1)
//	both  e_i = i (n-1-i) / (m (n-1-m)),   m = ⌊(n-1)/2⌋,
//
// so that the largest width is Ratio times the smallest, to rounding. In the first two each cell is a constant factor wider
// than the one before; in the third the logarithm of the width is a parabola. The widths are values of a smooth function of
// i/n, which is what keeps the discretisation of second order.
type Grading struct {
	Cluster Cluster
	Ratio   float64 // largest over smallest width, above 1; not used with Even
}

// weight returns Ratio^e of cell i of n.
func (g Grading) weight(i, n int) float64 {
	m := (n - 1) / 2
	e := float64(i) / float64(n-1)
	switch g.Cluster {
	case ClusterHigh:
		e = 1 - e
	case ClusterBoth:
		e = float64(i*(n-1-i)) / float64(m*(n-1-m))
	}
	return math.Pow(g.Ratio, e)
}

// check refuses a grading that n cells cannot have.
func (g Grading) check(n int, periodic bool, axis string) error {
	switch {
	case g.Cluster == Even:
		return nil
	case int(g.Cluster) >= len(clusterNames):
		return fmt.Errorf("stencil: unknown cluster %d along %s", g.Cluster, axis)
	case !(g.Ratio > 1) || math.IsInf(g.Ratio, 0):
		return fmt.Errorf("stencil: ratio %g of the widths along %s is not above 1", g.Ratio, axis)
	case n < g.Cluster.LeastCells():
		return fmt.Errorf("stencil: %d cells along %s are too few to cluster: %s", n, axis, g.Cluster)
	case periodic && g.Cluster != ClusterBoth:
		return fmt.Errorf("stencil: widths along %s would jump where its periodic ends meet", axis)
	}
	return nil
}

// LeastCells returns the fewest cells that a cluster can have.
func (c Cluster) LeastCells() int { return [...]int{1, 2, 2, 3}[c] }

// Widths returns the widths of the cells of an axis, from the low end; none where the axis is absent.
func (e Extent) Widths(d int) []float64 {
	n, g := e.Cells[d], e.Grading[d]
	widths := make([]float64, n)
	if g.Cluster == Even {
		for i := range widths {
			widths[i] = e.Size[d] / float64(n)
		}
		return widths
	}
	sum := 0.0
	for i := range widths {
		widths[i] = g.weight(i, n)
		sum += widths[i]
	}
	for i := range widths {
		widths[i] *= e.Size[d] / sum
	}
	return widths
}

// Coordinates returns the ends of the cells of an axis, one more than cells, from 0 to Size; 0 alone where the axis is
// absent. The last is the image of the first where the axis is periodic.
func (e Extent) Coordinates(d int) []float64 {
	if e.Cells[d] == 0 {
		return []float64{0}
	}
	return coordinates(e.Widths(d), e.Size[d])
}

// Centres returns the centres of the cells of an axis; 0 alone where the axis is absent.
func (e Extent) Centres(d int) []float64 {
	if e.Cells[d] == 0 {
		return []float64{0}
	}
	x := e.Coordinates(d)
	centres := make([]float64, e.Cells[d])
	for i := range centres {
		centres[i] = (x[i] + x[i+1]) / 2
		if e.Grading[d].Cluster == Even { // one rounding
			centres[i] = e.Size[d] * (float64(i) + 0.5) / float64(len(centres))
		}
	}
	return centres
}

// coordinates returns the ends of cells with the given widths, which add up to size.
func coordinates(widths []float64, size float64) []float64 {
	n, equal := len(widths), even(widths)
	x := make([]float64, n+1)
	for i, h := range widths {
		x[i+1] = x[i] + h
		if equal { // one rounding instead of i
			x[i+1] = size * (float64(i+1) / float64(n))
		}
	}
	if n > 0 {
		x[n] = size
	}
	return x
}

// even tells whether all widths are the same.
func even(widths []float64) bool {
	for _, h := range widths {
		if h != widths[0] {
			return false
		}
	}
	return true
}
