package physics

import (
	"math"
	"slices"
)

// spell follows a disturbance and says when it is known whether it grows. Every few steps it is told two sizes of it: how far the
// state is from the one that was disturbed, and how far it moves in two steps, both the largest over all nodes.
//
// What moves is made of the modes that decay or grow, each weighted by its rate: a mode of rate 0, a shift along a periodic axis or a
// mean temperature that nothing fixes, is not in it. What is away weighs all modes alike. So a disturbance decays where it is a quarter
// as far away as at first and does not decay more slowly than before, and stays where it moves at less than the least rate, relative to where it is; it grows where it moves eight times
// as fast as it did at the slowest, and is farther away. A state that oscillates while it decays shows neither, since the largest of some looks
// counts. One that is neither in the time given grows where it moves faster in the last quarter of it than in the one before, or has moved
// away and is not on its way back: in a stable flow modes that cancel at first, and decay at different rates, take a disturbance some times as far away before it decays.
type spell struct {
	dt         float64
	least      float64 // rate that counts as none
	step, most int
	away, move []float64 // at each look
	over       bool
	rate       float64 // at which the disturbance grows, when over
}

const (
	spellLook    = 4 // steps from look to look
	spellWidth   = 3 // looks of which the largest counts
	spellAway    = 4
	spellFar     = 30   // times as far as at first: another state, though it may still come back in part
	spellSettled = 0.85 // part of the rate before that is as fast
	spellGrown   = 8
	spellSlow    = 1.05 // growth from quarter to quarter that counts in the end
)

func newSpell(dt, least float64, most int) *spell { return &spell{dt: dt, least: least, most: most} }

// due counts a step and tells whether to look after it.
func (w *spell) due() bool {
	w.step++
	return w.step%spellLook == 0
}

// look takes both sizes.
func (w *spell) look(away, move float64) {
	if !(math.Max(away, move) < math.Inf(1)) { // a disturbance that has grown beyond all bounds
		w.over, w.rate = true, math.Inf(1)
		return
	}
	w.away, w.move = append(w.away, away), append(w.move, move)
	n := len(w.move)
	if n < spellWidth {
		return
	}
	away, move = largestOf(w.away, n), largestOf(w.move, n)
	switch slowest := w.slowest(); {
	case away < w.away[0]/spellAway && w.settled() || move < 2*w.dt*w.least*away:
		w.over = true
	case w.move[n-1] > spellGrown*w.move[slowest] && w.away[n-1] > w.away[slowest]:
		w.end(slowest)
	case w.step >= w.most:
		w.over = true
		if w.grown(n/2, n-n/4) {
			w.end(n / 2)
		}
	}
}

// largestOf returns the largest of the looks up to the n-th that count together.
func largestOf(v []float64, n int) float64 { return slices.Max(v[n-spellWidth : n]) }

// grown tells at last whether the disturbance has grown: in the last looks over those from half way on, or beyond its first size, to where it may
// have settled by now, and not coming back.
func (w *spell) grown(half, last int) bool {
	away, move := slices.Max(w.away[last:]), slices.Max(w.move[last:])
	before := slices.Max(w.away[half:last])
	faster, gone := move > spellSlow*slices.Max(w.move[half:last]) && away > before, away > spellAway*w.away[0] && away >= before
	return faster || gone || away > spellFar*w.away[0]
}

// settled tells whether the disturbance decays as fast in the last third of the looks as in the one before: one mode, or a few that are
// alike, are left of it, and none that grows is about to appear.
func (w *spell) settled() bool {
	n := len(w.away)
	third := n / 3
	if third < spellWidth {
		return false
	}
	middle := math.Log(largestOf(w.away, n-2*third) / largestOf(w.away, n-third))
	return math.Log(largestOf(w.away, n-third)/largestOf(w.away, n)) > spellSettled*middle
}

// slowest returns the look at which the state moved least, by the largest of the looks that count together.
func (w *spell) slowest() int {
	least, at := math.Inf(1), 0
	for n := spellWidth; n <= len(w.move); n++ {
		if v := largestOf(w.move, n); v < least {
			least, at = v, n-1
		}
	}
	return at
}

// end finds the rate from the last half of the looks since one of them.
func (w *spell) end(since int) {
	n := len(w.move)
	from := (since + n - 1) / 2
	w.over = true
	w.rate = math.Max(w.least, math.Log(w.move[n-1]/w.move[from])/(w.dt*spellLook*float64(n-1-from)))
}
