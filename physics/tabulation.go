package physics

import (
	"fmt"
	"math"

	"convect/stencil"
)

// Entries of the table of a law: along each of two scalars, or along one alone. Interpolated linearly, a parabola c s² is off by c (4/512)²/8 = 8e-6 c at most
// where the table spans 4 in s, of one scalar alone by 3e-8 c.
const (
	lawEntries = 1<<9 + 1
	lawAlone   = 1<<13 + 1
)

// TableLengths lists the lengths of the arrays on a device that tables of properties of the fluid take, whatever the grid.
func TableLengths() []int {
	return []int{viscosityEntries, fluidityEntries, lawEntries * lawEntries, 2 * lawAlone}
}

// tabulation makes a law follow one or two scalars through a table over centre ± reach of each. It grows as that of the viscosity does.
type tabulation struct {
	of      Law
	name    string     // of its numbers in a state, and in errors
	slot    int        // the first of two, of the excursions
	scalars [2]*scalar // of columns and rows; the same one where it depends on it alone
	table   *stencil.Tabulated
	values  []float64
	shape   [2]int
	// Centre and reach belong to the state of a run; excursion is the largest |s - centre| now.
	centre, reach, excursion [2]float64
}

// newTabulation finds what a law depends on: of the scalars the temperature, where there is one, and the first of those beside it.
func newTabulation(of *Law, scalars []*scalar, isothermal bool, name string, slot int) *tabulation {
	d := &tabulation{of: *of, name: name, slot: slot}
	var all []*scalar
	if of.OfTemperature && !isothermal {
		all = append(all, scalars[0])
	}
	if n := firstSolute(isothermal); of.OfConcentration && n < len(scalars) {
		all = append(all, scalars[n])
	}
	d.scalars, d.shape = [2]*scalar{all[0], all[len(all)-1]}, [2]int{lawEntries, lawEntries}
	if len(all) == 1 {
		d.shape = [2]int{lawAlone, 2}
	}
	return d
}

// firstSolute is the place of the first solute among the scalars.
func firstSolute(isothermal bool) int {
	if isothermal {
		return 0
	}
	return 1
}

// build allocates the table.
func (d *tabulation) build(g *stencil.Grid) (err error) {
	d.table, err = g.NewTabulated(d.shape[0], d.shape[1])
	return err
}

// at is the law at values of the two scalars.
func (d *tabulation) at(v [2]float64) float64 {
	if d.scalars[0] != d.scalars[1] {
		return d.of.Of(v[0], v[1])
	}
	if d.of.OfTemperature {
		return d.of.Of(v[0], 0)
	}
	return d.of.Of(0, v[0])
}

// note takes the range of a scalar at the start.
func (d *tabulation) note(u *scalar, low, high float64) {
	for n := range d.scalars {
		if d.scalars[n] == u {
			d.centre[n], d.excursion[n] = (low+high)/2, (high-low)/2
			d.reach[n] = math.Max(2*d.excursion[n], 1)
		}
	}
}

// begin makes the table. It fails where the law is no number between the scalars' values at the start.
func (d *tabulation) begin(what string) error {
	if _, _, whole := d.extremes(func(n int) float64 { return 2 * d.excursion[n] }); !whole {
		return fmt.Errorf("%s: it is %s at all values that the %s and the %s have at the start", d.name, what, d.scalars[0].of.Name, d.scalars[1].of.Name)
	}
	d.tabulate()
	return nil
}

// extremes returns the least and the greatest value of the law where each scalar is within a span around the centre, and whether it is a number everywhere there.
func (d *tabulation) extremes(span func(n int) float64) (low, high float64, whole bool) {
	const points = 64
	low, high, whole = math.Inf(1), math.Inf(-1), true
	for c := range (points + 1) * (points + 1) {
		var v [2]float64
		for n, i := range [2]int{c % (points + 1), c / (points + 1)} {
			v[n] = d.centre[n] + span(n)*(float64(i)/points-0.5)
		}
		b := d.at(v)
		if b-b != 0 {
			whole = false
			continue
		}
		low, high = math.Min(low, b), math.Max(high, b)
	}
	return low, high, whole
}

// tabulate fills the table. Where the law is no number, beyond all values met so far, it keeps the last value on the way from the centre, along the columns first.
func (d *tabulation) tabulate() {
	n := d.shape
	if d.values == nil {
		d.values = make([]float64, n[0]*n[1])
	}
	for j := range outwards(n[1]) {
		for i, from := range outwards(n[0]) {
			v := d.at([2]float64{d.place(0, i), d.place(1, j)})
			if v-v != 0 {
				v = d.last(i, from, j)
			}
			d.values[i+n[0]*j] = v
		}
	}
	low, high := [2]float64{}, [2]float64{}
	for k := range low {
		low[k], high[k] = d.centre[k]-d.reach[k], d.centre[k]+d.reach[k]
	}
	d.table.Set(low, high, d.values)
}

// last is the entry before one on the way from the centre; 0: there is none.
func (d *tabulation) last(i, from, j int) float64 {
	middle := d.shape[1] / 2
	switch {
	case from != i:
		return d.values[from+d.shape[0]*j]
	case j < middle:
		return d.values[i+d.shape[0]*(j+1)]
	case j > middle:
		return d.values[i+d.shape[0]*(j-1)]
	}
	return 0
}

// outwards visits so many entries from the middle to both ends, each with the one before it on the way; the middle with itself.
func outwards(n int) func(yield func(entry, from int) bool) {
	return func(yield func(entry, from int) bool) {
		middle := n / 2
		if !yield(middle, middle) {
			return
		}
		for _, way := range [2]int{-1, 1} {
			for i := middle + way; i >= 0 && i < n; i += way {
				if !yield(i, i-way) {
					return
				}
			}
		}
	}
}

// place is the value of a scalar that belongs to an entry.
func (d *tabulation) place(n, entry int) float64 {
	return d.centre[n] + d.reach[n]*(2*float64(entry)/float64(d.shape[n]-1)-1)
}

// widen makes the table wider where a scalar has come near its ends, and tells whether it did.
func (d *tabulation) widen() (wider bool) {
	for n := range d.reach {
		if d.excursion[n] > 0.75*d.reach[n] {
			d.reach[n], wider = 2*d.excursion[n], true
		}
	}
	if wider {
		d.tabulate()
	}
	return wider
}

// apply computes the law of the present scalars.
func (d *tabulation) apply(into *stencil.Field) {
	d.table.Apply(into, d.scalars[0].now, d.scalars[1].now)
}

// measure queues how far the scalars are from the centre of the table.
func (d *tabulation) measure() {
	for n, u := range d.scalars {
		u.now.Excursion(d.centre[n], u.slots+d.slot+n)
	}
}

// read takes the excursions from the reductions of the model.
func (d *tabulation) read(v []float64) { d.excursion = [2]float64{v[d.slot], v[d.slot+1]} }

// numbers lists its numbers of a state by name.
func (d *tabulation) numbers() map[string]*float64 {
	return map[string]*float64{d.name + "_centre_0": &d.centre[0], d.name + "_reach_0": &d.reach[0], d.name + "_centre_1": &d.centre[1], d.name + "_reach_1": &d.reach[1]}
}

// free releases the table.
func (d *tabulation) free() { d.table.Free() }
