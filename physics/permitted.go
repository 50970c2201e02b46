package physics

import (
	"math"

	"convect/kernels"
)

// permitted follows the range of temperatures that a run can reach: the hull of those that walls, entering fluid and the initial
// state have had so far, wider by what sources and fluxes through walls can have added. All its numbers belong to the state of a run.
//
// Without them the solution has no new extremes (the maximum principle). A source Q adds at most t max Q/σ, whatever the flow. A flux q adds at most
// what it adds without flow: 2 q √(t/(π D σ)) to a half space (Carslaw & Jaeger 1959, section 2.9), and, in what it fills, t ∮q/(σV). Where walls are held at a temperature,
// all that goes in leaves through their area A_w at last, at most the diagonal L away: a flux adds at most q L/D where it enters and ∮q L/(D A_w) on
// the way, a source the larger of Q L²/2D and Q V L/(D A_w). The smaller of both is taken; cooling is the same downwards.
type permitted struct {
	low, high        float64 // hull of prescribed and initial temperatures; +Inf and -Inf: none yet
	heating, cooling intake
}

// intake is the most that sources and walls have put in so far, per time: by a source in a unit of volume, through a unit of wall, and through all walls.
type intake struct{ source, flux, total float64 }

func newPermitted() *permitted { return &permitted{low: math.Inf(1), high: math.Inf(-1)} }

// value takes a prescribed or initial value and returns it.
func (p *permitted) value(v float64) float64 {
	p.low, p.high = math.Min(p.low, v), math.Max(p.high, v)
	return v
}

// sources takes the least and the largest of heat sources.
func (p *permitted) sources(least, most float64) {
	p.heating.source, p.cooling.source = math.Max(p.heating.source, most), math.Max(p.cooling.source, -least)
}

// flux takes the flux into a point of a wall and returns it.
func (p *permitted) flux(v float64) float64 {
	p.heating.flux, p.cooling.flux = math.Max(p.heating.flux, v), math.Max(p.cooling.flux, -v)
	return v
}

// total takes the heat that all walls with a prescribed flux put in and take out at one time.
func (p *permitted) total(in, out float64) {
	p.heating.total, p.cooling.total = math.Max(p.heating.total, in), math.Max(p.cooling.total, out)
}

// scalars lists its numbers by their names in a state.
func (p *permitted) scalars() map[string]*float64 {
	return map[string]*float64{"range_low": &p.low, "range_high": &p.high,
		"heating_source": &p.heating.source, "heating_flux": &p.heating.flux, "heating_total": &p.heating.total,
		"cooling_source": &p.cooling.source, "cooling_flux": &p.cooling.flux, "cooling_total": &p.cooling.total}
}

// body is what bounds the temperature that an intake adds in a domain, and the steps through it.
type body struct {
	capacity, diffusivity float64 // least
	volume, length        float64 // length is the diagonal
	held                  float64 // area of the walls of fixed temperature
	cellTime              float64 // in which heat diffuses through the smallest cell
}

func (u *scalar) body() body {
	b := body{capacity: u.of.capacity.Min(), diffusivity: u.of.diffusivity.Min(), volume: u.grid.Volume()}
	h := u.grid.MinWidth()
	b.cellTime = h * h * b.capacity / u.of.diffusivity.Max()
	for d, n := range u.grid.Cells {
		if n > 0 {
			b.length = math.Hypot(b.length, u.grid.Size[d])
		}
	}
	for _, s := range u.walls.sides {
		if !u.boundary.Fixed(s) {
			continue
		}
		for n, share := range u.boundary.Share(s) {
			if share > 0 {
				b.held += u.grid.WallArea(s, n)
			}
		}
	}
	return b
}

// added returns the most that an intake adds to the temperature until time t.
func (b *body) added(i *intake, t float64) float64 {
	soon := i.source*t/b.capacity + 2*i.flux*math.Sqrt(t/(math.Pi*b.diffusivity*b.capacity)) + i.total*t/(b.capacity*b.volume)
	if b.held == 0 {
		return soon
	}
	flux := i.flux + i.total/b.held
	source := i.source * math.Max(b.length/2, b.volume/b.held)
	return math.Min(soon, (flux+source)*b.length/b.diffusivity)
}

// foreseen is about the range that fluxes and sources alone make of a scalar until a time: by diffusion over the shortest extent of the domain, or less where less comes in.
func (u *scalar) foreseen(end float64) float64 {
	b, l := &u.room, u.shortest()
	most := func(i *intake) float64 {
		return math.Min(b.added(i, end), (i.flux+i.source*l/2)*l/b.diffusivity)
	}
	return most(&u.met.heating) + most(&u.met.cooling)
}

// rounding is the least width of a range, in parts of its largest temperature, over which rounding is not met.
func rounding(e kernels.Elem) float64 {
	if e == kernels.Float32 {
		return 1e-4
	}
	return 1e-10
}

// drift is the least width of a range, in parts of its largest value, over which a scalar that is the same everywhere is not blown up: in a flow whose pressure is solved to a
// tolerance it stays the same but for that.
const drift = 1e-4

// within returns the range at time t. It is never narrower than what the tolerance of the pressure makes of its values.
func (p *permitted) within(b *body, t float64) (low, high float64) {
	low, high = p.low-b.added(&p.cooling, t), p.high+b.added(&p.heating, t)
	if least := drift * math.Max(math.Abs(low), math.Abs(high)); high-low < least {
		middle := (low + high) / 2
		low, high = middle-least/2, middle+least/2
	}
	return low, high
}
