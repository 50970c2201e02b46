package physics

import (
	"fmt"
	"math"

	"convect/stencil"
)

// Buoyancy is b of the buoyancy Ra b as a function of the temperature and of the concentration of the first solute, which is 0 where there is none.
type Buoyancy struct {
	Of func(temperature, concentration float64) float64
	// OfTemperature and OfConcentration tell what it depends on: at least one of them.
	OfTemperature, OfConcentration bool
}

// Entries of the table of b: along each of two scalars, or along one alone. Interpolated linearly, a parabola c s² is off by c (4/512)²/8 = 8e-6 c at most
// where the table spans 4 in s, of one scalar alone by 3e-8 c.
const (
	densityEntries = 1<<9 + 1
	densityAlone   = 1<<13 + 1
)

// density makes b follow one or two scalars through a table over centre ± reach of each. It grows as that of the viscosity does.
type density struct {
	of      Buoyancy
	scalars [2]*scalar // of columns and rows; the same one where b depends on it alone
	table   *stencil.Tabulated
	values  []float64
	shape   [2]int
	// Centre and reach belong to the state of a run; excursion is the largest |s - centre| now.
	centre, reach, excursion [2]float64
}

// newDensity finds what b depends on.
func newDensity(of *Buoyancy, scalars []*scalar, isothermal bool) *density {
	d := &density{of: *of}
	var all []*scalar
	for _, u := range scalars {
		heat := !isothermal && u == scalars[0]
		if heat && of.OfTemperature || !heat && of.OfConcentration && len(all) < 2 && (isothermal && u == scalars[0] || !isothermal && len(scalars) > 1 && u == scalars[1]) {
			all = append(all, u)
		}
	}
	d.scalars, d.shape = [2]*scalar{all[0], all[len(all)-1]}, [2]int{densityEntries, densityEntries}
	if len(all) == 1 {
		d.shape = [2]int{densityAlone, 2}
	}
	return d
}

// at is b of values of the two scalars.
func (d *density) at(v [2]float64) float64 {
	if d.scalars[0] != d.scalars[1] {
		return d.of.Of(v[0], v[1])
	}
	if d.of.OfTemperature {
		return d.of.Of(v[0], 0)
	}
	return d.of.Of(0, v[0])
}

// note takes the range of a scalar at the start.
func (d *density) note(u *scalar, low, high float64) {
	for n := range d.scalars {
		if d.scalars[n] == u {
			d.centre[n], d.excursion[n] = (low+high)/2, (high-low)/2
			d.reach[n] = math.Max(2*d.excursion[n], 1)
		}
	}
}

// begin makes the table. It fails where b is no number between the scalars' values at the start.
func (d *density) begin() error {
	low, high := d.extremes(1, func(n int) float64 { return 2 * d.excursion[n] })
	if math.IsNaN(low+high) || math.IsInf(low, 0) || math.IsInf(high, 0) {
		return fmt.Errorf("buoyancy: it is no number at all values that the %s and the %s have at the start", d.scalars[0].of.Name, d.scalars[1].of.Name)
	}
	d.tabulate()
	return nil
}

// extremes returns the least and the greatest b where each scalar is a part of a span from the centre.
func (d *density) extremes(part float64, span func(n int) float64) (low, high float64) {
	const points = 64
	low, high = math.Inf(1), math.Inf(-1)
	for c := range (points + 1) * (points + 1) {
		var v [2]float64
		for n, i := range [2]int{c % (points + 1), c / (points + 1)} {
			v[n] = d.centre[n] + part*span(n)*(float64(i)/points-0.5)
		}
		b := d.at(v)
		if math.IsNaN(b) {
			return b, b
		}
		low, high = math.Min(low, b), math.Max(high, b)
	}
	return low, high
}

// tabulate fills the table. Where b is no number, beyond all values met so far, it keeps the last value along the columns.
func (d *density) tabulate() {
	n := d.shape
	d.values = d.values[:0]
	for j := range n[1] {
		for i := range n[0] {
			v := d.at([2]float64{d.place(0, i), d.place(1, j)})
			if math.IsNaN(v) || math.IsInf(v, 0) {
				v = 0
				if i > 0 {
					v = d.values[len(d.values)-1]
				}
			}
			d.values = append(d.values, v)
		}
	}
	low, high := [2]float64{}, [2]float64{}
	for k := range low {
		low[k], high[k] = d.centre[k]-d.reach[k], d.centre[k]+d.reach[k]
	}
	d.table.Set(low, high, d.values)
}

// place is the value of a scalar that belongs to an entry.
func (d *density) place(n, entry int) float64 {
	return d.centre[n] + d.reach[n]*(2*float64(entry)/float64(d.shape[n]-1)-1)
}

// renew computes b of the present scalars.
func (d *density) renew(into *stencil.Field) {
	wider := false
	for n := range d.reach {
		if d.excursion[n] > 0.75*d.reach[n] {
			d.reach[n], wider = 2*d.excursion[n], true
		}
	}
	if wider {
		d.tabulate()
	}
	d.table.Apply(into, d.scalars[0].now, d.scalars[1].now)
}

// measure queues how far the scalars are from the centre of the table.
func (d *density) measure() {
	for n, u := range d.scalars {
		u.now.Excursion(d.centre[n], u.slots+slotDensity+n)
	}
}

// numbers lists its numbers of a state by name.
func (d *density) numbers() map[string]*float64 {
	return map[string]*float64{"buoyancy_centre_0": &d.centre[0], "buoyancy_reach_0": &d.reach[0], "buoyancy_centre_1": &d.centre[1], "buoyancy_reach_1": &d.reach[1]}
}
