package physics

import (
	"fmt"
	"math"
)

// follower keeps the steps to what the values that vary in time do. See the package text. All it says is a function of those values, the end
// and the time asked for.
type follower struct {
	signals   []signal
	turning   bool    // some signal has turns
	end       float64 // of the run
	tolerance float64 // error of the flux through a wall whose temperature is a sine, over its amplitude
	mesh      float64 // spacing of the search
	busy      []uint64
	restsFrom float64 // nothing changes any more

	was, is               []bool               // senses of all turns at all points
	start, middle, finish []float64            // values of all signals
	grid                  [looks + 1][]float64 // and those at equal parts of a step
}

// Parts of a step that are looked at, and the least number of looks in a run.
const (
	looks     = 6 // with the thirds of the step and of its halves among them
	everyLook = 1 << 12
)

// Changes at a turn, over span and tolerance: the least jump that a step may not go over, that from which on the steps begin anew, and the bend that the step
// after it may hide.
const (
	leastJump = 0.1
	jumpSlack = 10
	bendSlack = 5
)

// newFollower returns what follows the given values until the end; nil where none varies.
func newFollower(signals []signal, end, tolerance float64) (*follower, error) {
	f := &follower{signals: signals, end: end, tolerance: tolerance}
	if len(signals) == 0 {
		return nil, nil
	}
	f.spaceMesh()
	if err := f.measure(); err != nil {
		return nil, err
	}
	points := 0
	for i := range f.signals {
		points += len(f.signals[i].points)
		f.turning = f.turning || len(f.signals[i].turns) > 0
	}
	if points == 0 {
		return nil, nil
	}
	for _, v := range []*[]float64{&f.start, &f.middle, &f.finish} {
		*v = make([]float64, points)
	}
	for k := range f.grid {
		f.grid[k] = make([]float64, points)
	}
	f.mark()
	return f, nil
}

// rests tells whether nothing varies any more from a time on.
func (f *follower) rests(t float64) bool { return f == nil || t >= f.restsFrom }

// extremes returns the least and the greatest over the run of all values of a scalar that vary, +Inf and -Inf where none does.
func (f *follower) extremes(u *scalar) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	if f != nil {
		for i := range f.signals {
			if s := &f.signals[i]; s.scalar == u {
				low, high = math.Min(low, s.low), math.Max(high, s.high)
			}
		}
	}
	return low, high
}

// values evaluates all signals at a time.
func (f *follower) values(t float64, into []float64) {
	n := 0
	for i := range f.signals {
		s := &f.signals[i]
		for _, x := range s.points {
			into[n] = s.of(x[0], x[1], x[2], t)
			n++
		}
	}
}

// limit returns the longest step from a time, at most want, over which the values stay close to what the scheme makes of them, and the next
// turn that matters within one and a half times want, +Inf where there is none. A step that begins anew after a jump does not look back.
func (f *follower) limit(t, want float64, anew bool) (step, turn float64) {
	from := t + f.slack(t) // beyond a turn at t
	reach := math.Min(t+1.5*want, f.end)
	for turn = f.nextTurn(from, reach); turn < reach && !f.matters(turn, want); {
		turn = f.nextTurn(turn+f.slack(turn), reach)
	}
	step = want
	if !anew && f.turns(t) {
		step = f.afterTurn(t, math.Min(step, turn-t))
	}
	floor := math.Max(1e-10*f.end, 4*f.slack(t))
	for step > floor {
		to := math.Min(t+step, f.end)
		if last := turn - f.slack(turn); to > last {
			to = last
		}
		excess := f.excess(from, to)
		if !(excess > 1) {
			return step, turn
		}
		step = (to - t) * math.Min(math.Max(0.97/excess, 0.25), 0.97)
	}
	return math.Min(floor, want), turn
}

// excess returns the length of a step over the one that the tolerance allows. The error of SBDF2 for exp(iωt) is (ωΔt)²/3 of iω, and half as much
// of the flux √(iω) through a wall: that is the tolerance where ωΔt = √(6 tolerance). There the value departs by (ωΔt)²/8 of the amplitude
// from the line through the ends where it bends the most, and its third difference over three equal parts of the step is (ωΔt)³/27 where it is steepest: for a
// span of twice the amplitude 3/8 tolerance and 6^(3/2)/54 tolerance^(3/2) of it. Both hold at any time.
func (f *follower) excess(from, to float64) float64 {
	h := to - from
	for k := range f.grid {
		f.values(from+h*float64(k)/looks, f.grid[k])
	}
	worst := 0.0
	f.eachValue(func(s *signal, n int) {
		allowed := math.Max(math.Pow(6*f.tolerance, 1.5)/54*s.span, s.rounding())
		worst = math.Max(worst, math.Cbrt(f.steepness(n)/allowed))
	})
	depart := func(v []float64, part float64) {
		f.eachValue(func(s *signal, n int) {
			line := f.grid[0][n] + part*(f.grid[looks][n]-f.grid[0][n])
			allowed := math.Max(3./8*f.tolerance*s.span, s.rounding())
			worst = math.Max(worst, math.Sqrt(math.Abs(v[n]-line)/allowed))
		})
	}
	for k := 1; k < looks; k++ {
		depart(f.grid[k], float64(k)/looks)
	}
	for t := range f.times(from, to, 1) {
		if worst > 4 { // more is not asked for
			break
		}
		f.values(t, f.middle)
		depart(f.middle, (t-from)/h)
	}
	return worst
}

// steepness returns the third difference of a value over the thirds of a step, less what is no smaller over the thirds of its halves, as the rows of a
// dense table are: what is smooth is an eighth there.
func (f *follower) steepness(n int) float64 {
	third := func(first, stride int) float64 {
		g := &f.grid
		return math.Abs(g[first+3*stride][n] - 3*g[first+2*stride][n] + 3*g[first+stride][n] - g[first][n])
	}
	rough := math.Max(third(0, 1), third(3, 1))
	return math.Max(third(0, 2)-2*rough, 0) / (1 - 2./8)
}

// rounding bounds what rounding makes of differences of values.
func (s *signal) rounding() float64 { return 64 * 0x1p-52 * s.peak }

// eachValue visits the signals point by point.
func (f *follower) eachValue(visit func(s *signal, n int)) {
	n := 0
	for i := range f.signals {
		for range f.signals[i].points {
			visit(&f.signals[i], n)
			n++
		}
	}
}

// checkFinite returns an error where a value is not a number.
func (s *signal) checkFinite(v float64, x [3]float64, t float64) error {
	if v-v == 0 {
		return nil
	}
	return fmt.Errorf("%s is %g at x = %g, y = %g, z = %g, t = %g", s.name, v, x[0], x[1], x[2], t)
}
