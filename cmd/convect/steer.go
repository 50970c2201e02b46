package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"convect/cmd/convect/casefile"
	"convect/cmd/convect/live"
	"convect/io/series"
	"convect/io/whole"
	"convect/physics"
)

// page is the live page of a session. All methods of nil do nothing.
type page struct {
	server *live.Server
	run    *live.Run
	hook   *live.Hook
}

// openPage takes the address of the live page, where one is asked for, before anything is written.
func (s *session) openPage() error {
	if s.options.live == "" {
		return nil
	}
	server, err := live.Listen(s.options.live, s.options.hosts)
	if err != nil {
		return usage("%v", err)
	}
	s.page = &page{server: server, run: live.NewRun(string(s.dir), s.version, lockName), hook: live.NewHook()}
	return nil
}

// clock is the time of day less all pauses: what a run took.
func (p *page) clock() time.Time {
	if p == nil {
		return time.Now()
	}
	return time.Now().Add(-p.hook.Waited())
}

// over notes that the run makes no more steps, and why.
func (p *page) over(outcome physics.Outcome, err error) {
	if p == nil {
		return
	}
	p.hook.Close()
	how := map[physics.Outcome]string{physics.Finished: "finished", physics.Steady: "steady", physics.Interrupted: "stopped"}[outcome]
	if err != nil {
		how = "failed"
	}
	p.run.Finish(how)
}

// close ends the page.
func (p *page) close() {
	if p != nil {
		p.server.Close()
	}
}

// spent returns the time of this process that steps did not take: checkpoints and pauses.
func (s *session) spent() (all, longest time.Duration) {
	all, longest = s.checkpoints.Spent()
	if s.page != nil {
		all += s.page.hook.Waited()
	}
	return all, longest
}

// serve opens the page to viewers, says where it is, and returns the observer that serves them.
func (s *session) serve(ctx context.Context, cancel context.CancelCauseFunc, progress *progress, limit *walltime) (physics.Observer, error) {
	p := s.page
	seen, err := s.reload() // a case of their own for those who look while the run is steered
	if err != nil {
		return nil, err
	}
	p.run.SetCase(seen)
	scales := s.c.Scales
	p.run.Present(p.hook, func() live.State { return progress.status.Load().state(scales) })
	p.hook.Attach(ctx, &helm{session: s, stop: func() { cancel(errStopped) }, idle: []physics.Observer{s.checkpoints, limit}})
	if err := p.server.WriteFile(string(s.dir)); err != nil {
		return nil, fmt.Errorf("live page: %w", err)
	}
	p.server.Serve(p.run)
	screen := s.console.screenLogger()
	screen.Info().Msgf("live page: %s", p.server.URL())
	screen.Info().Msgf("from another machine, after: %s", p.server.SSH())
	file := newLogger(s.console.fileWriter()) // which others may read, and the token is not for them
	file.Info().Msgf("the live page is open; its address is in %s", s.dir.path(live.FileName))
	if p.server.IsOpen() {
		s.log.Warn().Msg("the live page can be reached from other machines, and what it sends is not encrypted: without an address it listens to this one alone")
	}
	return p.hook, nil
}

// state returns the status for a page.
func (st *status) state(scales physics.Scales) live.State {
	out := live.State{Step: st.sample.Step, Time: series.Number(st.sample.Time * scales.Time), TimeText: st.time, End: series.Number(st.end * scales.Time),
		EndText: scales.TimeText(st.end, 6), Part: series.Number(st.part), Rate: series.Number(st.stepsPerWall), Points: series.Number(st.stepsPerWall * float64(st.nodes))}
	if st.left >= 0 {
		out.Left = leftText(st.left)
	}
	return out
}

// errStopped is why the context of a run was cancelled from the live page.
var errStopped = errors.New("stopped from the live page")

// helm steers the run of a session between two steps. It is a live.Steering.
type helm struct {
	*session
	stop func()
	idle []physics.Observer
}

// Idle asks the observers that go by the clock.
func (h *helm) Idle() error {
	for _, o := range h.idle {
		if err := o.Observe(h.simulation, physics.Event{}); err != nil {
			return err
		}
	}
	return nil
}

// Do carries out what a viewer asks for, and notes it in the log and in steering.csv.
func (h *helm) Do(action, value string) (said string, err error) {
	if err := h.series.Flush(); err != nil { // a run that waits shows all rows
		return "", err
	}
	note := steeringRow{step: h.simulation.Step(), time: h.simulation.Time() * h.c.Scales.Time, clock: time.Now(), action: action}
	switch action {
	case live.Pause, live.Resume:
		said = map[string]string{live.Pause: "paused", live.Resume: "goes on"}[action]
	case live.Snapshot:
		said = "wrote a snapshot"
		if err = h.snapshots.Wait(); err == nil { // one of this very step may be under way
			err = h.snapshots.Write(h.simulation)
		}
	case live.Checkpoint:
		if err = h.checkpoints.Write(h.simulation); err == nil {
			said = "wrote the checkpoint " + h.checkpoints.Written()
		}
	case live.Stop:
		said = "stops"
		h.stop()
	case live.End, live.Every:
		return h.change(note, value)
	default:
		return "", &live.Refusal{Err: fmt.Errorf("there is no action %q", action)}
	}
	if err == nil {
		err = appendSteering(h.dir.path(steeringName), note)
	}
	if err != nil {
		return "", err
	}
	return h.say(said), nil
}

// say logs what was done, and where the run was.
func (h *helm) say(what string) string {
	said := fmt.Sprintf("%s at step %d, t = %s", what, h.simulation.Step(), h.c.Scales.TimeText(h.simulation.Time(), 6))
	h.log.Info().Msgf("live page: %s", said)
	return said
}

// steerable are the keys that the actions change.
var steerable = map[string]string{live.End: "time.end", live.Every: "output.every"}

// change gives a key of the case another value. A checkpoint follows at once, so that a run that is killed goes on with what was asked for; before it stand
// the row of steering.csv and the case as run, so that none of them is behind it.
func (h *helm) change(note steeringRow, value string) (string, error) {
	key := steerable[note.action]
	note.old, note.new = h.c.Given(key), value
	if casefile.SameValue(note.old, value) {
		return "", &live.Refusal{Err: fmt.Errorf("%s is %s already", key, value)}
	}
	next, err := h.reload(key + "=" + value)
	if err != nil {
		return "", &live.Refusal{Err: err}
	}
	if key == "time.end" && next.Controls.End <= h.simulation.Time()*(1+1e-9) {
		return "", &live.Refusal{Err: fmt.Errorf("the run is at t = %s already: an end must lie after it; stop ends the run now", h.c.Scales.TimeText(h.simulation.Time(), 6))}
	}
	if !reflect.DeepEqual(next.Output.Averages, h.c.Output.Averages) {
		return "", &live.Refusal{Err: errors.New("the windows of output.averages depend on the end: stop the run and let it go on with --resume under another time.end")}
	}
	if err := h.simulation.SetControls(next.Controls); err != nil {
		return "", &live.Refusal{Err: err}
	}
	h.c.Steer(next)
	h.reload = h.c.With
	h.page.run.SetCase(next)
	h.checkpoints.SetCase(h.c.Text)
	err = errors.Join(appendSteering(h.dir.path(steeringName), note), whole.WriteFile(h.dir.path(h.record), []byte(h.c.Text)), h.snapshots.SetCase(h.c.Text), h.slices.SetCase(h.c.Text),
		h.averages.SetCase(h.c.Text), h.checkpoints.Write(h.simulation))
	if err != nil {
		return "", err
	}
	return h.say(fmt.Sprintf("%s was %s and is %s", key, orLeftOut(note.old), h.c.Given(key))), nil
}
