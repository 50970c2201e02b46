package cuda

import (
	"math"

	"convect/kernels"
	"convect/kernels/call"
)

// weighStrip fills in the weights of differences: those of A, -A (times Scale) or, in sweeps, -ω/D A at inner nodes.
func weighStrip(e *call.EvenSweep, elem kernels.Elem, kernel string, a *kernels.Elliptic, s *call.Sweep, h [3]float64) {
	var c [3]float64
	for d := range c {
		c[d] = a.K[d] / (h[d] * h[d])
	}
	volume := h[0] * h[1] * h[2]
	// The negative stiffness over the volume between a node and one (x,y,z) steps away: of the tensor products of
	// K = (-1 2 -1)/h² and M = (1 4 1)/6.
	w := func(x, y, z int) float64 {
		k, m := [2]float64{2, -1}, [2]float64{4.0 / 6, 1.0 / 6}
		return -(c[0]*k[x]*m[y]*m[z] + c[1]*m[x]*k[y]*m[z] + c[2]*m[x]*m[y]*k[z])
	}
	diagonal := 2 * (c[0] + c[1] + c[2])
	if s.A.Points == 27 {
		diagonal = -w(0, 0, 0)
	}
	scale, source := -volume, 0.0
	switch kernel {
	case "residual":
		source = 1
		if s.Single != 0 {
			source = s.Scale
		}
		scale = volume * source
	case "smooth":
		scale = 0
		if diagonal += a.MassScale; diagonal != 0 {
			scale = s.Omega / diagonal
		}
		source = scale / volume
	case "mass":
		scale, source = 0, 1/(a.MassScale*volume)
	}
	of := func(v float64) call.Real { return realOf(elem, scale*v) }
	e.SourceScale, e.Mass = realOf(elem, source), of(-a.MassScale)
	if s.A.Points == 7 {
		e.X, e.Y, e.Z = of(c[0]), of(c[1]), of(c[2])
		return
	}
	e.X, e.OwnBeside, e.Y = of(w(1, 0, 0)), of(w(1, 1, 0)), of(w(0, 1, 0)+2*w(1, 1, 0))
	e.FarX, e.FarBeside, e.FarY = of(w(1, 0, 1)), of(w(1, 1, 1)), of(w(0, 1, 1)+2*w(1, 1, 1))
	e.Z = of(w(0, 0, 1) + 2*w(1, 0, 1) + 2*w(0, 1, 1) + 4*w(1, 1, 1))
}

// weighCells fills in the same for one K a cell, beside a mass (per volume).
func weighCells(e *call.EvenSweep, elem kernels.Elem, kernel string, mass float64, s *call.Sweep, h [3]float64) {
	volume := h[0] * h[1] * h[2]
	w := [3]float64{1 / (h[0] * h[0]), 1 / (h[1] * h[1]), 1 / (h[2] * h[2])}
	of := func(v float64) call.Real { return realOf(elem, v) }
	inZ, diagonal := volume/4*w[2], volume/4*w[2] // of the sum of fluxes, and of that of the diagonal
	if s.A.Points == 7 {
		e.X, e.Y = of(w[0]/w[2]), of(w[1]/w[2])
	} else {
		// The eigenvalue of the mode with differences along some axes, as it comes back to nodes.
		mode := func(differs ...bool) (l float64) {
			for d := range w {
				if !differs[d] {
					continue
				}
				part := volume / 8 * 2 * w[d]
				for o := range w {
					switch {
					case o == d:
					case differs[o]:
						part /= 6
					default:
						part /= 2
					}
				}
				l += part
			}
			return l
		}
		inZ = mode(false, false, true)
		near := [3]float64{mode(true, false, false) + mode(true, false, true), mode(false, true, false) + mode(false, true, true),
			mode(true, true, false) + mode(true, true, true)}
		e.Near = [3]call.Real{of(near[0] / inZ), of(near[1] / inZ), of(near[2] / near[0])}
		e.Far = [3]call.Real{of((mode(true, false, false) - mode(true, false, true)) / near[0]),
			of((mode(false, true, false) - mode(false, true, true)) / near[1]),
			of((mode(true, true, false) - mode(true, true, true)) / near[2])}
		inZ, diagonal = -inZ, volume/9*(w[0]+w[1]+w[2])
	}
	e.Z, e.Mass, e.OwnMass = of(inZ), of(mass*volume/inZ), of(mass*volume/diagonal)
	switch kernel {
	case "apply":
		e.SourceScale = of(-inZ)
	case "residual":
		e.SourceScale = of(1)
		if s.Single != 0 {
			e.SourceScale = of(s.Scale)
		}
	case "smooth":
		e.SourceScale = of(s.Omega / diagonal)
	}
}

// sideFactors fills in what A u and f are multiplied by at walls, and 0 at fixed sides. Integrated values are halves at walls; a sweep, which works
// on values per volume, doubles f instead.
func sideFactors(e *call.EvenSweep, elem kernels.Elem, fixed [6]int64, balance, source float64) {
	for side := range fixed {
		b, f := balance, source
		switch {
		case fixed[side] != 0:
			b, f = 0, 0
		case e.Open[side] != 0:
			b, f = 1, 1
		}
		e.Balance[side], e.Source[side] = realOf(elem, b), realOf(elem, f)
	}
}

// realOf makes a number of a type.
func realOf(e kernels.Elem, v float64) call.Real {
	if e == kernels.Float32 {
		return call.Real(math.Float32bits(float32(v)))
	}
	return call.Real(math.Float64bits(v))
}
