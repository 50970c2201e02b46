package physics

import (
	"convect/kernels"
	"convect/kernels/parallel"
	"convect/stencil"
)

// Profile holds horizontal means over height.
type Profile struct {
	Z       []float64       // height of the nodes
	Scalars []ScalarProfile // by the order of Parameters.Transported
}

// ScalarProfile holds the horizontal means of a scalar.
type ScalarProfile struct {
	Mean    []float64
	Carried []float64 // mean of the vertical velocity times the scalar
}

// Profiles computes the horizontal means of the present state, each node weighted by its dual area.
func (s *Simulation) Profiles() (*Profile, error) {
	m := s.model
	var vertical stencil.Frozen
	defer vertical.Release()
	velocity := m.scratch.borrow("velocity")
	defer m.scratch.giveBack(velocity)
	m.flow.NodeVelocity(velocity, kernels.Z)
	if err := velocity.Freeze(&vertical); err != nil {
		return nil, err
	}
	w, err := vertical.Values()
	if err != nil {
		return nil, err
	}
	p := &Profile{Z: m.walls.x[kernels.Z]}
	for _, u := range m.scalars {
		of, err := u.profile(w)
		if err != nil {
			return nil, err
		}
		p.Scalars = append(p.Scalars, of)
	}
	return p, nil
}

// profile computes the horizontal means of a scalar and of what a vertical velocity on nodes carries of it.
func (u *scalar) profile(w []float64) (p ScalarProfile, err error) {
	var frozen stencil.Frozen
	defer frozen.Release()
	if err := u.now.Freeze(&frozen); err != nil {
		return p, err
	}
	values, err := frozen.Values()
	if err != nil {
		return p, err
	}
	g, n := u.grid, u.grid.Box.N
	p = ScalarProfile{make([]float64, n[2]), make([]float64, n[2])}
	area := g.Volume() / g.Size[kernels.Z]
	var widths [2][]float64
	for d := range widths {
		for i := range n[d] {
			widths[d] = append(widths[d], g.DualWidth(d, i))
		}
	}
	parallel.Ranges(n[2], func(first, last int) {
		for k := first; k < last; k++ {
			mean, carried := 0.0, 0.0
			for j, y := range widths[kernels.Y] {
				row := n[0] * (j + n[1]*k)
				rowS, rowW := values[row:][:n[0]], w[row:][:n[0]]
				for i, x := range widths[kernels.X] {
					a := x * y / area
					mean += a * rowS[i]
					carried += a * rowS[i] * rowW[i]
				}
			}
			p.Mean[k], p.Carried[k] = mean, carried
		}
	})
	return p, nil
}
