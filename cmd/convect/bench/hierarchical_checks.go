package bench

import (
	"fmt"
	"math"

	"convect/kernels"
	"convect/multigrid/hierarchical"
)

// checkHierarchical compares cycles with the plain reference: each sweep rounds a few times.
func (r *run) checkHierarchical() error {
	r.progress("checking")
	offer, ok := r.dev.(hierarchical.Device)
	if !ok {
		return ErrNotOffered
	}
	n := min(r.options.Size[0], 71)
	for _, s := range []struct {
		name string
		hierarchical.Shape
	}{{"lines", hierarchical.Lines(n, 19)}, {"plane", hierarchical.Plane(n)}} {
		worst := 0.0
		for _, b := range []hierarchical.Blocks{{Tile: n, Sweeps: 1}, {Tile: 16, Sweeps: 1}, {Tile: 16, Sweeps: 8}, {Tile: 32, Overlap: 4, Sweeps: 16},
			{Tile: 9, Overlap: 6, Sweeps: 3}} {
			d, err := cycleError(offer, s.Shape, b)
			if err != nil {
				return err
			}
			if d > worst || math.IsNaN(d) {
				worst = d
			}
		}
		if err := r.check(fmt.Sprintf("%s of %d unknowns: largest difference from the plain reference, all blocks", s.name, n), worst,
			16*8*1.5*kernels.Float64.Epsilon()); err != nil {
			return err
		}
	}
	return nil
}

// cycleError returns the largest difference of a cycle on noise from the plain reference.
func cycleError(dev hierarchical.Device, s hierarchical.Shape, b hierarchical.Blocks) (float64, error) {
	p, err := hierarchical.New(dev, kernels.Float64, s)
	if err != nil {
		return 0, err
	}
	defer p.Free()
	u, f := noise(p.Nodes(), 1), noise(p.Nodes(), 2)
	for c := range f {
		f[c] /= float64((s.N + 1) * (s.N + 1))
	}
	p.Upload(u, f)
	p.Cycle(b)
	got := make([]float64, p.Nodes())
	if err := p.Download(got); err != nil {
		return 0, err
	}
	return largestDifference(got, plainCycle(u, f, s, b)), nil
}
