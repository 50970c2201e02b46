package physics

import (
	"fmt"
	"maps"
	"math"

	"convect/stencil"
)

// viscosityEntries is the number of values of the table of 1/μ over temperature, a power of two and one. Interpolated
// linearly between them, exp(cT) is off by 2.4e-7 c² of itself at most where the table spans 4 in T.
const viscosityEntries = 1<<11 + 1

// fluidityEntries is that of the table of 1/μ over its logarithm, where μ depends on two scalars: 1/μ is off by (l/8192)²/8 of itself at most, with l the span of ln μ over the table of both.
const fluidityEntries = 1<<13 + 1

// viscosity makes the mobility K/μ follow a scalar, or two.
type viscosity struct {
	mobility *stencil.Mobility
	alone    *viscosityOfOne // nil: it follows two
	both     *viscosityOfTwo
}

// viscosityOfOne is 1/μ of a scalar, a table over centre ± reach that cells look up at the mean of their nodes.
type viscosityOfOne struct {
	of       func(value float64) float64
	scalar   *scalar
	mobility *stencil.Mobility
	values   []float64 // of the table, on the host
	// The table spans at least twice the initial range of the scalar, and it is widened before a step where the
	// scalar of the step before came near its ends. Both numbers belong to the state of a run.
	centre, reach float64
	excursion     float64 // largest |s - centre| now
}

// viscosityOfTwo is 1/μ of two scalars: a table of ln(1/μ) over both, looked up at nodes, and one of 1/μ over its logarithm, which cells look up at the mean of their nodes. So a cell has
// the geometric mean of its nodes, which is 1/μ of the mean values where ln μ is linear in both.
type viscosityOfTwo struct {
	logarithm *tabulation // ln(1/μ)
	mobility  *stencil.Mobility
	scratch   *scratch
	values    []float64 // of the table over the logarithm, on the host
}

// buildViscosity gives a mobility the viscosity of a model; nil: there is none.
func buildViscosity(d *domain, o *stencil.Operator, scalars []*scalar) (*viscosity, error) {
	if d.p.Viscosity.both() {
		return newViscosityOfTwo(d, o, scalars)
	}
	for _, u := range scalars {
		if u.of.viscosity == nil {
			continue
		}
		m, err := stencil.NewMobility(o, viscosityEntries)
		if err != nil {
			return nil, err
		}
		one := &viscosityOfOne{of: u.of.viscosity, scalar: u, mobility: m, values: make([]float64, viscosityEntries)}
		return &viscosity{mobility: m, alone: one}, nil
	}
	return nil, nil
}

func newViscosityOfTwo(d *domain, o *stencil.Operator, scalars []*scalar) (*viscosity, error) {
	m, err := stencil.NewMobility(o, fluidityEntries)
	if err != nil {
		return nil, err
	}
	of := d.p.Viscosity.Of
	logarithm := &Law{OfTemperature: true, OfConcentration: true, Of: func(t, s float64) float64 {
		if mu := of(t, s); valid(mu) {
			return -math.Log(mu)
		}
		return math.NaN()
	}}
	two := &viscosityOfTwo{logarithm: newTabulation(logarithm, scalars, d.p.Isothermal, "viscosity", slotViscosity), mobility: m, scratch: &d.scratch, values: make([]float64, fluidityEntries)}
	return &viscosity{mobility: m, both: two}, two.logarithm.build(d.grid)
}

// valid tells whether a viscosity can be one.
func valid(mu float64) bool { return mu > 0 && 1/mu > 0 && !math.IsInf(1/mu, 0) }

// scalars lists what the viscosity depends on.
func (v *viscosity) scalars() []*scalar {
	if v.alone != nil {
		return []*scalar{v.alone.scalar}
	}
	return v.both.logarithm.scalars[:]
}

// note takes the range of a scalar at the start. It fails where μ is not a positive number there.
func (v *viscosity) note(u *scalar, low, high float64) error {
	if v.both != nil {
		v.both.logarithm.note(u, low, high)
		return nil
	}
	if v.alone.scalar != u {
		return nil
	}
	return v.alone.begin(low, high)
}

// begin makes the tables of a viscosity whose scalars are all noted. It fails where μ is not a positive number at their values.
func (v *viscosity) begin() error {
	if v.both == nil {
		return nil
	}
	if err := v.both.logarithm.begin("not a positive number"); err != nil {
		return err
	}
	v.both.tabulateFluidity()
	return nil
}

// tabulate makes the tables of a state.
func (v *viscosity) tabulate() {
	if v.both == nil {
		v.alone.tabulate()
		return
	}
	v.both.logarithm.tabulate()
	v.both.tabulateFluidity()
}

// renew computes the mobility of the present scalars, for which the tables are widened as need be.
func (v *viscosity) renew() {
	switch {
	case v.both == nil:
		v.alone.widen()
	case v.both.logarithm.widen():
		v.both.tabulateFluidity()
	}
	v.update()
}

// update computes the mobility of the present scalars with the tables as they are.
func (v *viscosity) update() {
	if v.both == nil {
		v.mobility.Update(v.alone.scalar.now)
		return
	}
	at := v.both.scratch.borrow("logarithm of the fluidity")
	v.both.logarithm.apply(at)
	v.mobility.Update(at)
	v.both.scratch.giveBack(at)
}

// neutral makes the mobility that of μ = 1, with any field, until the tables are made again.
func (v *viscosity) neutral(of *stencil.Field) {
	values := make([]float64, max(viscosityEntries, fluidityEntries))
	for n := range values {
		values[n] = 1
	}
	v.mobility.SetTable(0, 1, values)
	v.mobility.Update(of)
}

// measure queues how far the scalars are from the centres of the tables.
func (v *viscosity) measure() {
	if v.both == nil {
		u := v.alone.scalar
		u.now.Excursion(v.alone.centre, u.slots+slotExcursion)
		return
	}
	v.both.logarithm.measure()
}

// read takes the excursions from the reductions of the model.
func (v *viscosity) read(own []float64) {
	if v.both == nil {
		v.alone.excursion = own[slotExcursion]
		return
	}
	v.both.logarithm.read(own)
}

// numbers lists the numbers of a state by name.
func (v *viscosity) numbers() map[string]*float64 {
	numbers := map[string]*float64{}
	if v.both != nil {
		maps.Copy(numbers, v.both.logarithm.numbers())
	} else {
		numbers["viscosity_centre"], numbers["viscosity_reach"] = &v.alone.centre, &v.alone.reach
	}
	return numbers
}

// greatestFluidity returns the largest 1/μ where each scalar is within a span around the centre of its table.
func (v *viscosity) greatestFluidity(span func(u *scalar) float64) float64 {
	if v.both == nil {
		return v.alone.greatestFluidity(span(v.alone.scalar))
	}
	l := v.both.logarithm
	_, most, _ := l.extremes(func(n int) float64 { return span(l.scalars[n]) })
	return math.Exp(most)
}

// free releases the tables; that of the mobility belongs to the operator.
func (v *viscosity) free() {
	if v != nil && v.both != nil {
		v.both.logarithm.free()
	}
}

// tabulateFluidity makes the table of 1/μ over all values that its logarithm has in the table of both scalars.
func (v *viscosityOfTwo) tabulateFluidity() {
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range v.logarithm.values {
		low, high = math.Min(low, l), math.Max(high, l)
	}
	if !(high > low) { // a constant, in disguise
		high = low + 1
	}
	for n := range v.values {
		v.values[n] = math.Exp(low + (high-low)*float64(n)/float64(len(v.values)-1))
	}
	v.mobility.SetTable(low, high, v.values)
}

// begin makes the table for initial values between two. It fails where μ is not a positive number there.
func (v *viscosityOfOne) begin(low, high float64) error {
	v.centre, v.excursion = (low+high)/2, (high-low)/2
	v.reach = math.Max(2*v.excursion, 1)
	for n := range v.values {
		t := low + (high-low)*float64(n)/float64(len(v.values)-1)
		if mu := v.of(t); !valid(mu) {
			return fmt.Errorf("viscosity: %g at the %s %g, in units of its difference, is not a positive number", mu, v.scalar.of.Name, t)
		}
	}
	v.tabulate()
	return nil
}

// tabulate fills the table. Where μ is not a positive number, beyond all values met so far, it keeps the last value
// on the way from the centre.
func (v *viscosityOfOne) tabulate() {
	middle := len(v.values) / 2
	for _, way := range [2]int{-1, 1} {
		last := 0.0
		for n := middle; n >= 0 && n < len(v.values); n += way {
			mu := v.of(v.centre + v.reach*float64(n-middle)/float64(middle))
			if valid(mu) {
				last = 1 / mu
			}
			v.values[n] = last
		}
	}
	v.mobility.SetTable(v.centre-v.reach, v.centre+v.reach, v.values)
}

// widen makes the table wider where the scalar has come near its ends.
func (v *viscosityOfOne) widen() {
	if v.excursion > 0.75*v.reach {
		v.reach = 2 * v.excursion
		v.tabulate()
	}
}

// greatestFluidity returns the largest 1/μ over a range of values around the centre.
func (v *viscosityOfOne) greatestFluidity(span float64) float64 {
	most := 0.0
	for n := range viscosityEntries {
		if mu := v.of(v.centre + span*(float64(n)/(viscosityEntries-1)-0.5)); valid(mu) {
			most = math.Max(most, 1/mu)
		}
	}
	return most
}
