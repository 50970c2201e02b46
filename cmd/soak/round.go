package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// chainsOfCase is how often a case is disturbed.
const chainsOfCase = 6

// round is one case, undisturbed in whole, and disturbed.
type round struct {
	*tally
	number int64
	over   time.Time
	r      *rand.Rand
	folder string
	drawn
	whole  *ended
	lasted time.Duration // the undisturbed run
}

func newRound(t *tally, number int64, over time.Time) *round {
	return &round{tally: t, number: number, over: over, r: rand.New(rand.NewPCG(t.seed, uint64(number))),
		folder: filepath.Join(t.dir, fmt.Sprintf("round%d", number))}
}

// run does the round.
func (d *round) run(ctx context.Context) {
	d.drawn = draw(d.r)
	if err := d.prepare(); err != nil {
		d.find(fmt.Sprintf("seed %d, round %d: %v", d.seed, d.number, err))
		return
	}
	reference := d.reference()
	if reference.code != 0 {
		d.refuse(reference)
		return
	}
	var err error
	if d.whole, err = readEnded(filepath.Join(d.folder, "whole")); err != nil {
		d.find(fmt.Sprintf("seed %d, round %d: the undisturbed run: %v\n%v", d.seed, d.number, err, reference))
		return
	}
	d.mutex.Lock()
	d.rounds++
	d.mutex.Unlock()
	good := true
	if d.traces && d.number%10 == 0 {
		if err := d.order(); err != nil {
			good = false
			d.find(fmt.Sprintf("seed %d, round %d: %v", d.seed, d.number, err))
		}
	}
	for n := range chainsOfCase {
		seed := d.r.Uint64() // drawn in any case, so that a repeated round draws alike
		if ctx.Err() == nil && d.few() && (d.tally.round >= 0 || time.Now().Before(d.over)) {
			good = newChain(d, n, seed).run() && good
		}
	}
	if good {
		os.RemoveAll(d.folder)
	}
}

func (d *round) prepare() error {
	if err := os.MkdirAll(d.folder, 0o777); err != nil {
		return err
	}
	return os.WriteFile(d.caseFile(), []byte(d.text), 0o666)
}

func (d *round) caseFile() string { return filepath.Join(d.folder, "case.yaml") }

// reference runs the case undisturbed.
func (d *round) reference() *process {
	p := &process{args: []string{"run", d.caseFile(), "--out", filepath.Join(d.folder, "whole"), "--threads", "1"}}
	p.run(d.convect, d.folder)
	d.lasted = p.took
	return p
}

// refuse leaves a case out that does not run, which is none of this program's business unless it crashes.
func (d *round) refuse(p *process) {
	d.mutex.Lock()
	d.refused++
	d.mutex.Unlock()
	if fault := crash(p); fault != "" || p.code == 2 {
		d.find(fmt.Sprintf("seed %d, round %d: undisturbed, %s\n%v\n%s", d.seed, d.number, fault, p, indent(d.text)))
		return
	}
	os.RemoveAll(d.folder)
}

// chain is a run that is disturbed several times, one after the other, and then resumed to its end.
type chain struct {
	*round
	number int
	r      *rand.Rand
	dir    string // of the run
	disk   string // tmpfs that it lies on; "": none
	first  []string
	from   int64 // step of the checkpoint that it was restarted from elsewhere; -1: none
	newest int64 // step of the newest checkpoint so far; -1: none
	story  []*process
	bare   bool // a run said that it has no picture

	overwrites bool // begins over another run
}

func newChain(d *round, number int, seed uint64) *chain {
	return &chain{round: d, number: number, r: rand.New(rand.NewPCG(seed, 0)), dir: filepath.Join(d.folder, fmt.Sprintf("chain%d", number), "run"), from: -1, newest: -1}
}

// run disturbs a run and compares its end; it tells whether all was well.
func (c *chain) run() bool {
	c.mutex.Lock()
	c.chains++
	c.mutex.Unlock()
	folder := filepath.Dir(c.dir)
	err := os.MkdirAll(folder, 0o777)
	if err == nil && c.mounts && c.r.IntN(4) == 0 {
		c.disk = folder
		err = syscall.Mount("tmpfs", folder, "tmpfs", 0, fmt.Sprintf("size=%d", plenty))
		defer syscall.Unmount(folder, syscall.MNT_DETACH)
	}
	if err == nil {
		err = c.begin()
	}
	for range 1 + c.r.IntN(6) {
		if n := len(c.story); n > 0 && c.story[n-1].code == 0 && c.r.IntN(4) > 0 { // it is over
			break
		}
		if err == nil {
			err = c.disturb()
		}
	}
	if err == nil {
		err = c.finish()
	}
	if err == nil {
		os.RemoveAll(folder)
		return true
	}
	c.report(err)
	return false
}

func (c *chain) report(err error) {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, round %d, chain %d: %v\n", c.seed, c.round.number, c.number, err)
	for _, p := range c.story {
		fmt.Fprintf(&b, "  %v", p)
	}
	fmt.Fprintf(&b, "%s  kept in %s\n", indent(c.text), filepath.Dir(c.dir))
	if c.disk != "" { // the disk goes, what is on it stays
		kept := c.disk + ".kept"
		os.CopyFS(kept, os.DirFS(c.disk))
		fmt.Fprintf(&b, "  and %s\n", kept)
	}
	c.find(b.String())
}

// begin chooses how the run begins: anew, over another one, or restarted from a checkpoint of the undisturbed one, in a copy of its directory or
// in another.
func (c *chain) begin() error {
	c.first = []string{"run", c.caseFile(), "--out", c.dir, "--resume", "--threads", "1"}
	how, steps := c.r.IntN(8), c.whole.checkpoints
	if how == 2 {
		c.first[4], c.overwrites = "--force", true
		return os.CopyFS(c.dir, os.DirFS(c.whole.dir))
	}
	if how > 1 || len(steps) < 2 { // the last is that of the end
		return nil
	}
	step := steps[c.r.IntN(len(steps)-1)]
	switch how {
	case 0:
		if err := os.CopyFS(c.dir, os.DirFS(c.whole.dir)); err != nil {
			return err
		}
		c.first = []string{"restart", checkpointPath(c.dir, step), "--threads", "1"}
		c.newest = step
	case 1:
		c.from = step
		c.first = []string{"restart", checkpointPath(c.whole.dir, step), "--out", c.dir, "--force", "--threads", "1"}
	}
	return nil
}

// command returns what begins the run, or goes on with it.
func (c *chain) command() []string {
	if len(c.story) == 0 || ((c.from >= 0 || c.overwrites) && c.newest < 0) {
		return c.first
	}
	return []string{"run", c.caseFile(), "--out", c.dir, "--resume", "--threads", "1"}
}

// finish goes on undisturbed and compares the end.
func (c *chain) finish() error {
	p := &process{args: c.command()}
	c.perform(p)
	if err := c.judge(p, 0); err != nil {
		return err
	}
	return c.compare()
}

// perform runs a process and notes it.
func (c *chain) perform(p *process) {
	c.story = append(c.story, p)
	p.run(c.convect, c.folder)
	c.bare = c.bare || strings.Contains(p.errs, "there is no picture")
}
