package physics

import (
	"math"

	"convect/kernels"
	"convect/stencil"
)

// wave is mean + amp cos(k s + phase).
type wave struct{ mean, amp, k, phase float64 }

// d returns the derivative of the given order at s.
func (w wave) d(order int, s float64) float64 {
	v := 0.0
	if w.amp != 0 { // many are constant, and cosines are what these tests would spend their time on
		v = w.amp * math.Cos(w.k*s+w.phase+float64(order)*math.Pi/2)
	}
	if order == 0 {
		return v + w.mean
	}
	for range order {
		v *= w.k
	}
	return v
}

// upTo2 returns the wave and its first two derivatives at s.
func (w wave) upTo2(s float64) [3]float64 {
	if w.amp == 0 {
		return [3]float64{w.mean}
	}
	sin, cos := math.Sincos(w.k*s + w.phase)
	return [3]float64{w.amp*cos + w.mean, -w.amp * w.k * sin, -w.amp * w.k * w.k * cos}
}

// one is the wave that is 1 everywhere.
var one = wave{mean: 1}

// manufactured is a steady solution of the whole system with a heat source made for it. With
//
//	p  = g(x,y) S'(z)/m(z) - Ra (τ0 (H-z) + τ1 (H² - z²)/2),   g = Gx Gy,
//	Kx = c(x,y) m(z),   Ky = r Kx,   c = Cx Cy,   Kz = κx κy κz,
//
// Darcy's law gives u_x and u_y, ∇·u = 0 gives u_z up to a uniform flow, and Darcy's law in z gives T:
//
//	u_x = -c ∂g/∂x S',   u_y = -r c ∂g/∂y S',   u_z = [∂x(c ∂x g) + r ∂y(c ∂y g)] S + w (+ what wells add),
//	T = (u_z/Kz + ∂p/∂z)/Ra.
type manufactured struct {
	extent     stencil.Extent
	rayleigh   float64
	gx, gy, s  wave
	cx, cy, m  wave
	kz         [3]wave // κx, κy, κz
	r          float64 // Ky/Kx
	upflow     float64 // w
	tau0, tau1 float64 // linear stratification τ0 + τ1 z
	// diffusivity along each axis: D_d times shape(x) shape(y) shape(z).
	diffusivity [3]float64
	shape       [3]wave
	// viscosity μ(T, S), nil: none; the permeability is multiplied by μ of the solution, so that the mobility stays.
	viscosity *Law
	lengths   Dispersion
	// loss is the rate at the origin of what is lost to surroundings at z, (1 + x) times as much at x.
	loss float64
	// salt is N of a solute that shares the buoyancy with T; 0: there is none. With saltShape its diffusivity varies as that of heat does.
	salt      float64
	saltShape bool
	// wells is what they add to u_z: a well at every node has the rate of its volume times the slope of it, and injects the solution's values.
	wells wave
}

// ray has the waves of one axis at a place of it, each with two derivatives: g is Gx, Gy or S, c is Cx, Cy or m, k is κ.
type ray struct {
	g, c  [3]float64
	k     float64
	wells float64 // along z
}

// ray evaluates the waves of axis d at s.
func (m *manufactured) ray(d int, s float64) ray {
	k := m.kz[d].d(0, s)
	switch d {
	case kernels.X:
		return ray{m.gx.upTo2(s), m.cx.upTo2(s), k, 0}
	case kernels.Y:
		return ray{m.gy.upTo2(s), m.cy.upTo2(s), k, 0}
	}
	return ray{m.s.upTo2(s), m.m.upTo2(s), k, m.wells.d(0, s)}
}

// place is a point with the waves of each axis.
type place struct {
	x  [3]float64
	at [3]ray
}

func (m *manufactured) place(x [3]float64) place {
	p := place{x: x}
	for d := range 3 {
		p.at[d] = m.ray(d, x[d])
	}
	return p
}

// shifted is the place h further along axis d.
func (m *manufactured) shifted(p place, d int, h float64) place {
	p.x[d] += h
	p.at[d] = m.ray(d, p.x[d])
	return p
}

// velocity returns the Darcy velocity.
func (m *manufactured) velocity(x [3]float64) [3]float64 { return m.velocityAt(m.place(x)) }

func (m *manufactured) velocityAt(p place) [3]float64 {
	gx, gy, s, cx, cy := p.at[0].g, p.at[1].g, p.at[2].g, p.at[0].c, p.at[1].c
	c := cx[0] * cy[0]
	dx, dy := gx[1]*gy[0], gx[0]*gy[1]
	u := [3]float64{-c * dx * s[1], -m.r * c * dy * s[1], 0}
	spread := cx[1]*cy[0]*dx + c*gx[2]*gy[0]
	spread += m.r * (cx[0]*cy[1]*dy + c*gx[0]*gy[2])
	u[2] = spread*s[0] + m.upflow + p.at[2].wells
	return u
}

func (m *manufactured) pressure(x [3]float64) float64 {
	h := m.extent.Size[2]
	column := m.tau0*(h-x[2]) + m.tau1*(h*h-x[2]*x[2])/2
	return m.gx.d(0, x[0])*m.gy.d(0, x[1])*m.s.d(1, x[2])/m.m.d(0, x[2]) - m.rayleigh*column
}

// pressureSlope is ∂p/∂z.
func (m *manufactured) pressureSlope(x [3]float64) float64 { return m.pressureSlopeAt(m.place(x)) }

func (m *manufactured) pressureSlopeAt(p place) float64 {
	s, k := p.at[2].g, p.at[2].c
	return p.at[0].g[0]*p.at[1].g[0]*(s[2]/k[0]-s[1]*k[1]/(k[0]*k[0])) + m.rayleigh*(m.tau0+m.tau1*p.x[2])
}

func (m *manufactured) temperature(x [3]float64) float64 { return m.temperatureAt(m.place(x)) }

func (m *manufactured) temperatureAt(p place) float64 {
	t := (m.velocityAt(p)[2]/(p.at[0].k*p.at[1].k*p.at[2].k) + m.pressureSlopeAt(p)) / m.rayleigh
	if m.salt != 0 {
		t -= m.salt * m.concentration(p.x)
	}
	return t
}

func (m *manufactured) permeability(d int, x [3]float64) float64 {
	if d == kernels.Z {
		return m.kz[0].d(0, x[0]) * m.kz[1].d(0, x[1]) * m.kz[2].d(0, x[2])
	}
	k := m.cx.d(0, x[0]) * m.cy.d(0, x[1]) * m.m.d(0, x[2])
	if d == kernels.Y {
		k *= m.r
	}
	return k
}

func (m *manufactured) diffusion(d int, x [3]float64) float64 {
	return m.diffusivity[d] * m.shape[0].d(0, x[0]) * m.shape[1].d(0, x[1]) * m.shape[2].d(0, x[2])
}

// derivatives are the first and the second derivative of T along axis d by sixth-order differences, exact to about 1e-10
// for these functions.
func (m *manufactured) derivatives(d int, at place) (first, second float64) {
	h := 0.01 * m.extent.Size[d]
	second = -49.0 / 18 * m.temperatureAt(at)
	for i, c := range [3][2]float64{{0.75, 1.5}, {-0.15, -0.15}, {1.0 / 60, 1.0 / 90}} {
		step := float64(i+1) * h
		below, above := m.temperatureAt(m.shifted(at, d, -step)), m.temperatureAt(m.shifted(at, d, step))
		first += c[0] * (above - below)
		second += c[1] * (above + below)
	}
	return first / h, second / (h * h)
}

// slope is ∂T/∂x_d.
func (m *manufactured) slope(d int, p place) float64 {
	first, _ := m.derivatives(d, p)
	return first
}

// source is Q = ∇·(uT) - ∇·((D + E)∇T) + B (T - T_a), written out with ∇·u = 0; wells add T ∇·u on both sides.
func (m *manufactured) source(x [3]float64) float64 {
	at, q := m.place(x), 0.0
	u := m.velocityAt(at)
	for d := range 3 {
		if m.extent.Cells[d] == 0 {
			continue
		}
		first, second := m.derivatives(d, at)
		diffusion := m.diffusion(d, x)
		slope := diffusion * m.shape[d].d(1, x[d]) / m.shape[d].d(0, x[d]) // ∂D_d/∂x_d
		q += (u[d]-slope)*first - diffusion*second - m.spreading(m.slope, d, x)
	}
	return q + m.rate(x)*(m.temperature(x)-m.surroundings(x))
}

// rate is B, and surroundings T_a.
func (m *manufactured) rate(x [3]float64) float64         { return m.loss * (1 + x[0]) }
func (m *manufactured) surroundings(x [3]float64) float64 { return x[2] }

// spatial makes a Func of a function in space.
func spatial(f func(x [3]float64) float64) Func {
	return func(x, y, z, _ float64) float64 { return f([3]float64{x, y, z}) }
}

// condition names what is prescribed on a wall: the manufactured value of it.
type condition struct {
	heat HeatKind
	flow FlowKind
}

// wall returns the condition with the manufactured values.
func (m *manufactured) wall(s kernels.Side, c condition) Wall {
	d, out := s.Axis(), -1.0
	if s.High() {
		out = 1
	}
	w := Wall{Heat: c.heat, Flow: c.flow, Inflow: spatial(m.temperature)}
	w.HeatValue = spatial(m.temperature)
	inward := func(x [3]float64) float64 {
		p := m.place(x)
		return out * (m.diffusion(d, x)*m.slope(d, p) + m.spread(m.slope, d, p))
	}
	switch c.heat {
	case HeatFlux:
		w.HeatValue = spatial(inward)
	case HeatTransfer:
		coefficient := func(x [3]float64) float64 { return 2 + math.Sin(x[0]+x[1]+x[2]) }
		w.HeatCoefficient = spatial(coefficient)
		w.HeatValue = spatial(func(x [3]float64) float64 { return m.temperature(x) + inward(x)/coefficient(x) })
	}
	switch c.flow {
	case FixedPressure:
		w.FlowValue = spatial(m.pressure)
	case FixedVelocity:
		w.FlowValue = spatial(func(x [3]float64) float64 { return -out * m.velocity(x)[d] })
	case Open:
		if c.heat == FixedTemperature { // what stands outside makes the manufactured pressure
			w.Inflow = spatial(func(x [3]float64) float64 { return m.pressureSlope(x)/m.rayleigh - m.salt*m.concentration(x) })
		}
	}
	if m.salt != 0 {
		*w.Of(0) = m.soluteAt(s, c.heat)
	}
	return w
}

// parameters returns the model with n times the extent's cells along each axis, starting from the solution.
func (m *manufactured) parameters(n int, walls [6]condition, scheme kernels.Scheme) Parameters {
	e := m.extent
	for d := range 3 {
		e.Cells[d] *= n
	}
	p := heated(e, m.rayleigh)
	p.Transport = scheme
	material := func(f func(d int, x [3]float64) float64) Material {
		var per [3]func(x [3]float64) float64
		for d := range 3 {
			per[d] = func(x [3]float64) float64 { return f(d, x) }
		}
		return cells(e, per)
	}
	p.Permeability, p.Diffusivity = material(m.permeability), material(m.diffusion)
	p.Permeability = constantIfUniform(p.Permeability)
	if p.Viscosity = m.viscosity; m.viscosity != nil {
		p.Permeability = material(func(d int, x [3]float64) float64 {
			return m.permeability(d, x) * m.viscosity.Of(m.temperature(x), m.concentration(x))
		})
	}
	p.Diffusivity, p.Dispersion = constantIfUniform(p.Diffusivity), m.lengths
	p.HeatSource = spatial(m.source)
	if m.loss > 0 {
		p.HeatLoss = Term{Rate: spatial(m.rate), Toward: spatial(m.surroundings)}
	}
	p.Initial = Initial{Temperature: spatial(m.temperature)}
	if m.salt != 0 {
		p.Solutes = []Solute{m.solute(e)}
	}
	if m.wells != (wave{}) {
		p.Wells = m.wellsAtNodes(e)
	}
	for s := range walls {
		p.Walls[s] = m.wall(kernels.Side(s), walls[s])
	}
	return p
}

// constantIfUniform turns a material whose cells agree into a constant one.
func constantIfUniform(m Material) Material {
	var c Material
	for d := range 3 {
		for _, v := range m.Cells[d] {
			if v != m.Cells[d][0] {
				return m
			}
		}
		c.Constant[d] = m.Cells[d][0]
	}
	return c
}
