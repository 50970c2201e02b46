package mueller

import (
	"fmt"

	"convect/kernels"
)

// Problem is the discrete operator of a problem on a device.
type Problem struct {
	Parameters
	Device Device
	Elem   kernels.Elem
	Panel  Panel
	omega  float64
	a      ColumnOperator
	spread spread
	owned  []kernels.Buffer
}

// New discretises a problem on a device. Free releases it. It fails on numbers that make no sense on a device without the kernels, and
// when memory does not suffice.
func New(d kernels.Device, e kernels.Elem, order Order, p Parameters) (*Problem, error) {
	on, ok := On(d)
	if !ok {
		return nil, fmt.Errorf("mueller: %s has no kernels on columns", d.Info().Name)
	}
	return newProblem(on, e, order, p, p.Omega())
}

// newProblem is New with a given ω.
func newProblem(d Device, e kernels.Elem, order Order, p Parameters, omega float64) (*Problem, error) {
	if p.Columns[0] < 1 || p.Columns[1] < 1 || p.Levels < 1 {
		return nil, fmt.Errorf("mueller: there are no %d x %d columns of %d cells", p.Columns[0], p.Columns[1], p.Levels)
	}
	if !(omega > 0) || !(p.Lambda > 0) || !(p.Depth > 0) {
		return nil, fmt.Errorf("mueller: ω = %g, λ = %g and H = %g must be positive", omega, p.Lambda, p.Depth)
	}
	s := &Problem{Parameters: p, Device: d, Elem: e, omega: omega,
		Panel: NewPanel([3]int{p.Columns[0], p.Columns[1], p.Levels}, order)}
	if err := s.discretise(); err != nil {
		s.Free()
		return nil, err
	}
	return s, nil
}

// discretise fills the operator.
func (p *Problem) discretise() error {
	levels := func() []float64 { return make([]float64, p.Panel.Levels()) }
	mass, vertical, horizontal := levels(), levels(), levels()
	for k := range p.Levels {
		z := float64(k)
		mass[k] = p.weight(p.Height(z), p.Height(z+1))
		horizontal[k] = p.omega * p.omega * mass[k]
		if k > 0 {
			r := p.Height(z)
			apart := (p.Height(z+1) - p.Height(z-1)) / 2
			vertical[k] = p.omega * p.omega * p.Lambda * p.Lambda / apart
			if !p.Flat {
				vertical[k] *= r * r
			}
		}
	}
	area, x, y := make([]float64, p.Panel.Around), make([]float64, p.Panel.Around), make([]float64, p.Panel.Around)
	for j := range p.Columns[1] {
		for i := range p.Columns[0] {
			at := p.Panel.Horizontal(i, j)
			area[at] = p.area(i, j)
			x[at], y[at] = p.edges(i, j)
		}
	}
	p.spread = p.bounds(area, x, y)
	p.a.Panel = p.Panel
	for _, b := range []struct {
		to     *kernels.Buffer
		values []float64
	}{
		{&p.a.Mass, mass}, {&p.a.Vertical, vertical}, {&p.a.Horizontal, horizontal},
		{&p.a.Area, area}, {&p.a.EdgeX, x}, {&p.a.EdgeY, y},
	} {
		var err error
		if *b.to, err = p.alloc(p.Elem, len(b.values)); err != nil {
			return err
		}
		p.Device.Upload(*b.to, b.values)
	}
	return p.Device.Sync()
}

// alloc allocates memory that Free releases.
func (p *Problem) alloc(e kernels.Elem, n int) (kernels.Buffer, error) {
	b, err := p.Device.Alloc(e, n)
	if err != nil {
		return nil, fmt.Errorf("mueller: %w", err)
	}
	p.owned = append(p.owned, b)
	return b, nil
}

// Operator returns the operator for kernels.
func (p *Problem) Operator() *ColumnOperator { return &p.a }

// NewField allocates a field of zeros, released with the problem.
func (p *Problem) NewField() (kernels.Buffer, error) { return p.alloc(p.Elem, p.Panel.Len) }

// Set uploads to a field the values of a function of X, Y and r at the midpoints of cells, with Integrated times the
// volumes of the cells: |T| ∫ r² dr.
func (p *Problem) Set(field kernels.Buffer, integrated bool, value func(x, y, r float64) float64) {
	v := make([]float64, p.Panel.Len)
	p.each(func(i, j, k int, x, y, r float64) {
		f := value(x, y, r)
		if integrated {
			f *= p.area(i, j) * p.weight(p.Height(float64(k)), p.Height(float64(k+1)))
		}
		v[p.Panel.Index(i, j, k)] = f
	})
	p.Device.Upload(field, v)
}

// each visits the cells with their midpoints.
func (p *Problem) each(visit func(i, j, k int, x, y, r float64)) {
	for j := range p.Columns[1] {
		for i := range p.Columns[0] {
			x, y := p.Place(float64(i)+0.5, float64(j)+0.5)
			for k := range p.Levels {
				visit(i, j, k, x, y, (p.Height(float64(k))+p.Height(float64(k+1)))/2)
			}
		}
	}
}

// Values downloads a field as [j][i][k].
func (p *Problem) Values(field kernels.Buffer) ([]float64, error) {
	all := make([]float64, p.Panel.Len)
	if err := p.Device.Download(all, field); err != nil {
		return nil, fmt.Errorf("mueller: %w", err)
	}
	v := make([]float64, 0, p.Panel.Cells())
	p.each(func(i, j, k int, _, _, _ float64) { v = append(v, all[p.Panel.Index(i, j, k)]) })
	return v, nil
}

// Free releases the operator and all fields made by the problem. A second call does nothing.
func (p *Problem) Free() {
	for _, b := range p.owned {
		p.Device.Free(b)
	}
	p.owned = nil
}

// spread bounds the eigenvalues of M⁻¹A: over all errors from least on, over those that merged columns cannot represent from
// rough on, and always below high.
type spread struct{ least, rough, high float64 }

// bounds computes the spread from the horizontal coefficients: the mass of a column is |T|/ω² in units of α.
func (p *Problem) bounds(area, x, y []float64) spread {
	s := spread{1, 1, 1}
	both := p.Columns[1] > 1
	for j := range p.Columns[1] {
		for i := range p.Columns[0] {
			at := p.Panel.Horizontal(i, j)
			ax, ay := x[at-1]+x[at], y[at-p.Panel.Row]+y[at]
			mass := area[at] / (p.omega * p.omega)
			least := ax
			if both {
				least = min(ax, ay)
			}
			diagonal := mass + ax + ay
			s.least = min(s.least, mass/diagonal)
			s.rough = min(s.rough, (mass+least)/diagonal)
			s.high = max(s.high, (mass+2*(ax+ay))/diagonal)
		}
	}
	return s
}
