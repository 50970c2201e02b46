package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// disturbance is one way to disturb a process.
type disturbance struct {
	name    string
	weight  int
	traces  bool // needs strace
	mounts  bool // needs a disk of its own
	perform func(c *chain) error
}

func disturbances() []disturbance {
	return []disturbance{
		{"kill", 8, false, false, (*chain).kill},
		{"kill at a call", 6, true, false, (*chain).killAtCall},
		{"fault", 10, true, false, (*chain).fault},
		{"no flock", 2, true, false, (*chain).noFlock},
		{"full disk (injected)", 3, true, false, (*chain).fullInjected},
		{"full disk (tmpfs)", 12, false, true, (*chain).fullDisk},
		{"ulimit -f", 2, false, false, (*chain).limitedFiles},
		{"signal", 4, false, false, (*chain).signalled},
		{"reader leaves", 2, false, false, (*chain).readerLeaves},
		{"walltime", 2, false, false, (*chain).walltime},
		{"second run", 1, false, false, (*chain).second},
	}
}

// disturb does one of them.
func (c *chain) disturb() error {
	all := slices.DeleteFunc(disturbances(), func(d disturbance) bool { return d.traces && !c.traces || d.mounts && c.disk == "" })
	sum := 0
	for _, d := range all {
		sum += d.weight
	}
	at := c.r.IntN(sum)
	for _, d := range all {
		if at -= d.weight; at < 0 {
			n := len(c.story)
			err := d.perform(c)
			for _, p := range c.story[n:] {
				c.count(d.name, p.end())
			}
			return err
		}
	}
	return nil
}

// moment draws a time at which something strikes, mostly within the run and often early.
func (c *chain) moment() time.Duration {
	u := c.r.Float64()
	return time.Duration(1.3 * u * math.Sqrt(u) * float64(c.lasted))
}

func (c *chain) kill() error {
	p := &process{args: c.command(), after: c.moment(), strike: func(p *os.Process) { p.Kill() }}
	c.perform(p)
	return c.judge(p, 0, killed)
}

// traced returns what starts the program under strace, with an injection into calls that concern files of the run.
func (c *chain) traced(injection string) []string {
	calls, _, _ := strings.Cut(injection, ":")
	words := []string{"strace", "-f", "-qq", "-o", filepath.Join(filepath.Dir(c.dir), "strace"), "-e", "trace=" + calls, "-e", "inject=" + injection}
	for _, path := range c.paths() {
		words = append(words, "-P", path)
	}
	return words
}

// paths are those of all files that the run writes.
func (c *chain) paths() []string {
	paths := []string{c.dir, filepath.Dir(c.dir), filepath.Join(c.dir, ".lock"), filepath.Join(c.dir, ".lock.host")}
	add := func(name string) {
		path := filepath.Join(c.dir, name)
		paths = append(paths, path, path+".tmp")
	}
	for _, name := range c.whole.names {
		add(name)
	}
	for step := range c.whole.steps + 1 {
		if c.every == 0 || step%c.every == 0 {
			add(fmt.Sprintf("checkpoints/ckpt_%06d.h5", step))
		}
	}
	return append(paths, filepath.Join(c.dir, "checkpoints"), filepath.Join(c.dir, "snapshots"))
}

// nth draws which call of a thread is struck.
func (c *chain) nth() int { return int(math.Exp(c.r.Float64() * math.Log(80))) }

// The calls of the system by what they do, on any architecture.
const (
	writing  = "write,pwrite64"
	syncing  = "fsync,fdatasync"
	renaming = "/^rename"
	making   = "/^mkdir"
	removing = "/^unlink"
	opening  = "/^open"
	cutting  = "ftruncate"
	locking  = "flock"
)

func (c *chain) killAtCall() error {
	call := pick(c.r, writing, writing, syncing, renaming, making, removing, opening, cutting, locking)
	p := &process{args: c.command(), before: c.traced(fmt.Sprintf("%s:signal=KILL:when=%d", call, c.nth()))}
	c.perform(p)
	return c.judge(p, 0, killed)
}

func (c *chain) fault() error {
	call := pick(c.r, writing, writing, writing, syncing, syncing, renaming, renaming, making, removing, opening, cutting, locking)
	errno := pick(c.r, "EIO", "ENOSPC", "EDQUOT", "EROFS", "EACCES")
	if call == locking {
		errno = pick(c.r, "EIO", "ENOLCK", "EOPNOTSUPP", "ENOSYS")
	}
	p := &process{args: c.command(), before: c.traced(fmt.Sprintf("%s:error=%s:when=%d", call, errno, c.nth()))}
	c.perform(p)
	return c.judge(p, 0, 1, because(errno))
}

// noFlock lets a run work where the file system has no locks.
func (c *chain) noFlock() error {
	p := &process{args: c.command(), before: c.traced(locking + ":error=" + pick(c.r, "ENOLCK", "EOPNOTSUPP", "ENOSYS"))}
	c.perform(p)
	return c.judge(p, 0)
}

func (c *chain) fullInjected() error {
	p := &process{args: c.command(), before: c.traced(fmt.Sprintf("%s:error=ENOSPC:when=%d+", writing, c.nth()))}
	c.perform(p)
	return c.judge(p, 0, 1, because("ENOSPC"))
}

// fullDisk leaves the run a random room on its own disk, and gives it plenty again afterwards.
func (c *chain) fullDisk() error {
	var used syscall.Statfs_t
	if err := syscall.Statfs(c.disk, &used); err != nil {
		return err
	}
	room := int64(used.Blocks-used.Bfree)*used.Bsize + int64(c.r.Float64()*1.2*float64(c.whole.bytes))
	if err := resize(c.disk, max(room, 1<<13)); err != nil {
		return fmt.Errorf("a disk of %d bytes: %w", room, err)
	}
	p := &process{args: c.command()}
	c.perform(p)
	if err := resize(c.disk, plenty); err != nil {
		return err
	}
	return c.judge(p, 0, 1, because("ENOSPC"))
}

// plenty is the size of a disk that is not full.
const plenty = 256 << 20

func (c *chain) limitedFiles() error {
	p := &process{args: c.command(), before: []string{"bash", "-c", fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, 1+c.r.IntN(40))}}
	c.perform(p)
	return c.judge(p, 0, 1, because("EFBIG"))
}

// watching waits until a process handles signals itself, which on a busy machine may take a while: from then on it ignores SIGPIPE.
func watching(p *os.Process) {
	for begin := time.Now(); time.Since(begin) < longest; time.Sleep(time.Millisecond) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Pid))
		if err != nil {
			return
		}
		_, mask, _ := strings.Cut(string(text), "SigIgn:")
		var ignored uint64
		if fmt.Sscanf(mask, "%x", &ignored); ignored>>(syscall.SIGPIPE-1)&1 == 1 {
			return
		}
	}
}

// signalled stops a run as a user or a queue does, or asks it for checkpoints.
func (c *chain) signalled() error {
	s := pick(c.r, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGXCPU, syscall.SIGUSR1)
	p := &process{args: c.command(), after: c.moment(), strike: func(p *os.Process) {
		watching(p)
		p.Signal(s)
	}}
	c.perform(p)
	return c.judge(p, 0, 130)
}

func (c *chain) readerLeaves() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	p := &process{args: c.command(), output: w, after: c.moment(), strike: func(*os.Process) { r.Close() }}
	c.perform(p)
	r.Close()
	return c.judge(p, 0)
}

func (c *chain) walltime() error {
	limit := time.Millisecond + c.moment()
	before := c.newest
	p := &process{args: append(slices.Clone(c.command()), "--walltime", limit.String())}
	c.perform(p)
	if err := c.judge(p, 0, 3); err != nil {
		return err
	}
	if p.code == 3 && c.newest <= max(before, 0) {
		return fmt.Errorf("a run of %v made no progress beyond step %d", limit, before)
	}
	return nil
}

// second starts a run where one is under way, which must be refused or find that run at its end, or past the checkpoint that it asks for.
func (c *chain) second() error {
	one, two := &process{args: c.command()}, &process{args: c.command()}
	done := make(chan struct{})
	c.story = append(c.story, one, two)
	go func() {
		defer close(done)
		one.run(c.convect, c.folder)
	}()
	time.Sleep(c.moment())
	two.run(c.convect, c.folder)
	<-done
	for _, p := range []*process{one, two} {
		if p.code == 1 && !strings.Contains(p.errs, "another run is writing to it") && !isPast(p) {
			return fmt.Errorf("of two runs at once one ended with %s", p.end())
		}
	}
	if one.code == 1 && two.code == 1 {
		return fmt.Errorf("two runs have refused each other")
	}
	last := one
	if one.code == 1 {
		last = two
	}
	return c.judge(last, 0)
}

// isPast tells whether a restart says, and rightly, that its checkpoint is gone: a run keeps the newest ones.
func isPast(p *process) bool {
	if p.args[0] != "restart" || !strings.Contains(p.errs, "; the newest checkpoint there is ") {
		return false
	}
	_, err := os.Stat(p.args[1])
	return errors.Is(err, fs.ErrNotExist)
}
