package main

import (
	"fmt"
	"math"
	"time"

	"convect/kernels"
	"convect/multigrid"
	"convect/stencil"
)

// ours is the problem on the device, solved by cycles alone after a pass of full multigrid, the fastest from a zero first guess
// (docs/notebook.md).
type ours struct {
	grid     *stencil.Grid
	boundary *stencil.Boundary
	op       *stencil.Operator
	solver   *multigrid.Solver
	u, f     *stencil.Field
	right    *stencil.Field // f, which a solve with no fixed node makes consistent
	setup    float64        // seconds to build the solver
}

// newOurs builds the problem with all walls fixed or none.
func newOurs(dev kernels.Device, n int, o *options, fixed bool) (*ours, error) {
	p := &ours{}
	if err := p.build(dev, n, o, fixed); err != nil {
		p.free()
		return nil, err
	}
	return p, nil
}

func (p *ours) build(dev kernels.Device, n int, o *options, fixed bool) (err error) {
	e := stencil.Extent{Cells: [3]int{n, n, n}, Size: [3]float64{1, 1, 1}}
	if p.grid, err = stencil.NewGrid(dev, kernels.Float64, e); err != nil {
		return err
	}
	var walls [6][]bool
	for s := range walls {
		if fixed {
			walls[s] = make([]bool, p.grid.Box.WallNodes(kernels.Side(s)))
			for i := range walls[s] {
				walls[s][i] = true
			}
		}
	}
	if p.boundary, err = stencil.NewBoundary(p.grid, walls); err != nil {
		return err
	}
	if p.op, err = stencil.NewOperator(p.boundary, stencil.Coefficients{Constant: [3]float64{1, 1, 1}, Stencil: o.stencil}); err != nil {
		return err
	}
	for _, f := range []**stencil.Field{&p.u, &p.f, &p.right} {
		if *f, err = p.grid.NewField("field", p.boundary); err != nil {
			return err
		}
	}
	p.right.Upload(p.source())
	start := time.Now()
	p.solver, err = multigrid.New(p.op, multigrid.Options{Method: multigrid.Multigrid, Cycle: multigrid.FullMultigrid,
		Tolerance: o.tolerance, Mixed: o.precision == "mixed"})
	if err != nil {
		return err
	}
	err = dev.Sync()
	p.setup = time.Since(start).Seconds()
	return err
}

// source returns f V on the nodes.
func (p *ours) source() []float64 {
	n, x := p.grid.Box.N[0], p.grid.Coordinates(0)
	v := make([]float64, p.grid.Nodes())
	for m := range v {
		i, j, k := m%n, m/n%n, m/(n*n)
		volume := p.grid.DualWidth(0, i) * p.grid.DualWidth(1, j) * p.grid.DualWidth(2, k)
		v[m] = volume * math.Exp(x[i]) * math.Cos(3*x[j]) * (1 + x[k]*x[k])
	}
	return v
}

// solve solves from zero.
func (p *ours) solve() (s solve, err error) {
	p.f.Copy(p.right)
	p.u.Fill(0)
	if err = p.grid.Device.Sync(); err != nil {
		return s, err
	}
	start := time.Now()
	result, err := p.solver.Solve(p.u, p.f, 0)
	if err == nil {
		err = p.grid.Device.Sync()
	}
	s = solve{seconds: time.Since(start).Seconds(), setup: p.setup, iterations: result.Iterations}
	if err != nil {
		return s, err
	}
	s.residual, err = p.relativeResidual()
	return s, err
}

// relativeResidual computes ‖f - A u‖/‖f‖ over the free nodes on the host, from downloaded values.
func (p *ours) relativeResidual() (float64, error) {
	u, err := p.u.Download()
	if err != nil {
		return 0, err
	}
	f, err := p.f.Download()
	if err != nil {
		return 0, fmt.Errorf("residual: %w", err)
	}
	applied := make([]float64, len(u))
	if p.op.Stencil() == kernels.TwentySevenPoint {
		addElements(applied, u, p.grid.Box.N[0])
	} else {
		addFaces(applied, u, p.grid.Box.N[0])
	}
	n := p.grid.Box.N[0]
	rest, size := 0.0, 0.0
	for m := range u {
		wall := false
		for _, i := range indices(m, n) {
			wall = wall || i == 0 || i == n-1
		}
		if wall && !p.op.Singular() {
			continue
		}
		rest += (f[m] - applied[m]) * (f[m] - applied[m])
		size += f[m] * f[m]
	}
	return math.Sqrt(rest / size), nil
}

// indices returns i, j, k of node m on n³ nodes.
func indices(m, n int) [3]int { return [3]int{m % n, m / n % n, m / (n * n)} }

// addFaces adds A u of the 7-point operator on n³ nodes of the unit cube, from the fluxes through dual faces.
func addFaces(applied, u []float64, n int) {
	h, strides := 1/float64(n-1), [3]int{1, n, n * n}
	for m := range u {
		ijk := indices(m, n)
		part := [3]float64{1, 1, 1} // of a whole dual width
		for d, i := range ijk {
			if i == 0 || i == n-1 {
				part[d] = 0.5
			}
		}
		for d, i := range ijk {
			if i < n-1 {
				flux := h * part[(d+1)%3] * part[(d+2)%3] * (u[m] - u[m+strides[d]])
				applied[m] += flux
				applied[m+strides[d]] -= flux
			}
		}
	}
}

// addElements adds A u of trilinear elements on n³ nodes of the unit cube, cell by cell with the 8 x 8 matrix of one: products
// of 1-D stiffness (1, -1) in one direction and mass (1/3, 1/6) in the others.
func addElements(applied, u []float64, n int) {
	h := 1 / float64(n-1)
	var matrix [8][8]float64
	var corner [8]int
	for a := range 8 {
		corner[a] = a&1 + a>>1&1*n + a>>2*n*n
		for b := range 8 {
			for d := range 3 {
				product := h
				for e := range 3 {
					same := a>>e&1 == b>>e&1
					switch {
					case e == d && !same:
						product *= -1
					case e != d && same:
						product /= 3
					case e != d:
						product /= 6
					}
				}
				matrix[a][b] += product
			}
		}
	}
	for m := range u {
		if ijk := indices(m, n); max(ijk[0], ijk[1], ijk[2]) == n-1 {
			continue // no cell begins here
		}
		for a, row := range matrix {
			sum := 0.0
			for b, weight := range row {
				sum += weight * u[m+corner[b]]
			}
			applied[m+corner[a]] += sum
		}
	}
}

func (p *ours) free() {
	if p.solver != nil {
		p.solver.Free()
	}
	for _, f := range []*stencil.Field{p.u, p.f, p.right} {
		f.Free()
	}
	if p.op != nil {
		p.op.Free()
	}
	if p.boundary != nil {
		p.boundary.Free()
	}
	if p.grid != nil {
		p.grid.Free()
	}
}
