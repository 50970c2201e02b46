package physics

import (
	"math"

	"convect/stencil"
)

// buoyancy is what drives a flow, Ra b: the sum of scalars, each times its factor, as a density that is linear in them has it.
type buoyancy struct {
	factor float64 // Ra, of the first: the others are weighted against it
	terms  []buoyant
	sum    *stencil.Field // b of several terms, or of a law; nil: there is one, and b is its scalar
	law    *tabulation    // b as a function of its terms; nil: their sum
}

// buoyant is one term of b.
type buoyant struct {
	of     *scalar
	weight float64 // 1 of the first
}

// newBuoyancy finds the scalars that drive the flow: those with a factor, or, without one, the first.
func newBuoyancy(scalars []*scalar) (b buoyancy) {
	for _, u := range scalars {
		switch f := u.of.buoyancy; {
		case f == 0:
		case len(b.terms) == 0:
			b.factor, b.terms = f, []buoyant{{u, 1}}
		default:
			b.terms = append(b.terms, buoyant{u, f / b.factor})
		}
	}
	if len(b.terms) == 0 {
		b.terms = []buoyant{{scalars[0], 1}}
	}
	return b
}

// newLaw returns a buoyancy by a law.
func newLaw(p *Parameters, scalars []*scalar) buoyancy {
	b := buoyancy{factor: p.Rayleigh, law: newTabulation(p.Buoyancy, scalars, p.Isothermal, "buoyancy", slotDensity)}
	b.terms = []buoyant{{b.law.scalars[0], 1}}
	if u := b.law.scalars[1]; u != b.terms[0].of {
		b.terms = append(b.terms, buoyant{u, 1})
	}
	return b
}

// build allocates what a sum or a law needs.
func (b *buoyancy) build(g *stencil.Grid) (err error) {
	if b.law != nil {
		if err = b.law.build(g); err != nil {
			return err
		}
	}
	if len(b.terms) > 1 || b.law != nil {
		b.sum, err = g.NewField("buoyancy", nil)
	}
	return err
}

// renew adds up the present scalars.
func (b *buoyancy) renew() {
	if b.law != nil {
		b.law.widen()
		b.law.apply(b.sum)
		return
	}
	if b.sum == nil {
		return
	}
	first := b.terms[0].of.now
	b.sum.Combine(stencil.Sum{C: 1, X: first}, stencil.Sum{C: b.terms[1].weight, X: b.terms[1].of.now})
	for _, t := range b.terms[2:] {
		b.sum.Combine(stencil.Sum{C: 1, X: b.sum}, stencil.Sum{C: t.weight, X: t.of.now})
	}
}

// field is b as renew has left it.
func (b *buoyancy) field() *stencil.Field {
	if b.sum != nil {
		return b.sum
	}
	return b.terms[0].of.now
}

// outside is b of the column of fluid behind a point of a wall.
func (b *buoyancy) outside(w *Wall, x [3]float64, t float64) float64 {
	return b.of(func(u *scalar) float64 { return u.of.at(w).column(x, t) })
}

// of is b of fluid in which scalars have values.
func (b *buoyancy) of(value func(u *scalar) float64) float64 {
	if b.law != nil {
		return b.law.at([2]float64{value(b.law.scalars[0]), value(b.law.scalars[1])})
	}
	sum := 0.0
	for _, term := range b.terms {
		sum += term.weight * value(term.of)
	}
	return sum
}

// drive returns the largest Ra b that ranges of the scalars make, times a mobility: the velocity of fluid that is driven by it.
func (b *buoyancy) drive(mobility float64, span func(u *scalar) float64) float64 {
	if b.law != nil {
		low, high, _ := b.law.extremes(func(n int) float64 { return span(b.law.scalars[n]) })
		return math.Abs(b.factor) * mobility * (high - low)
	}
	sum := 0.0
	for _, t := range b.terms {
		sum += math.Abs(t.weight) * span(t.of)
	}
	return math.Abs(b.factor) * mobility * sum
}

// leastCapacity returns that of the scalars that drive.
func (b *buoyancy) leastCapacity() float64 {
	least := math.Inf(1)
	for _, t := range b.terms {
		least = math.Min(least, t.of.room.capacity)
	}
	return least
}

// free releases what was allocated.
func (b *buoyancy) free() {
	b.sum.Free()
	if b.law != nil {
		b.law.free()
	}
}

// only returns the scalar that drives alone, and in proportion; nil: there are several, or a law.
func (b *buoyancy) only() *scalar {
	if len(b.terms) > 1 || b.law != nil {
		return nil
	}
	return b.terms[0].of
}
