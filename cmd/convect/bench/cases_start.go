package bench

import (
	"errors"
	"path/filepath"

	"convect/cmd/convect/casefile"
	"convect/io/h5"
	"convect/io/snapshot"
	"convect/physics"
	"convect/stencil"
)

// loadCase reads and builds the case file on so many cells of a box of the proportions of shape.
func (r *run) loadCase(c ordinary, cells, shape [3]int, dir, snapshot string) (*casefile.Case, error) {
	loaded, err := casefile.Parse(filepath.Join(dir, "case.yaml"), []byte(c.text(cells, shape, r.kinds[0], snapshot)), nil)
	if err != nil {
		return nil, err
	}
	if c.drawn {
		if err := writeMedium(filepath.Join(dir, mediumFile), loaded.Extent()); err != nil {
			return nil, err
		}
	}
	return loaded, loaded.Build(casefile.BuildOptions{})
}

// developed makes steps of a case from noise on a coarser grid, and returns the snapshot that follows; none where no grid is coarser.
func (r *run) developed(c ordinary, cells [3]int, dir string, steps int) (string, error) {
	coarse := coarser(cells)
	if coarse == cells {
		return "", nil
	}
	loaded, err := r.loadCase(c, coarse, cells, dir, "")
	if err != nil {
		return "", err
	}
	s, err := physics.New(r.dev, loaded.Parameters, loaded.Controls)
	if err != nil {
		return "", err
	}
	defer s.Free()
	if err := watchCase(s, &caseWatch{run: r, skip: steps - 1, block: 1, most: 1}); err != nil {
		return "", err
	}
	w, err := snapshot.New(snapshot.Options{Dir: dir, Scales: loaded.Scales, Case: loaded.Text, Version: r.env.Version})
	if err != nil {
		return "", err
	}
	if err := w.Write(s); err != nil {
		return "", err
	}
	entries, skipped, err := snapshot.List(dir, s.Step())
	if len(entries) != 1 {
		return "", errors.Join(append(skipped, err)...)
	}
	return filepath.Join(dir, snapshot.Folder, entries[0].Name), nil
}

// Of the log-normal media: the variance of ln k, its correlation in heights, and what the permeability along x, y and z is a multiple of in the
// one that is a file.
const (
	drawnVariance    = 2.0
	drawnCorrelation = 0.05
)

var drawnFactors = [3]float64{1, 0.7, 0.5}

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
