package lock

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// without returns a taker on a file system where flock fails.
func without(path string, err error) *taker {
	t := newTaker(path)
	t.patience = 50 * time.Millisecond
	t.flock = func(*os.File) error { return err }
	return t
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Locks that come and go at once never have two holders, though each removes its file.
func TestExcludes(t *testing.T) {
	for name, reason := range map[string]error{"flock": nil, "file": syscall.ENOLCK} {
		path := filepath.Join(t.TempDir(), "lock")
		var holders, taken atomic.Int64
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for range 200 {
					k := newTaker(path)
					k.patience = 0
					if reason != nil {
						k.flock = func(*os.File) error { return reason }
					}
					l, err := k.take()
					if err != nil {
						var h *HeldError
						if !errors.As(err, &h) {
							t.Error(err)
						}
						continue
					}
					if holders.Add(1) > 1 {
						t.Errorf("%s: two hold the lock", name)
					}
					taken.Add(1)
					runtime.Gosched()
					holders.Add(-1)
					l.Release()
				}
			})
		}
		group.Wait()
		if taken.Load() == 0 {
			t.Errorf("%s: nobody ever held the lock", name)
		}
		left, err := os.ReadDir(filepath.Dir(path))
		must(t, err)
		if len(left) > 0 && reason == nil {
			t.Errorf("%s: left %v", name, left)
		}
	}
}

// Where flock is missing the lock is a file that names its holder; other failures are told as they are.
func TestWithoutFlock(t *testing.T) {
	for _, reason := range []error{syscall.ENOLCK, syscall.EOPNOTSUPP, syscall.ENOSYS} {
		path := filepath.Join(t.TempDir(), "lock")
		l, err := without(path, reason).take()
		must(t, err)
		h, known := readFile(path + Suffix)
		if host, _ := os.Hostname(); !known || h.pid != os.Getpid() || h.host != host {
			t.Errorf("%v: the file names %v", reason, h)
		}
		for _, second := range []*taker{without(path, reason), newTaker(path)} { // on another client of the same file system flock may work
			second.patience = 0
			_, err = second.take()
			if held := (*HeldError)(nil); !errors.As(err, &held) || !strings.Contains(err.Error(), "another run is writing to it: process ") {
				t.Errorf("%v: a second one: %v", reason, err)
			}
		}
		l.Release()
		if left, _ := os.ReadDir(filepath.Dir(path)); len(left) > 1 {
			t.Errorf("%v: left %v", reason, left)
		}
	}
	_, err := without(filepath.Join(t.TempDir(), "lock"), syscall.EIO).take()
	if held := (*HeldError)(nil); !errors.Is(err, syscall.EIO) || errors.As(err, &held) || !strings.Contains(err.Error(), "input/output error") {
		t.Errorf("a failing disk: %v", err)
	}
}

// finished returns the number of a process that is over.
func finished(t *testing.T) int {
	t.Helper()
	c := exec.Command("true")
	must(t, c.Run())
	return c.Process.Pid
}

// A lock file that a killed process has left is taken over; where that cannot be known it is not.
func TestLeftBehind(t *testing.T) {
	me := self()
	over := finished(t)
	for name, c := range map[string]struct {
		change func(*holder)
		says   string // "": taken over
	}{
		"gone":            {func(h *holder) { h.pid = over }, ""},
		"number reused":   {func(h *holder) { h.start += "1" }, ""},
		"before the boot": {func(h *holder) { h.boot = "another" }, ""},
		"alive":           {func(h *holder) {}, "another run is writing to it: process "},
		"container":       {func(h *holder) { h.space = "pid:[1]"; h.pid = over }, "cannot be seen"},
		"another host":    {func(h *holder) { h.host = "far"; h.pid = over }, "on host far, since "},
	} {
		path := filepath.Join(t.TempDir(), "lock")
		h := me
		c.change(&h)
		must(t, os.WriteFile(path+Suffix, []byte(h.text()), 0o666))
		l, err := without(path, syscall.ENOSYS).take()
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.says == "":
			l.Release()
		case err == nil || !strings.Contains(err.Error(), c.says):
			t.Errorf("%s: %v", name, err)
		case h.host == "far" && !(strings.Contains(err.Error(), "remove "+path+Suffix) && strings.Contains(err.Error(), "function not implemented")):
			t.Errorf("%s: it is not said what to do: %v", name, err)
		}
	}
}

// A file that names nobody yet is that of a process about to write its name, until it is old.
func TestNameless(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	must(t, os.WriteFile(path+Suffix, []byte("host far\nproc"), 0o666))
	if _, err := without(path, syscall.ENOSYS).take(); err == nil {
		t.Error("a new one was taken")
	}
	old := time.Now().Add(-time.Minute)
	must(t, os.Chtimes(path+Suffix, old, old))
	l, err := without(path, syscall.ENOSYS).take()
	must(t, err)
	l.Release()
}

// A holder that is gone but has not let go yet is waited for, longer than one that runs.
func TestDyingHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	f, err := os.Create(path)
	must(t, err)
	must(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
	h := self()
	h.pid = finished(t)
	_, err = f.WriteString(h.text())
	must(t, err)
	time.AfterFunc(500*time.Millisecond, func() { f.Close() })
	take := func() (*Lock, error) {
		k := newTaker(path)
		k.patience = 50 * time.Millisecond
		return k.take()
	}
	l, err := take()
	must(t, err)
	defer l.Release()
	if _, err := take(); err == nil || !strings.Contains(err.Error(), "process ") {
		t.Errorf("a holder that runs: %v", err)
	}
}

func TestZombieIsGone(t *testing.T) {
	c := exec.Command("sleep", "60")
	must(t, c.Start())
	p, err := look(c.Process.Pid)
	if err != nil {
		t.Skip(err)
	}
	h := self()
	h.pid, h.start = c.Process.Pid, p.start
	if h.isGone(self()) {
		t.Error("a process that runs is gone")
	}
	must(t, c.Process.Kill())
	deadline := time.Now().Add(10 * time.Second)
	for !h.isGone(self()) && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if !h.isGone(self()) {
		t.Error("a process that was killed, but not waited for, is not gone")
	}
	c.Wait()
}
