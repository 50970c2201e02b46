package bench

import (
	"convect/io/h5"
	"convect/physics"
	"convect/stencil"
)

// Of the log-normal media: the variance of ln k, its correlation in heights, and what the permeability along x, y and z is a multiple of in the
// one that is a file.
const (
	drawnVariance    = 2.0
	drawnCorrelation = 0.05
)

var drawnFactors = [3]float64{1, 0.5, 0.1}

// writeMedium writes a log-normal permeability along each axis as a user's own file.
func writeMedium(path string, e stencil.Extent) error {
	m, err := physics.LogNormal{Variance: drawnVariance, Correlation: [3]float64{drawnCorrelation, drawnCorrelation, drawnCorrelation}, Seed: 5}.Generate(e)
	if err != nil {
		return err
	}
	values := make([]float32, 0, 3*len(m.Cells[0]))
	for d, factor := range drawnFactors {
		for _, k := range m.Cells[d] {
			values = append(values, float32(factor*k))
		}
	}
	w, err := h5.Create(path)
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := w.Float32s("/k", []int{3, e.Cells[2], e.Cells[1], e.Cells[0]}, values); err != nil {
		return err
	}
	return w.Commit()
}
