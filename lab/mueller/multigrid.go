package mueller

import (
	"fmt"
	"math"

	"convect/kernels"
)

// Multigrid solves A u = f by V-cycles that merge columns and smooth them by their vertical systems.
type Multigrid struct {
	levels []*level
}

// level is one panel of the hierarchy.
type level struct {
	*Problem
	u, f, spare kernels.Buffer // correction, right side (of the finest level the residual), and room for a sweep
	factor      [2]int         // to the next level
	pre, post   []float64      // weights of the smoother
}

// merged is the largest part of the mass in a diagonal at which columns are merged: where it is more, sweeps alone converge fast.
const merged = 0.2

// NewMultigrid builds the hierarchy for cycles with pre and post sweeps: V(pre,post). Its memory is released by Free, all
// but the finest operator.
func (p *Problem) NewMultigrid(pre, post int) (*Multigrid, error) {
	if pre < 1 || post < 0 {
		return nil, fmt.Errorf("mueller: %d sweeps before and %d after the correction are too few", pre, post)
	}
	s := &Multigrid{}
	for q := p; ; {
		l := &level{Problem: q, factor: q.merge(), pre: chebyshev(pre, q.spread.rough, q.spread.high),
			post: chebyshev(post, q.spread.rough, q.spread.high)}
		s.levels = append(s.levels, l)
		if err := l.allocate(); err != nil {
			s.Free()
			return nil, err
		}
		if l.factor == [2]int{1, 1} {
			l.pre, l.post = chebyshev(l.lastSweeps(), q.spread.least, q.spread.high), nil
			return s, nil
		}
		coarse := q.Parameters
		coarse.Columns = [2]int{q.Columns[0] / l.factor[0], q.Columns[1] / l.factor[1]}
		next, err := newProblem(q.Device, q.Elem, q.Panel.Order, coarse, q.omega)
		if err != nil {
			s.Free()
			return nil, err
		}
		q = next
	}
}

// merge returns the factors to the next coarser panel: both axes are halved, or neither.
func (p *Problem) merge() [2]int {
	factor := [2]int{2, 2}
	for d, n := range p.Columns {
		if n == 1 {
			factor[d] = 1
		} else if n%2 != 0 {
			return [2]int{1, 1}
		}
	}
	if p.spread.least > merged {
		return [2]int{1, 1}
	}
	return factor
}

func (l *level) allocate() error {
	for _, f := range []*kernels.Buffer{&l.u, &l.f, &l.spare} {
		var err error
		if *f, err = l.NewField(); err != nil {
			return err
		}
	}
	return nil
}

// chebyshev returns the weights whose sweeps make the Chebyshev polynomial of degree n on [a, b], in an order in which no
// product of the first of them is large (Leja: each root as far from those before as can be). In the order of size the
// rounding of many sweeps in float32 grows beyond the solution.
func chebyshev(n int, a, b float64) []float64 {
	roots, w := make([]float64, n), make([]float64, n)
	for k := range roots {
		roots[k] = (b + a + (b-a)*math.Cos(math.Pi*(2*float64(k)+1)/(2*float64(n)))) / 2
	}
	for k := range w {
		best, far := k, 0.0
		for c := k; c < n && k > 0; c++ {
			product := 1.0
			for _, r := range roots[:k] {
				product *= math.Abs(roots[c]-r) / (b - a)
			}
			if product > far {
				best, far = c, product
			}
		}
		roots[k], roots[best] = roots[best], roots[k]
		w[k] = 1 / roots[k]
	}
	return w
}

// lastSweeps returns the degree that reduces every error of the coarsest level tenfold: T_n((b+a)/(b-a)) >= 10.
func (l *level) lastSweeps() int {
	const reduction, limit = 10, 50
	s := l.spread
	if s.high <= s.least {
		return 1
	}
	n := math.Ceil(math.Acosh(reduction) / math.Acosh((s.high+s.least)/(s.high-s.least)))
	return int(min(n, limit))
}

// smooth makes one sweep, from zero if so told.
func (l *level) smooth(weight float64, zero bool) {
	a := ColumnSmoothArgs{A: &l.a, Out: l.spare, U: l.u, F: l.f, Omega: weight}
	if zero {
		a.U = nil
	}
	l.Device.ColumnSmooth(a)
	l.u, l.spare = l.spare, l.u
}

// cycle makes u of level n an approximation of A⁻¹ f, from zero.
func (s *Multigrid) cycle(n int) {
	l := s.levels[n]
	for sweep, w := range l.pre {
		l.smooth(w, sweep == 0)
	}
	if n == len(s.levels)-1 {
		return
	}
	c := s.levels[n+1]
	l.Device.ColumnRestrict(ColumnRestrictArgs{A: &l.a, U: l.u, F: l.f, Coarse: c.Panel, CoarseF: c.f, Factor: l.factor})
	s.cycle(n + 1)
	l.Device.ColumnProlong(ColumnProlongArgs{Fine: l.Panel, Coarse: c.Panel, U: l.u, CoarseU: c.u, Factor: l.factor})
	for _, w := range l.post {
		l.smooth(w, false)
	}
}

// Solve solves A u = f from a zero first guess until the norm of the residual is tolerance times the first, or for the most
// cycles. Every cycle solves for a correction from the residual, which is updated with the image of the correction.
func (s *Multigrid) Solve(u, f kernels.Buffer, tolerance float64, most int) (Result, error) {
	l, m := s.levels[0], &iteration{tolerance: tolerance, most: most}
	l.Device.Fill(kernels.FillArgs{X: u})
	l.Device.Copy(kernels.CopyArgs{Dst: l.f, Src: f})
	rr, err := l.dot(f, f)
	for err == nil && !m.done(rr) {
		s.cycle(0)
		l.Device.ColumnCorrect(ColumnCorrectArgs{A: &l.a, U: u, R: l.f, Z: l.u, Slot: slot})
		var v []float64
		if v, err = l.Device.Scalars(); err != nil {
			err = fmt.Errorf("mueller: %w", err)
			break
		}
		rr = v[slot]
	}
	return m.Result, err
}

// Levels returns the numbers of columns of all levels, the finest first.
func (s *Multigrid) Levels() (all [][2]int) {
	for _, l := range s.levels {
		all = append(all, l.Columns)
	}
	return all
}

// Free releases the coarser levels.
func (s *Multigrid) Free() {
	for _, l := range s.levels[1:] {
		l.Problem.Free()
	}
	s.levels = s.levels[:1]
}
