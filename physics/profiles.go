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

// profileNodes is how many nodes profiles take to the host at a time, of the velocity and of a scalar.
var profileNodes = 1 << 24

// Profiles computes the horizontal means of the present state, each node weighted by its dual area. It takes some levels to the host at a time.
func (s *Simulation) Profiles() (*Profile, error) {
	m := s.model
	velocity := m.scratch.borrow("velocity")
	defer m.scratch.giveBack(velocity)
	m.flow.NodeVelocity(velocity, kernels.Z)
	n := m.grid.Box.N
	p := &Profile{Z: m.walls.x[kernels.Z]}
	for range m.scalars {
		p.Scalars = append(p.Scalars, ScalarProfile{make([]float64, n[2]), make([]float64, n[2])})
	}
	levels := min(max(profileNodes/(n[0]*n[1]), 1), n[2])
	w, values := make([]float64, levels*n[0]*n[1]), make([]float64, levels*n[0]*n[1])
	for first := 0; first < n[2]; first += levels {
		part, err := m.grid.Part([3]int{0, 0, first}, [3]int{n[0], n[1], min(levels, n[2]-first)})
		if err == nil {
			err = part.Download(w[:part.Nodes()], velocity)
		}
		for i, u := range m.scalars {
			if err == nil {
				err = part.Download(values[:part.Nodes()], u.now)
			}
			if err == nil {
				u.profile(&p.Scalars[i], &part, values, w)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// profile computes the horizontal means of some levels, of values of a scalar and of what a vertical velocity on nodes carries of it.
func (u *scalar) profile(p *ScalarProfile, of *stencil.Part, values, w []float64) {
	g, n := u.grid, u.grid.Box.N
	area := g.Volume() / g.Size[kernels.Z]
	var widths [2][]float64
	for d := range widths {
		for i := range n[d] {
			widths[d] = append(widths[d], g.DualWidth(d, i))
		}
	}
	parallel.Ranges(of.N[2], func(first, last int) {
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
			p.Mean[of.Low[2]+k], p.Carried[of.Low[2]+k] = mean, carried
		}
	})
}
