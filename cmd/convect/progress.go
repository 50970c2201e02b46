package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"convect/cmd/convect/casefile"
	"convect/physics"
)

// How often plain lines are logged: after this part of the run, but at least and at most so far apart.
const (
	linePart     = 0.02
	lineLeast    = 3 * time.Second
	lineMost     = time.Minute
	rateWindow   = 5 * time.Second
	barUnits     = 10000
	barWidth     = 60
	statusFormat = "step %d  t = %s  Δt = %s  %s = %s  cycles %d + %d  %s steps/s  %s points/s"
)

// progress shows how far a run is: a bar on a terminal, else log lines. It is a physics.Observer.
type progress struct {
	bar   *mpb.Bar // nil unless a terminal
	log   zerolog.Logger
	scale physics.Scales
	nodes int
	// report is told the status after each step; nil: nobody is.
	report func(*status)

	status atomic.Pointer[status] // for the bar, which draws on its own
	rate   rate
	first  float64 // time at the start
	line   time.Time
	logged float64 // part of the run at the last line
}

// status is what is shown.
type status struct {
	number       string // Nu, or Sh where there is no temperature
	sample       physics.Sample
	time, dt     string  // in a unit to read
	end          float64 // of the run, nondimensional
	part         float64 // of the run
	stepsPerWall float64
	nodes        int
	left         time.Duration // negative: not known
}

func newProgress(c *console, ca *casefile.Case, s *physics.Simulation) *progress {
	p := &progress{log: c.fileLogger(), scale: ca.Scales, nodes: s.Grid().Nodes(), first: s.Time()}
	p.status.Store(&status{end: s.Controls().End, left: -1, time: p.scale.TimeText(s.Time(), 5), dt: p.scale.TimeText(0, 3), sample: physics.Sample{Step: s.Step(), Scalars: make([]physics.ScalarSample, 1)}})
	if c.bars != nil { // without its terminal there is no bar
		p.bar, _ = c.bars.Add(barUnits, mpb.BarStyle().Lbound("│").Filler("█").Tip("█").Padding("·").Rbound("│").Build(),
			mpb.BarWidth(barWidth),
			mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return fmt.Sprintf("%3.0f %% ", 100*p.status.Load().part) })),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return " " + leftText(p.status.Load().left) })),
			mpb.BarExtender(mpb.BarFillerFunc(func(w io.Writer, s decor.Statistics) error {
				_, err := fmt.Fprintln(w, cut(p.status.Load().String(), s.AvailableWidth))
				return err
			}), false))
	}
	return p
}

// Observe updates the bar, or logs a line if one is due.
func (p *progress) Observe(s *physics.Simulation, e physics.Event) error {
	now := time.Now()
	if e.Start {
		p.line = now
		p.rate.add(now, s.Step(), s.Time())
		return nil
	}
	p.rate.add(now, s.Step(), s.Time())
	st := p.measure(s)
	p.status.Store(st)
	if p.report != nil {
		p.report(st)
	}
	if p.bar != nil {
		p.bar.SetCurrent(int64(st.part * barUnits))
	}
	since := now.Sub(p.line)
	if e.End || since > lineMost || (since > lineLeast && st.part-p.logged > linePart) {
		p.line, p.logged = now, st.part
		p.log.Info().Msgf("%3.0f %%  %s  %s", 100*st.part, st, leftText(st.left))
	}
	return nil
}

func (p *progress) measure(s *physics.Simulation) *status {
	sample := s.Sample()
	number := "Nu"
	if s.Parameters().Isothermal {
		number = "Sh"
	}
	st := &status{number: number, sample: sample.Clone(), time: p.scale.TimeText(sample.Time, 5), dt: p.scale.TimeText(sample.Dt, 3), nodes: p.nodes, left: -1, end: s.Controls().End}
	if st.end > 0 {
		st.part = math.Min(1, sample.Time/st.end)
	}
	steps, times := p.rate.perSecond()
	st.stepsPerWall = steps
	if times > 0 {
		if left := (st.end - sample.Time) / times; left < math.MaxInt64/1e9 {
			st.left = time.Duration(left * float64(time.Second))
		}
	}
	return st
}

// finish draws the bar for the last time.
func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Abort(false)
		p.bar.Wait()
	}
}

// String returns the numbers of the status in one line.
func (s *status) String() string {
	return fmt.Sprintf(statusFormat, s.sample.Step, s.time, s.dt, s.number, nusseltText(s.sample.Heat().Transfer()), s.sample.PressureCycles,
		s.sample.Heat().Cycles, short(s.stepsPerWall), short(s.stepsPerWall*float64(s.nodes)))
}

// cut shortens a line to a width.
func cut(line string, width int) string {
	if runes := []rune(line); len(runes) > width {
		return string(runes[:max(width, 0)])
	}
	return line
}

func nusseltText(nu float64) string {
	if math.IsNaN(nu) {
		return "–"
	}
	return fmt.Sprintf("%.5g", nu)
}

// leftText prints the time left.
func leftText(d time.Duration) string {
	switch {
	case d < 0:
		return "time left unknown"
	case d < time.Minute:
		return fmt.Sprintf("%.0f s left", d.Seconds())
	}
	text := d.Round(time.Second).String()
	if d >= time.Hour {
		text = strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	return text + " left"
}

// short prints a number with a prefix of thousands.
func short(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if v >= u.size {
			return fmt.Sprintf("%.3g%s", v/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.3g", v)
}

// rate measures speed over the last seconds.
type rate struct {
	marks []mark
}

type mark struct {
	wall time.Time
	step int64
	time float64
}

// add notes where the run is.
func (r *rate) add(wall time.Time, step int64, t float64) {
	const apart = rateWindow / 50
	if n := len(r.marks); n > 1 && wall.Sub(r.marks[n-2].wall) < apart {
		r.marks[n-1] = mark{wall, step, t}
		return
	}
	r.marks = append(r.marks, mark{wall, step, t})
	for len(r.marks) > 2 && wall.Sub(r.marks[0].wall) > rateWindow {
		r.marks = r.marks[1:]
	}
}

// perSecond returns steps and simulated time per second, 0 where not known.
func (r *rate) perSecond() (steps, times float64) {
	if len(r.marks) < 2 {
		return 0, 0
	}
	a, b := r.marks[0], r.marks[len(r.marks)-1]
	wall := b.wall.Sub(a.wall).Seconds()
	if wall <= 0 {
		return 0, 0
	}
	return float64(b.step-a.step) / wall, (b.time - a.time) / wall
}
