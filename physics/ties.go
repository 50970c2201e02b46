package physics

import (
	"slices"

	"convect/kernels"
	"convect/stencil"
)

// What ties the nodes of a wall to a value outside, q = h (s_outside - s), enters the diffusion operator as ties t = ∫ h and the source as
// ∫ h s_outside, so that a step is implicit in it. So do the rates of terms, of all nodes. The prediction's residual lacks what ties carry away, and Release takes it off.

// ties holds what a scalar needs for that.
type ties struct {
	stiff    [6]float64        // the largest diffusivity over the width of the cells at a side
	fastest  float64           // the largest rate of a term
	sides    [6][]float64      // t of each node's part of a side; nil: none
	weights  [6]kernels.Buffer // the same on the device
	firmness *stencil.Field    // 1 + t over the conductance of a wall's cells
	firm     kernels.Elliptic  // what divides by it
	released [6]float64        // Σ t s of each side

	rates   []float64      // of each node's volume; nil: none
	rated   *stencil.Field // the same on the device
	taken   float64        // Σ of them times s
	volumes []float64      // of nodes

	untied *stencil.Operator // the diffusion without ties; where there are none the diffusion itself
}

// firmest is the largest coefficient of ties, times the width of a wall's cells over their diffusivity. Above it they count as that: the value at the
// wall is that outside but for 1/firmest of the difference over a cell, and rounding of s makes firmest times as much in the flux.
func firmest(e kernels.Elem) float64 {
	if e == kernels.Float32 {
		return 1e3
	}
	return 1e8
}

// measureStiffness notes the conductances of the cells at walls, and the largest rate of a term.
func (u *scalar) measureStiffness() {
	most, h := u.of.diffusivity.Max(), u.grid.MinWidth()
	u.ties.fastest = firmest(u.grid.Elem) * most / (h * h)
	for _, s := range u.walls.sides {
		widths := u.grid.Widths[s.Axis()]
		u.ties.stiff[s] = most / widths[0]
		if s.High() {
			u.ties.stiff[s] = most / widths[len(widths)-1]
		}
	}
}

// coefficient returns that of a tied point of a side; 0 elsewhere.
func (u *scalar) coefficient(s kernels.Side, c Condition, x [3]float64, t float64) float64 {
	if !c.ties() {
		return 0
	}
	return min(max(value(c.Coefficient, x, t), 0), firmest(u.grid.Elem)*u.ties.stiff[s])
}

// tiedOn tells whether a side or a part of it is tied.
func (u *scalar) tiedOn(s kernels.Side) bool {
	return u.walls.anyOn(s, func(w Wall) bool { return u.of.at(&w).ties() })
}

// findTies integrates the coefficients at a time, all or those of walls that vary, and tells whether they have changed.
func (u *scalar) findTies(t float64, all bool) (changed bool) {
	for _, s := range u.walls.sides {
		if !u.tiedOn(s) || !all && !u.walls.varies(s) {
			continue
		}
		now, _ := u.walls.integrate(s, func(w *Wall, x [3]float64, _ *span) float64 { return u.coefficient(s, u.of.at(w), x, t) }, nil)
		if !slices.Equal(now, u.ties.sides[s]) {
			u.ties.sides[s], changed = now, true
		}
	}
	return u.findRates(t, all) || changed
}

// onNodes returns the ties of all nodes, and how firm each node is; nil where nothing is tied.
func (t *ties) onNodes(u *scalar) (values, firmness []float64) {
	if t.rates == nil && !slices.ContainsFunc(t.sides[:], func(side []float64) bool { return side != nil }) {
		return nil, nil
	}
	values, firmness = make([]float64, u.grid.Nodes()), slices.Repeat([]float64{1}, u.grid.Nodes())
	u.addRates(values, firmness)
	for _, s := range u.walls.sides {
		if t.sides[s] == nil {
			continue
		}
		for e, v := range t.sides[s] {
			i, j, k := u.grid.WallIndex(s, e)
			n := i + u.grid.Box.N[0]*(j+u.grid.Box.N[1]*k)
			values[n] += v
			firmness[n] += v / (t.stiff[s] * u.grid.WallArea(s, e))
		}
	}
	return values, firmness
}

// buildTies allocates what tied walls need, once the diffusion operator has them.
func (u *scalar) buildTies() (err error) {
	t := &u.ties
	switch {
	case t.untied != nil: // before dispersion raised the diffusivity
	case u.diffusion.Tied():
		t.untied = u.diffusion.Untied()
	default:
		t.untied = u.diffusion
	}
	if !u.diffusion.Tied() {
		return nil
	}
	for _, s := range u.walls.sides {
		if t.sides[s] == nil {
			continue
		}
		if t.weights[s], err = u.grid.NewWall(t.sides[s]); err != nil {
			return err
		}
	}
	if err = u.buildRates(); err != nil {
		return err
	}
	if t.firmness, err = u.grid.NewField("firmness", nil); err != nil {
		return err
	}
	_, firmness := t.onNodes(u)
	t.firmness.Upload(firmness)
	t.firm = *u.diffusion.Elliptic()
	t.firm.Mass = t.firmness.Buffer
	return nil
}

// renewTies takes the coefficients of a time, all or those of walls that vary, if they have changed.
func (u *scalar) renewTies(at float64, all bool) error {
	if u.solver == nil || !u.diffusion.Tied() || !u.findTies(at, all) {
		return nil
	}
	t := &u.ties
	values, firmness := t.onNodes(u)
	for s, b := range t.weights {
		if b != nil {
			u.dev.Upload(b, t.sides[s])
		}
	}
	if t.rated != nil {
		t.rated.Upload(t.rates)
	}
	t.firmness.Upload(firmness)
	u.diffusion.SetTies(values)
	if err := u.findCrossingTies(at); err != nil {
		return err
	}
	return u.solver.Refresh()
}

// surroundings returns what enters each node's part of a side by ties from outside, integrated, and passes each part to seen.
func (u *scalar) surroundings(s kernels.Side, t float64, seen func(x [3]float64, q float64)) []float64 {
	v, met := u.walls.integrate(s, func(w *Wall, x [3]float64, met *span) float64 {
		c := u.of.at(w)
		h := u.coefficient(s, c, x, t)
		if h == 0 {
			return 0
		}
		return h * met.take(value(c.Value, x, t))
	}, seen)
	met.each(u.met.value)
	return v
}

// release completes a prediction: it takes what ties carry away at the guess off the residual, and returns the norm of the residual, each node's over
// its firmness: what is left of a change outside does not count more the firmer it is tied. work is lost.
func (u *scalar) release(rhs, guess, work *stencil.Field) float64 {
	u.diffusion.Release(rhs, guess)
	work.Fill(0)
	u.dev.MassUpdate(kernels.MassUpdateArgs{A: &u.ties.firm, U: work.Buffer, R: rhs.Buffer})
	return u.norm(work)
}

// measureTies measures what ties carry away.
func (u *scalar) measureTies() {
	u.ties.taken = u.measureRates()
	for s, weight := range u.ties.weights {
		if weight == nil {
			continue
		}
		slot := u.slot + ownWallFlux + s
		u.now.WallSum(kernels.Side(s), weight, slot)
		v, err := u.dev.Scalars()
		if err != nil {
			return // kept by the device, returned by what reads the balance
		}
		u.ties.released[s] = v[slot]
	}
}

// free releases the device memory.
func (t *ties) free(dev kernels.Device) {
	t.firmness.Free()
	t.rated.Free()
	for _, b := range t.weights {
		if b != nil {
			dev.Free(b)
		}
	}
}
