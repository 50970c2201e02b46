package bench

import (
	"fmt"
	"math"

	"convect/kernels"
	"convect/lab/mueller"
)

// checkedPanel is the size at which solvers are checked.
var checkedPanel = mueller.Parameters{Columns: [2]int{20, 14}, Levels: 21, Courant: 8.4, Lambda: 1, Depth: 0.01}

// checkPCG compares A u of both kinds of matrix with the plain operator, and solutions with one whose residual by the plain
// operator is a hundredth of the tolerance. In float32 a stored matrix has lost most of the mass beside the vertical coupling, so that its
// solution is another; it is compared as a product only.
func (r *run) checkPCG(kind string, order mueller.Order) error {
	r.progress("checking %s, %s", kind, order)
	exact, err := r.exactColumns()
	if err != nil {
		return err
	}
	p, err := newColumnProblem(r.dev, columnCase{kind: kind, order: order}, checkedPanel)
	if err != nil {
		return err
	}
	defer p.Free()
	all, err := p.solvers()
	defer func() { freeSolvers(all) }()
	if err != nil {
		return err
	}
	if err := r.checkProducts(p); err != nil {
		return err
	}
	for _, s := range all {
		if s.form == mueller.Stored && p.Elem == kernels.Float32 {
			continue
		}
		if _, err := s.solve(p.u, p.f, pcgTolerance, pcgMost); err != nil {
			return err
		}
		u, err := p.Values(p.u)
		if err != nil {
			return err
		}
		most := 0.0
		for _, v := range exact {
			most = max(most, math.Abs(v))
		}
		if err := r.check(fmt.Sprintf("%s, %s, %s: largest difference from the solution, of the largest value", kind, order, s.name),
			largestDifference(u, exact)/most, 100*pcgTolerance); err != nil {
			return err
		}
	}
	return nil
}

// exactColumns solves the checked problem and checks what is left with the plain operator.
func (r *run) exactColumns() ([]float64, error) {
	p, err := newColumnProblem(r.dev, columnCase{kind: float64Name}, checkedPanel)
	if err != nil {
		return nil, err
	}
	defer p.Free()
	s, err := p.NewKrylov(mueller.Plain)
	if err != nil {
		return nil, err
	}
	if _, err := s.Solve(p.u, p.f, 1e-12, pcgMost); err != nil {
		return nil, err
	}
	left, err := p.plainResidual()
	if err != nil {
		return nil, err
	}
	if err := r.check("residual of the solution that others are compared with, by the plain operator", left, pcgTolerance/100); err != nil {
		return nil, err
	}
	return p.Values(p.u)
}

// checkProducts compares A u with the plain operator: seven differences, products and sums, each rounded.
func (r *run) checkProducts(p *columnProblem) error {
	worst := 0.0
	for _, form := range []mueller.Form{mueller.Stored, mueller.Plain} {
		s, err := p.NewKrylov(form)
		if err != nil {
			return err
		}
		random, at := noise(p.Panel.Cells(), 3), 0
		f := s.Fields() // r, z, p, q: the product is q = A p
		p.Set(f[2], false, func(_, _, _ float64) float64 { at++; return random[at-1] })
		s.Parts(p.u)[0].Run()
		got, err := p.Values(f[3])
		if err != nil {
			return err
		}
		want, size, err := p.plainProduct(f[2])
		if err != nil {
			return err
		}
		for n := range got {
			if d := math.Abs(got[n]-want[n]) / size[n]; d > worst || math.IsNaN(d) {
				worst = d
			}
		}
	}
	return r.check(fmt.Sprintf("%s, %s: A u less that of the plain operator, of the sum of its terms' sizes", p.kind, p.order), worst,
		16*p.Elem.Epsilon())
}
