package physics

import (
	"math"

	"convect/kernels"
	"convect/stencil"
)

// What wells carry is a part of the advection of a state, extrapolated with it: what they bring and take then belongs to the same flow as what passes faces, so that
// a constant stays constant, to the tolerance of the pressure, whatever the course of their rates.

// setWells takes the values of what wells inject at a time into the range that the scalar may reach.
func (u *scalar) setWells(t float64) {
	for _, l := range u.wells.all {
		if of := l.of.bring(u.place); of != nil {
			u.met.value(value(of, l.x, t))
		}
	}
	u.wellTime = t
}

// carryWells adds to the advection of the present state what wells bring and take, and notes the mean of each well.
func (u *scalar) carryWells() {
	u.wellsIn = 0
	for _, l := range u.wells.all {
		l.carry(u, value(l.of.bring(u.place), l.x, u.wellTime))
	}
}

// carry does so for one well, which brings a value.
func (l *well) carry(u *scalar, brings float64) {
	injected, produced, taken := 0.0, 0.0, 0.0
	for i := range l.parts {
		p := &l.parts[i]
		if l.idle() || p.Download(p.has, u.now) != nil || p.Download(p.gets, u.advection) != nil { // kept by the device, returned by what reads the sample
			continue
		}
		for n, q := range p.rates {
			gain := q * brings
			if q < 0 {
				gain = q * p.has[n]
				produced, taken = produced+q, taken+gain
			} else {
				injected += q
			}
			p.gets[n] += gain
			u.wellsIn += gain
		}
		p.Upload(u.advection, p.gets)
	}
	switch {
	case injected+produced > 0:
		l.means[u.place] = brings
	case produced < 0:
		l.means[u.place] = taken / produced
	default:
		l.means[u.place] = math.NaN()
	}
}

// measureDivergence queues the largest |∇·u| less what wells bring.
func (m *model) measureDivergence() {
	if len(m.wells.all) == 0 {
		return
	}
	left := m.convergence()
	defer m.scratch.giveBack(left)
	left.Reduce(kernels.MaxAbs, nil, m.slots+slotDivergence)
}

// convergence borrows a field with what wells bring, less ∇·u.
func (m *model) convergence() *stencil.Field {
	unit, left := m.scratch.borrow("divergence"), m.scratch.borrow("outflow")
	defer m.scratch.giveBack(left)
	unit.Fill(1)
	alone := stencil.Transport{Flow: m.flow.Flow, Scheme: kernels.Central}
	alone.Advect(left, unit) // minus what flows out
	m.wells.feed(left)
	volume := *m.flow.mobility.Unmasked()
	volume.SetMassScale(1)
	unit.Fill(0)
	volume.MassUpdate(unit, left)
	return unit
}
