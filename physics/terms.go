package physics

import (
	"math"
	"sync"

	"convect/kernels"
	"convect/kernels/parallel"
)

// Term is what a scalar gains in a unit of volume and time beside transport, Gain + Rate (Toward - s). A step is implicit in Rate, which enters the
// diffusion operator as ties of all nodes.
type Term struct {
	Gain   Func // nil: 0
	Rate   Func // at least 0; nil: 0
	Toward Func // nil: 0
	Varies bool // a value above depends on time
	Course Course
}

// Given tells whether the term is there at all.
func (t *Term) Given() bool { return t.Gain != nil || t.Rate != nil }

// term is a term and how it is called.
type term struct {
	name string
	Term
}

// anyTerm tells whether something holds of a term that is given.
func (u *scalar) anyTerm(is func(t *term) bool) bool {
	for n := range u.of.terms {
		if t := &u.of.terms[n]; t.Given() && is(t) {
			return true
		}
	}
	return false
}

// given is for anyTerm.
func given(*term) bool { return true }

// varying is for anyTerm.
func varying(t *term) bool { return t.Varies }

// swells is for anyTerm: the term is a gain that is alike everywhere and varies in time.
func swells(t *term) bool { return t.Varies && t.Course.Uniform && t.Gain != nil && t.Rate == nil }

// rated is for anyTerm.
func rated(t *term) bool { return t.Rate != nil }

// gain returns what all terms give at a point, whatever the scalar is there.
func (u *scalar) gain(x [3]float64, t float64) float64 {
	sum := 0.0
	for _, of := range u.of.terms {
		sum += value(of.Gain, x, t)
	}
	return sum
}

// rate returns the rate of a term at a point, as ties take it: no firmer than they may be.
func (u *scalar) rate(of *term, x [3]float64, t float64) float64 {
	if of.Rate == nil {
		return 0
	}
	return min(max(of.Rate(x[0], x[1], x[2], t), 0), u.ties.fastest)
}

// overVolume integrates a function over the volumes of all nodes, [z][y][x], and passes the values of each row of nodes to seen.
func (u *scalar) overVolume(f func(x [3]float64) float64, seen func(row []float64)) []float64 {
	v, n, x := make([]float64, u.grid.Nodes()), u.grid.Box.N, u.walls.x
	var both sync.Mutex
	var widths [3][]float64
	for d := range widths {
		for i := range n[d] {
			widths[d] = append(widths[d], u.grid.DualWidth(d, i))
		}
	}
	parallel.Ranges(n[1]*n[2], func(first, last int) {
		values := make([]float64, n[0])
		for row := first; row < last; row++ {
			j, k := row%n[1], row/n[1]
			for i, width := range widths[0] {
				values[i] = f([3]float64{x[0][i], x[1][j], x[2][k]})
				v[i+n[0]*row] = width * widths[1][j] * widths[2][k] * values[i]
			}
			both.Lock()
			seen(values)
			both.Unlock()
		}
	})
	return v
}

// volumeSources returns the integrated gains of every node, those by rates from what they go towards among them, of some terms.
func (u *scalar) volumeSources(t float64, some func(t *term) bool) []float64 {
	v := make([]float64, u.grid.Nodes())
	add := func(more []float64) {
		for n := range v {
			v[n] += more[n]
		}
	}
	for n := range u.of.terms {
		of := &u.of.terms[n]
		if !some(of) {
			continue
		}
		if of.Gain != nil {
			add(u.overVolume(func(x [3]float64) float64 { return of.Gain(x[0], x[1], x[2], t) }, u.metGains))
		}
		if of.Rate != nil {
			u.meetToward(of, t)
			add(u.overVolume(func(x [3]float64) float64 { return u.rate(of, x, t) * value(of.Toward, x, t) }, func([]float64) {}))
		}
	}
	return v
}

// metGains notes gains in the range that the scalar may reach.
func (u *scalar) metGains(gains []float64) {
	for _, q := range gains {
		u.met.sources(min(q, 0), max(q, 0))
	}
}

// meetToward notes what a rate goes towards in the range that the scalar may reach.
func (u *scalar) meetToward(of *term, t float64) {
	u.overVolume(func(x [3]float64) float64 { return value(of.Toward, x, t) }, func(row []float64) {
		for _, v := range row {
			u.met.value(v)
		}
	})
}

// findRates integrates the rates of all terms at a time over the volumes of nodes, and tells whether they have changed.
func (u *scalar) findRates(t float64, all bool) (changed bool) {
	if !u.anyTerm(rated) || !all && !u.anyTerm(varying) {
		return false
	}
	now := u.overVolume(func(x [3]float64) float64 {
		sum := 0.0
		for n := range u.of.terms {
			sum += u.rate(&u.of.terms[n], x, t)
		}
		return sum
	}, func([]float64) {})
	for n, v := range now {
		changed = changed || u.ties.rates == nil || u.ties.rates[n] != v
	}
	u.ties.rates = now
	return changed
}

// addRates adds the rates of nodes to their ties, and to how firm they are.
func (u *scalar) addRates(values, firmness []float64) {
	h, most := u.grid.MinWidth(), u.of.diffusivity.Max()
	for n, v := range u.ties.rates {
		values[n] += v
		firmness[n] += v / u.volumes()[n] * h * h / most
	}
}

// volumes returns the volumes of nodes.
func (u *scalar) volumes() []float64 {
	if u.ties.volumes == nil {
		u.ties.volumes = u.overVolume(func([3]float64) float64 { return 1 }, func([]float64) {})
	}
	return u.ties.volumes
}

// buildRates allocates what measures what rates take away.
func (u *scalar) buildRates() (err error) {
	if u.ties.rates == nil {
		return nil
	}
	if u.ties.rated, err = u.grid.NewField("rates", nil); err == nil {
		u.ties.rated.Upload(u.ties.rates)
	}
	return err
}

// measureRates returns Σ c V s, what rates take away.
func (u *scalar) measureRates() float64 {
	if u.ties.rated == nil {
		return 0
	}
	u.now.Reduce(kernels.Dot, u.ties.rated, u.slots+slotLeft)
	v, err := u.dev.Scalars()
	if err != nil {
		return 0 // kept by the device, returned by what reads the balance
	}
	return v[u.slots+slotLeft]
}

// levelTerms tells whether the gains are the same all over every horizontal plane at all times, and nothing else is gained.
func (u *scalar) levelTerms() bool {
	if u.anyTerm(varying) || u.anyTerm(rated) {
		return false
	}
	if !u.anyTerm(given) {
		return true
	}
	x, n := u.walls.x, u.grid.Box.N
	return parallel.First(u.grid.Nodes(), func(c int) bool {
		i, j, k := c%n[0], c/n[0]%n[1], c/(n[0]*n[1])
		here, first := u.gain([3]float64{x[0][i], x[1][j], x[2][k]}, 0), u.gain([3]float64{x[0][0], x[1][0], x[2][k]}, 0)
		return math.Abs(here-first) > 1e-9*math.Abs(first)
	}) == u.grid.Nodes()
}
