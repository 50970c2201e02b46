package main

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"convect/cmd/convect/sweep"
)

// sweepProgress shows how far the runs of a sweep are.
type sweepProgress struct {
	sweeping *sweeping
	total    int
	jobs     int // at a time
	log      zerolog.Logger
	console  *console
	bar      *mpb.Bar // of all; nil unless a terminal

	mutex    sync.Mutex
	runs     map[*sweep.Run]*runProgress
	done     int
	spent    time.Duration // by those that are done and have made steps
	measured int
	line     time.Time
}

// runProgress is one run under way.
type runProgress struct {
	began  time.Time
	status *status
	bar    *mpb.Bar
}

func newSweepProgress(c *console, s *sweeping, chains [][]*sweep.Run, jobs int) *sweepProgress {
	p := &sweepProgress{sweeping: s, jobs: jobs, log: c.logger(), console: c, runs: map[*sweep.Run]*runProgress{}, line: time.Now()}
	for _, chain := range chains {
		p.total += len(chain)
	}
	if c.bars != nil { // without its terminal there is no bar
		p.bar, _ = c.bars.Add(barUnits, mpb.BarStyle().Lbound("│").Filler("█").Tip("█").Padding("·").Rbound("│").Build(), mpb.BarWidth(barWidth),
			mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return fmt.Sprintf("%d of %d ", p.finished(), p.total) })),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return " " + leftText(p.left()) })), mpb.BarPriority(math.MaxInt32))
	}
	return p
}

func (p *sweepProgress) finished() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.done
}

// begin notes that a run begins or goes on. Bars ask for what they show on their own, so that they are not touched with the mutex held.
func (p *sweepProgress) begin(r *sweep.Run) {
	own := &runProgress{began: time.Now()}
	if p.bar != nil {
		name := p.sweeping.Describe(r)
		own.bar, _ = p.console.bars.Add(barUnits, mpb.BarStyle().Lbound(" ").Filler("─").Tip("─").Padding(" ").Rbound(" ").Build(), mpb.BarWidth(barWidth/2),
			mpb.BarRemoveOnComplete(), mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
				p.mutex.Lock()
				defer p.mutex.Unlock()
				if own.status == nil {
					return " " + name
				}
				return fmt.Sprintf(" %s  step %d  t = %s  %s", name, own.status.sample.Step, own.status.time, leftText(own.status.left))
			})))
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.runs[r] = own
}

// at notes how far a run is.
func (p *sweepProgress) at(r *sweep.Run, st *status) {
	p.mutex.Lock()
	own := p.runs[r]
	if own != nil {
		own.status = st
	}
	part, left, done, running := p.part(), p.leftLocked(), p.done, len(p.runs)
	due := p.bar == nil && time.Since(p.line) > lineMost/2
	if due {
		p.line = time.Now()
	}
	p.mutex.Unlock()
	if own != nil && own.bar != nil {
		own.bar.SetCurrent(min(int64(st.part*barUnits), barUnits-1))
	}
	if p.bar != nil {
		p.bar.SetCurrent(min(int64(part*barUnits), barUnits-1))
	}
	if due {
		p.log.Info().Msgf("%d of %d runs are over, %d under way (%.0f %% of all)  %s", done, p.total, running, 100*part, leftText(left))
	}
}

// finish notes the end of a run.
func (p *sweepProgress) finish(r *sweep.Run, whole bool) {
	p.mutex.Lock()
	own := p.runs[r]
	delete(p.runs, r)
	p.done++
	number, took := p.done, time.Since(own.began)
	if own.status != nil {
		p.spent += took
		p.measured++
	}
	left := p.leftLocked()
	p.line = time.Now()
	p.mutex.Unlock()
	if own.bar != nil { // draws with the mutex
		own.bar.Abort(true)
	}
	if !whole {
		return
	}
	number = min(number, p.total)
	switch st := own.status; {
	case st == nil:
		p.log.Info().Msgf("%d of %d: %s was over", number, p.total, p.sweeping.Describe(r))
	case number == p.total:
		p.log.Info().Msgf("%d of %d: %s  step %d, t = %s, %s = %s, in %s", number, p.total, p.sweeping.Describe(r), st.sample.Step, st.time, st.number,
			nusseltText(st.sample.Heat().Transfer()), durationText(took.Seconds()))
	default:
		p.log.Info().Msgf("%d of %d: %s  step %d, t = %s, %s = %s, in %s  %s", number, p.total, p.sweeping.Describe(r), st.sample.Step, st.time, st.number,
			nusseltText(st.sample.Heat().Transfer()), durationText(took.Seconds()), leftText(left))
	}
}

// part returns how much of all is done, if all runs take as long.
func (p *sweepProgress) part() float64 {
	sum := float64(p.done)
	for _, own := range p.runs {
		if own.status != nil {
			sum += own.status.part
		}
	}
	return sum / float64(p.total)
}

func (p *sweepProgress) left() time.Duration {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.leftLocked()
}

// leftLocked returns about how long the rest takes: what those under way need, and for the others the mean of those that are over, or of what those under way will have taken.
func (p *sweepProgress) leftLocked() time.Duration {
	var rest, whole time.Duration
	known := 0
	for _, own := range p.runs {
		if st := own.status; st != nil && st.left >= 0 {
			rest += st.left
			whole += time.Since(own.began) + st.left
			known++
		}
	}
	mean := whole
	switch {
	case p.measured > 0:
		mean = p.spent / time.Duration(p.measured)
		rest = min(rest, mean*time.Duration(max(known, 1))) // a run may get steady long before its end
	case known > 0:
		mean /= time.Duration(known)
	default:
		return -1
	}
	waiting := p.total - p.done - len(p.runs)
	return (rest + time.Duration(waiting)*mean) / time.Duration(max(1, min(p.jobs, p.total-p.done)))
}

// close draws the bar for the last time.
func (p *sweepProgress) close() {
	if p.bar != nil {
		p.bar.Abort(false)
		p.bar.Wait()
	}
}
