package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// How the passes of closed_trilinear_advect.cu, closed_trilinear_statistics.cu and closed_trilinear_flux.cu march: 12 warps on a multiprocessor.
var (
	trilinearAdvect     = march{help: 1, seen: advectHalo, rows: trilinearRows, each: 1, blocks: heavySlabs, planes: closedPlanes}
	trilinearStatistics = march{help: 1, seen: 1, rows: trilinearRows, each: 1, blocks: heavySlabs, planes: closedPlanes}
	trilinearVelocities = march{help: 1, seen: 1, rows: trilinearRows, each: 1, blocks: heavySlabs, planes: closedPlanes}
)

const trilinearRows = 4

// evenTrilinear tells whether an operator in 3-D is one of trilinear elements of constant K and even widths, and returns these.
func evenTrilinear(a *kernels.Elliptic) (h [3]float64, ok bool) {
	if a.Stencil != kernels.TwentySevenPoint {
		return h, false
	}
	return a.Shape.Width, notEvenTrilinear(a) == ""
}

// notEvenTrilinear tells why an operator of trilinear elements is not one of constant K and even widths in 3-D; "": it is.
func notEvenTrilinear(a *kernels.Elliptic) string {
	if a.Conductivity() != kernels.Constant {
		return call.OnCells
	}
	return notEven(a, 2)
}

// weighClosed fills in the weights of closed_trilinear.cuh.
func weighClosed(s *call.ClosedTrilinear, elem kernels.Elem, h [3]float64) {
	k, ra := s.Closed.Conductivity, s.Closed.Rayleigh
	var w [3]float64
	for d := range w {
		w[d] = k[d] / (h[d] * h[d])
	}
	// A quotient of which 0/0 is 0: where nothing is conducted there are no fluxes.
	part := func(a, b float64) float64 {
		if a == 0 {
			return 0
		}
		return a / b
	}
	of := func(v float64) call.Real { return realOf(elem, v) }
	all, lift := w[0]+w[1]+w[2], 0.5*ra*h[2]
	turned := func(d int) (turn, beside float64) {
		return -3 * part(ra*k[2], h[2]*(w[d]+w[2])), 0.25 - part(w[d]+w[2], 3*all)
	}
	across := func(d int) float64 { return 1.0/6 - part(w[d], 6*(w[d]+w[2])) }
	// Along x averages in y are made of second differences, along y those in x of neighbours.
	turn, beside := turned(0)
	s.Turn[0], s.Beside[0] = of(turn), of(beside)
	turn, beside = turned(1)
	s.Turn[1], s.Beside[1] = of(turn*(1-2*beside)), of(beside/(1-2*beside))
	for d := range s.Across {
		s.Across[d] = of(k[d] / (36 * h[d]))
	}
	corner := 1.0/36 + (across(0)+across(1)-1.0/3)/4 + part(w[0]+w[1], 18*all)
	s.Lift = [4]call.Real{of(lift), of(lift * across(0)), of(lift * across(1)), of(lift * corner)}

	// A sum over cells of a difference along d, averaged across: 1 - 1/6 (of squared differences across) and so on.
	for d, v := range s.Closed.AdvectMeasured.K {
		w[d] = v / (h[d] * h[d])
	}
	all = w[0] + w[1] + w[2]
	s.Lost = [7]call.Real{of(w[0] * h[0]), of(w[1] * h[1]), of(w[2] * h[2]), of((w[0] + w[1]) / 6 * h[0] * h[1]),
		of((w[0] + w[2]) / 6 * h[0] * h[2]), of((w[1] + w[2]) / 6 * h[1] * h[2]), of(all / 36 * h[0] * h[1] * h[2])}
}

// trilinearFlux computes the velocities on the faces between nodes.
func (d *Device) trilinearFlux(c *call.Call, f *call.Darcy, h [3]float64) {
	s := call.ClosedTrilinear{Q: f.Q, Closed: call.Closed{P: f.P, Mean: f.Mean, Rayleigh: f.Rayleigh, Conductivity: f.A.K}}
	s.Closed.AdvectMeasured = call.AdvectMeasured{H: f.A.H, RH: f.A.RH, K: f.A.K}
	s.Closed.AdvectMeasured.Flow = call.Advect{Box: f.A.Box, W: f.A.W, T: f.T, Periodic: f.Periodic}
	weighClosed(&s, c.Elem, h)
	d.launch(c, "trilinear_darcy_flux_even", trilinearVelocities.over(c), unsafe.Pointer(&s), unsafe.Sizeof(s))
}
