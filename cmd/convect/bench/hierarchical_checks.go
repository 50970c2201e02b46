package bench

import (
	"fmt"
	"math"

	"convect/kernels"
	"convect/lab/islam"
)

// checkHierarchical compares cycles with the plain reference: each sweep rounds a few times.
func (r *run) checkHierarchical() error {
	r.progress("checking")
	if _, ok := islam.On(r.dev); !ok {
		return ErrNotOffered
	}
	n := min(r.options.Size[0], 71)
	for _, s := range []struct {
		name string
		islam.Shape
	}{{"lines", islam.Lines(n, 19)}, {"plane", islam.Plane(n)}, {"cube", islam.Cube(min(n, 21))}} {
		worst := 0.0
		for _, b := range []islam.Blocks{{Tile: s.N, Sweeps: 1}, {Tile: 16, Sweeps: 1}, {Tile: 16, Sweeps: 8}, {Tile: 32, Overlap: 4, Sweeps: 16},
			{Tile: 9, Overlap: 6, Sweeps: 3}} {
			d, err := cycleError(r.dev, s.Shape, b)
			if err != nil {
				return err
			}
			if d > worst || math.IsNaN(d) {
				worst = d
			}
		}
		if err := r.check(fmt.Sprintf("%s of %d unknowns: largest difference from the plain reference, all blocks", s.name, s.N), worst,
			16*8*1.5*kernels.Float64.Epsilon()); err != nil {
			return err
		}
	}
	return r.checkCounts(r.dev)
}

// checkCounts counts the cycles of small shapes on the device and by the plain reference.
func (r *run) checkCounts(dev kernels.Device) error {
	for _, c := range []struct {
		name string
		islam.Shape
		islam.Blocks
	}{{"line of 40", islam.Lines(40, 1), islam.Blocks{Tile: 16, Overlap: 4, Sweeps: 8}},
		{"plane of 20²", islam.Plane(20), islam.Blocks{Tile: 12, Overlap: 2, Sweeps: 8}},
		{"cube of 16³", islam.Cube(16), islam.Blocks{Tile: 12, Overlap: 2, Sweeps: 8}}} {
		p, err := islam.New(dev, kernels.Float64, c.Shape)
		if err != nil {
			return err
		}
		got, err := p.Count(c.Blocks, blockTolerance, blockMost)
		u, f := p.Start()
		p.Free()
		if err != nil {
			return err
		}
		want := c.PlainCount(u, f, c.Blocks, blockTolerance)
		if err := r.check(fmt.Sprintf("%s, blocks of %d, overlap %d, %d sweeps: cycles beside the %d of the plain reference", c.name, c.Tile, c.Overlap, c.Sweeps,
			want), math.Abs(float64(got-want)), 0); err != nil {
			return err
		}
	}
	return nil
}

// cycleError returns the largest difference of a cycle on noise from the plain reference.
func cycleError(dev kernels.Device, s islam.Shape, b islam.Blocks) (float64, error) {
	p, err := islam.New(dev, kernels.Float64, s)
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
	return largestDifference(got, s.PlainCycle(u, f, b)), nil
}
