package physics

import (
	"math"

	"convect/kernels"
)

// layer is a fluid at rest between two horizontal walls in a medium of properties that depend on z alone, on the nodes of a grid. What is linear in
// its disturbances e(a·x) is two equations in z for p and θ, of the form that package stencil gives them: with S the vertical Darcy flux that a unit of Ra θ drives,
//
//	-(K_z (p' - θ))' + (K_x a_x² + K_y a_y²) p = 0,   S θ = -K_z (p' - θ)
//	σ ∂θ/∂t = (D_z θ')' - (D_x a_x² + D_y a_y²) θ - Ra T̄' S θ
//
// so that a disturbance neither grows nor decays where 1/Ra is an eigenvalue of A⁻¹ B, A the diffusion and B θ = -T̄' S θ (Nield & Bejan, Convection in Porous
// Media, section 6.2; oscillating onset is left out).
type layer struct {
	h, width    []float64    // between nodes; dual widths
	k, d        [3][]float64 // of cells, along x, y, z
	capacity    []float64    // σ times dual width
	source      []float64    // integrated over the dual width, fluxes of walls included
	held        [2]bool      // bottom and top have a fixed temperature
	temperature [2]float64   // there
	ties        [2]float64   // coefficients of bottom and top to a temperature outside, whose part is in source
	pressed     [2]bool      // bottom and top have a fixed pressure
	waves       [][2]float64 // the squares a_x², a_y² that the box has room for
}

// tridiagonal is a symmetric matrix of diagonals; off[k] ties k and k+1.
type tridiagonal struct{ diagonal, off []float64 }

// solve returns the solution; b is lost.
func (m *tridiagonal) solve(b []float64) []float64 {
	n := len(b)
	pivot := append([]float64(nil), m.diagonal...)
	for k := 1; k < n; k++ {
		f := m.off[k-1] / pivot[k-1]
		pivot[k] -= f * m.off[k-1]
		b[k] -= f * b[k-1]
	}
	b[n-1] /= pivot[n-1]
	for k := n - 2; k >= 0; k-- {
		b[k] = (b[k] - m.off[k]*b[k+1]) / pivot[k]
	}
	return b
}

// hold makes the ends that are fixed rows of the unit matrix.
func (m *tridiagonal) hold(fixed [2]bool) {
	n := len(m.diagonal)
	if fixed[0] {
		m.diagonal[0], m.off[0] = 1, 0
	}
	if fixed[1] {
		m.diagonal[n-1], m.off[n-2] = 1, 0
	}
}

// operator is -(c_z u')' + (c_x a_x² + c_y a_y²) u, integrated over dual widths.
func (l *layer) operator(c [3][]float64, wave [2]float64) *tridiagonal {
	n := len(l.width)
	m := &tridiagonal{make([]float64, n), make([]float64, n-1)}
	for k, h := range l.h {
		along := (c[kernels.X][k]*wave[0] + c[kernels.Y][k]*wave[1]) * h / 2
		across := c[kernels.Z][k] / h
		m.diagonal[k] += along + across
		m.diagonal[k+1] += along + across
		m.off[k] = -across
	}
	return m
}

// conduction is the operator of heat, with what ties its ends.
func (l *layer) conduction(wave [2]float64) *tridiagonal {
	m := l.operator(l.d, wave)
	m.diagonal[0] += l.ties[0]
	m.diagonal[len(m.diagonal)-1] += l.ties[1]
	return m
}

// conduct returns the temperature after a step dt of implicit diffusion.
func (l *layer) conduct(t []float64, dt float64) []float64 {
	m := l.conduction([2]float64{})
	b := make([]float64, len(t))
	for k := range b {
		m.diagonal[k] += l.capacity[k] / dt
		b[k] = l.capacity[k]/dt*t[k] + l.source[k]
	}
	last := len(b) - 1
	if l.held[0] { // known values go to the right side, so that the matrix stays symmetric
		b[1] -= m.off[0] * l.temperature[0]
		b[0] = l.temperature[0]
	}
	if l.held[1] {
		b[last-1] -= m.off[last-1] * l.temperature[1]
		b[last] = l.temperature[1]
	}
	m.hold(l.held)
	return m.solve(b)
}

// drive returns B θ for the temperature t, with the pressure's operator of the same wave.
func (l *layer) drive(pressure *tridiagonal, t, theta []float64) []float64 {
	n := len(t)
	p, flux := make([]float64, n), make([]float64, n-1)
	for k := range flux {
		flux[k] = l.k[kernels.Z][k] * (theta[k] + theta[k+1]) / 2
		p[k] -= flux[k]
		p[k+1] += flux[k]
	}
	if l.pressed[0] {
		p[0] = 0
	}
	if l.pressed[1] {
		p[n-1] = 0
	}
	p = pressure.solve(p)
	b := make([]float64, n)
	for k := range flux {
		carried := (flux[k] - l.k[kernels.Z][k]*(p[k+1]-p[k])/l.h[k]) * (t[k] - t[k+1]) / 2
		b[k] += carried
		b[k+1] += carried
	}
	if l.held[0] {
		b[0] = 0
	}
	if l.held[1] {
		b[n-1] = 0
	}
	return b
}

// Iterations on eigenvalues, to a part in 10⁴, and how small a part of the greatest in size the largest may be and still be found.
const (
	eigenSteps = 200
	eigenPart  = 1e-4
	eigenLeast = 1e-3
)

// eigenvalue returns the largest eigenvalue of sign A⁻¹ B for a wave; 0 where none is positive.
func (l *layer) eigenvalue(t []float64, wave [2]float64, sign float64) float64 {
	heat, pressure := l.conduction(wave), l.operator(l.k, wave)
	heat.hold(l.held)
	pressure.hold(l.pressed)
	theta := make([]float64, len(t))
	for k := range theta {
		theta[k] = 1 + 0.3*math.Sin(float64(7*k))
	}
	iterate := func(shift float64) (value float64) {
		for range eigenSteps {
			next := heat.solve(l.drive(pressure, t, theta))
			above, below := 0.0, 0.0
			for k := range next {
				next[k] = sign*next[k] + shift*theta[k]
				above += next[k] * next[k]
				below += next[k] * theta[k]
			}
			before := value
			if below == 0 {
				return 0
			}
			value = above / below
			scale := 1 / math.Sqrt(above)
			for k := range next {
				theta[k] = next[k] * scale
			}
			if math.Abs(value-before) < eigenPart*math.Abs(value) {
				break
			}
		}
		return value
	}
	first := iterate(0)
	if first >= 0 {
		return first
	}
	shift := 1.01 * math.Abs(first)
	if largest := iterate(shift) - shift; largest > eigenLeast*shift {
		return largest
	}
	return 0
}

// critical returns the least positive Rayleigh number, times sign, at which the layer with a temperature is unstable to a wave that the box has
// room for; +Inf: none.
func (l *layer) critical(t []float64, sign float64) float64 {
	most := 0.0
	for k := range t[1:] {
		most = math.Max(most, sign*(t[k]-t[k+1]))
	}
	if most == 0 { // nowhere is what is light below
		return math.Inf(1)
	}
	most = 0
	for _, wave := range l.waves {
		most = math.Max(most, l.eigenvalue(t, wave, sign))
	}
	return 1 / most
}
