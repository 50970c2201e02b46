package physics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"convect/stencil"
)

// LogNormal describes a random permeability: ln K is a stationary Gaussian field, constant in each cell, with
//
//	mean MeanLog,   covariance  C(r) = Variance exp(-√(Σ_d (r_d/λ_d)²)),
//
// the exponential covariance that stochastic hydrogeology fits to aquifers (Gelhar & Axness, Water Resour. Res. 19,
// 161, 1983; Dagan, Flow and Transport in Porous Formations, 1989), r the distance of the centres of two cells.
// The geometric mean of K is exp(MeanLog), its arithmetic mean exp(MeanLog + Variance/2).
type LogNormal struct {
	MeanLog     float64
	Variance    float64
	Correlation [3]float64 // λ_d in H; 0: not correlated from cell to cell along that axis
	Seed        int64      // the same seed on the same grid gives the same medium
}

// Generate draws the medium on a grid. Along a periodic axis the field is periodic, with r_d the shorter way round.
//
// The field is drawn exactly, by circulant embedding (Dietrich & Newsam, SIAM J. Sci. Comput. 18, 1088, 1997): the
// cells are part of a larger periodic box on which the covariance is diagonal in Fourier space. Where the box makes
// eigenvalues of the covariance negative they are set to zero and the others scaled to keep the variance; that
// changes C(r)/Variance by less than 0.01 for λ up to 0.3 of the domain and by less than 0.05 for any λ.
//
// Along a graded axis the field is drawn on equal cells as narrow as the narrowest, and each cell takes the value at its
// centre, from the equal cell there; that takes memory and time for as many of those.
//
// It fails where the variance or a correlation length is negative or not a number, and where a graded grid asks for more
// than 2^28 equal cells.
func (l LogNormal) Generate(e stencil.Extent) (Material, error) {
	if err := l.check(e); err != nil {
		return Material{}, err
	}
	even, at := l.lattice(e)
	if n := cellShape(even); float64(n[0])*float64(n[1])*float64(n[2]) > maxLattice && even.Cells != e.Cells {
		return Material{}, fmt.Errorf("log-normal permeability: the grading asks for %d x %d x %d equal cells, which are too many", n[0], n[1], n[2])
	}
	drawn := newEmbedding(even, l.Correlation).draw(rand.NewPCG(uint64(l.Seed), 0x6c6f676e6f726d61))
	n, m := cellShape(e), cellShape(even)
	cells := make([]float64, n[0]*n[1]*n[2])
	deviation := math.Sqrt(l.Variance)
	eachPlane(n, func(first, end int) {
		for c := first; c < end; c++ {
			y := drawn[at[0][c%n[0]]+m[0]*(at[1][c/n[0]%n[1]]+m[1]*at[2][c/(n[0]*n[1])])]
			cells[c] = math.Exp(l.MeanLog + deviation*y)
		}
	})
	return Material{Cells: [3][]float64{cells, cells, cells}}, nil
}

// maxLattice bounds the equal cells on which a medium is drawn for a graded grid.
const maxLattice = 1 << 28

// lattice returns the equal cells on which to draw for a grid, and, along each axis, that in which each cell of the grid has
// its centre. An axis without correlation has its own cells.
func (l LogNormal) lattice(e stencil.Extent) (even stencil.Extent, at [3][]int) {
	even = e
	even.Grading = [3]stencil.Grading{}
	for d, n := range cellShape(e) {
		at[d] = make([]int, n)
		for i := range at[d] {
			at[d][i] = i
		}
		if e.Cells[d] == 0 || e.Grading[d].Cluster == stencil.Even || l.Correlation[d] == 0 {
			continue
		}
		even.Cells[d] = int(math.Ceil(e.Size[d] / slices.Min(e.Widths(d))))
		for i, x := range e.Centres(d) {
			at[d][i] = min(int(x/e.Size[d]*float64(even.Cells[d])), even.Cells[d]-1)
		}
	}
	return even, at
}

func (l LogNormal) check(e stencil.Extent) error {
	if math.IsNaN(l.MeanLog) || math.IsInf(l.MeanLog, 0) {
		return fmt.Errorf("log-normal permeability: mean %g of ln K is not a number", l.MeanLog)
	}
	if !(l.Variance >= 0) || math.IsInf(l.Variance, 0) {
		return fmt.Errorf("log-normal permeability: variance %g of ln K is not zero or positive", l.Variance)
	}
	for d, length := range l.Correlation {
		if e.Cells[d] > 0 && (!(length >= 0) || math.IsInf(length, 0)) {
			return fmt.Errorf("log-normal permeability: correlation length %g along %s is not zero or positive",
				length, stencil.AxisName(d))
		}
	}
	return nil
}
