package stencil

import (
	"fmt"

	"convect/kernels"
)

// Dispersivity raises the conductivity of an operator by the speed of a flow,
//
//	k_d = K_d + length |u|,
//
// with K_d the conductivity that the operator was made with and u the velocity at the centre of a cell. Fields stay on the device.
type Dispersivity struct {
	Operator *Operator

	fixed  kernels.Elliptic // K
	length float64
	slot   int     // of Dispersivity, or of Disperse
	ahead  bool    // Disperse computes k
	known  bool    // most is that of the present k
	most   float64 // the largest length |u|
}

// NewDispersivity gives an operator conductivities of its own, K, to be renewed by Update, and the stencil of 7 points. It comes before the operator is
// coarsened or copied.
func NewDispersivity(o *Operator, length float64) (*Dispersivity, error) {
	v := &Dispersivity{Operator: o, fixed: o.elliptic, length: length}
	o.elliptic.Stencil = kernels.SevenPoint
	err := o.renewable(&v.fixed)
	if err == nil {
		v.slot, err = o.Grid.Device.Reserve("couplings", 2)
	}
	if err != nil {
		return nil, fmt.Errorf("stencil: dispersivity: %w", err)
	}
	v.renew(unmoved(&o.elliptic), 0)
	return v, o.measure()
}

// Update computes the conductivities of a flow, and returns the largest length |u|. Operators coarsened from this one have to be refreshed then. Where K is one for all
// directions and Disperse has computed them, they are those of the flow that it saw last.
func (v *Dispersivity) Update(f *Flow) (float64, error) {
	if v.ahead {
		v.Operator.Grid.wrapCells(v.Operator.elliptic.Cells[0])
		v.Operator.conduct()
	} else {
		f.resolve()
		v.renew(f.buffers(), v.length)
		v.known = false
	}
	if !v.known {
		s, err := v.Operator.Grid.Device.Scalars()
		if err != nil {
			return 0, fmt.Errorf("stencil: dispersivity: %w", err)
		}
		v.Read(s)
	}
	return v.most, nil
}

// Read takes the largest length |u| from the reduction slots, so that Update need not wait for it.
func (v *Dispersivity) Read(slots []float64) { v.most, v.known = slots[v.slot], true }

// ask lets Disperse compute the conductivities with its own flow, where K is one for all directions.
func (v *Dispersivity) ask(a *kernels.DisperseArgs) {
	if v == nil || sharedConductivity(&v.fixed, 1) != 0 || sharedConductivity(&v.fixed, 2) != 0 {
		return
	}
	a.HeldK, a.HeldCells, a.HeldLength, a.Held = v.fixed.K[0], v.fixed.Cells[0], v.length, v.Operator.elliptic.Cells[0]
	v.slot, v.ahead, v.known = a.Slot+2, true, false
}

// unmoved returns arrays that serve for velocities where their length is 0.
func unmoved(a *kernels.Elliptic) [3]kernels.Buffer {
	return [3]kernels.Buffer{a.Cells[0], a.Cells[0], a.Cells[0]}
}

// renew computes the conductivities of face velocities.
func (v *Dispersivity) renew(q [3]kernels.Buffer, length float64) {
	o := v.Operator
	for d := range 3 {
		if sharedConductivity(&v.fixed, d) < d {
			continue
		}
		o.Grid.Device.Dispersivity(kernels.DispersivityArgs{Box: o.Grid.Box, Periodic: o.Grid.Periodic, Q: q, K: v.fixed.K[d],
			Cells: v.fixed.Cells[d], Length: length, Out: o.elliptic.Cells[d], Slot: v.slot})
		o.Grid.wrapCells(o.elliptic.Cells[d])
	}
	o.conduct()
}

// Disperse adds to the integrated gain of every node what dispersion brings there, and queues into three slots from slot on what it carries along axis d
// times distance, its dissipation, and what the next Update of held returns, whose conductivities it computes; nil: of none. See kernels.DisperseArgs.
func (t *Transport) Disperse(out, scalar *Field, longitudinal, transverse float64, form kernels.Spreading, d int, held *Dispersivity, slot int) {
	g := scalar.Grid
	t.Flow.resolve()
	scalar.Exchange(1)
	a := kernels.DisperseArgs{Box: g.Box, H: g.h, RH: g.rh, Q: t.Flow.buffers(), T: scalar.Buffer, Longitudinal: longitudinal,
		Transverse: transverse, Form: form, Axis: d, Out: out.Buffer, Slot: slot}
	held.ask(&a)
	g.Device.Disperse(a)
}
