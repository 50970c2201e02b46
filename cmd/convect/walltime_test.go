package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"convect/io/checkpoint"
	"convect/io/series"
	"convect/kernels/devicetest"
	"convect/physics"
)

// pretended is a run on a clock of its own.
type pretended struct {
	now            time.Time
	spent, longest time.Duration // on checkpoints
	stopped        bool
}

func (p *pretended) checkpoint(d time.Duration) {
	p.now = p.now.Add(d)
	p.spent, p.longest = p.spent+d, max(p.longest, d)
}

// Whatever steps and checkpoints take: a step is made, the limit is passed by one step and its checkpoint at most, and from a minute on
// four fifths of it are used.
func TestWalltimeIsUsedAndKept(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	between := func(low, high time.Duration) time.Duration { return low + time.Duration(r.Float64()*float64(high-low)) }
	for range 2000 {
		began := time.Unix(1000, 0)
		p := &pretended{now: began.Add(between(0, 20*time.Second))} // building
		limit := []time.Duration{time.Nanosecond, time.Second, time.Minute, 10 * time.Minute, time.Hour}[r.IntN(5)]
		step, save := between(time.Millisecond, 20*time.Second), between(time.Millisecond, 30*time.Second)
		every := 1 + r.IntN(30)
		w := newWalltime(began, limit, func() (time.Duration, time.Duration) { return p.spent, p.longest }, func() { p.stopped = true })
		w.now = func() time.Time { return p.now }
		nodes := 1 << (10 + r.IntN(20))
		w.observe(nodes, physics.Event{Start: true})
		if p.stopped {
			t.Fatal("stopped before the first step")
		}
		saved := false
		steps := 0
		for ; !p.stopped; steps++ {
			p.now = p.now.Add(between(step/2, step))
			if saved = steps%every == every-1; saved {
				p.checkpoint(between(save/2, save))
			}
			w.observe(nodes, physics.Event{})
		}
		used := p.now.Sub(began)
		if limit >= time.Minute && steps > 1 && used < limit*8/10-time.Second {
			t.Fatalf("stopped after %v of %v", used, limit)
		}
		if !saved {
			p.checkpoint(save)
		}
		if over := p.now.Sub(began) - limit; over > step+save && steps > 1 {
			t.Fatalf("%v over, with steps of at most %v and checkpoints of at most %v", over, step, save)
		}
	}
}

// A checkpoint that was measured counts, not the guess; without a limit nothing stops.
func TestWalltimeMeasuresCheckpoints(t *testing.T) {
	stops := 0
	p := &pretended{now: time.Unix(1000, 0)}
	w := newWalltime(p.now, 10*time.Second, func() (time.Duration, time.Duration) { return p.spent, p.longest }, func() { stops++ })
	w.now = func() time.Time { return p.now }
	w.observe(1e9, physics.Event{Start: true})
	for second := 1; second <= 6; second++ {
		p.now = p.now.Add(time.Second)
		if second == 1 {
			p.checkpoint(500 * time.Millisecond)
		}
		w.observe(1e9, physics.Event{}) // 640 s by the guess
	}
	if stops != 0 || w.longest != time.Second {
		t.Errorf("stopped %d times with 3.5 s left for steps of %v and a checkpoint of 0.5 s", stops, w.longest)
	}
	p.now = p.now.Add(time.Second + time.Millisecond)
	w.observe(1e9, physics.Event{})
	w.limit = 0
	w.observe(1e9, physics.Event{})
	if stops != 1 {
		t.Errorf("stopped %d times, once with 2.5 s left and never without a limit", stops)
	}
	if got, want := checkpointTime(1e9), 640*time.Second; got < want {
		t.Errorf("%v for the eight fields of a checkpoint, want %v or more", got, want)
	}
}

// However short the limit, a loop that resumes again and again comes to the end.
func TestShortWalltimeGetsOn(t *testing.T) {
	dir := writeCase(t, smallCase)
	args := []string{"run", "small.yaml", "--resume", "--walltime", "1ms", "--set", "time.max_step=0.01", "--set", "time.first_step=0.01"}
	last := int64(0)
	for range 20 {
		code, _, errs := convect(t, dir, args...)
		path, _, err := checkpoint.Latest(filepath.Join(dir, "small.out"))
		if err != nil {
			t.Fatal(err)
		}
		if step := stepOf(t, path); step <= last && code != exitDone {
			t.Fatalf("step %d after %d\n%s", step, last, errs)
		} else {
			last = step
		}
		if code == exitDone {
			return
		}
		if code != exitWalltime || !strings.Contains(errs, "checkpoint") {
			t.Fatalf("exit code %d\n%s", code, errs)
		}
	}
	t.Errorf("only at step %d after 20 resumes", last)
}

// The time that passed before the case was read counts too: here it comes late, through a pipe.
func TestWalltimeCountsFromTheStart(t *testing.T) {
	devicetest.Long(t)
	dir := writeCase(t, smallCase)
	pipe := filepath.Join(dir, "late.yaml")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	c := start(t, dir, "run", "late.yaml", "--walltime", "2s", "--set", "time.end=60")
	time.Sleep(1200 * time.Millisecond)
	if err := os.WriteFile(pipe, []byte(longCase), 0); err != nil {
		t.Fatal(err)
	}
	if code := endOf(t, c); code != exitWalltime {
		t.Fatalf("exit code %d", code)
	}
	table, err := series.Read(filepath.Join(dir, "late.out", series.SeriesName))
	if err != nil {
		t.Fatal(err)
	}
	wall := table.Column("wall_seconds")
	if last := wall[len(wall)-1]; last > 1 {
		t.Errorf("%.2f s of steps after 1.2 of 2 s", last)
	}
}
