package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"convect/io/checkpoint"
	"convect/io/series"
	"convect/kernels/devicetest"
)

// endOf waits for a program that must end soon, and returns its exit code.
func endOf(t *testing.T, c *exec.Cmd) int {
	t.Helper()
	stuck := time.AfterFunc(60*time.Second, func() {
		t.Error("it does not come to its end")
		c.Process.Kill()
	})
	defer stuck.Stop()
	c.Wait()
	return c.ProcessState.ExitCode()
}

// A closed terminal ends a run as Ctrl-C does, unless nohup has told it to go on; so does SIGQUIT.
func TestHangup(t *testing.T) {
	for signal, trap := range map[syscall.Signal]string{syscall.SIGHUP: "HUP", syscall.SIGQUIT: "QUIT", syscall.SIGXCPU: ""} {
		dir := writeCase(t, longCase)
		d := directory(filepath.Join(dir, "small.out"))
		c := start(t, dir, "run", "small.yaml", "--set", "time.end=60")
		waitForRows(t, d, 30)
		c.Process.Signal(signal)
		name := unix.SignalName(signal)
		if code := endOf(t, c); code != exitInterrupted {
			t.Fatalf("%s: exit code %d", name, code)
		}
		rows := readSeries(t, d)
		if got := lastCheckpoint(t, d).State.Step; got != int64(rows[len(rows)-1][0]) {
			t.Errorf("%s: the last checkpoint is of step %d, the last row of %v", name, got, rows[len(rows)-1][0])
		}
		if log := fileText(t, d.path(logName)); !strings.Contains(log, "interrupted by "+name) {
			t.Errorf("the log does not name %s:\n%s", name, log)
		}
		if trap == "" {
			continue
		}
		c = ignoring(program(t, dir, "run", "small.yaml", "--resume", "--set", fmt.Sprintf("time.end=%g", rows[len(rows)-1][1]+0.02)), trap)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		waitForRows(t, d, len(rows)+10)
		c.Process.Signal(signal)
		if code := endOf(t, c); code != exitDone {
			t.Errorf("%s ignored at the start: exit code %d", name, code)
		}
	}
}

// ignoring makes a program start with a signal ignored.
func ignoring(c *exec.Cmd, trap string) *exec.Cmd {
	shell := exec.Command("sh", append([]string{"-c", "trap '' " + trap + `; exec "$0" "$@"`}, c.Args...)...)
	shell.Dir, shell.Env = c.Dir, c.Env
	return shell
}

// Signals that come before the first step are obeyed at once, and nothing is left behind; a request for a checkpoint is kept.
func TestEarlySignals(t *testing.T) {
	dir := writeCase(t, longCase)
	d := directory(filepath.Join(dir, "small.out"))
	soon := 30 * time.Millisecond
	for range 5 { // on a machine that is busy with other tests nothing takes 30 ms
		begin := time.Now()
		mustRun(t, dir, "version")
		soon = max(soon, 2*time.Since(begin))
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		c := start(t, dir, "run", "small.yaml", "--set", "time.end=60", "--set", "grid.cells=[400, 400]")
		time.Sleep(soon)
		c.Process.Signal(signal)
		if code := endOf(t, c); code != exitInterrupted {
			t.Errorf("%v after %v: exit code %d", signal, soon, code)
		}
		if _, holds := d.holdsRun(caseName); holds {
			if path, _, err := checkpoint.Latest(string(d)); path == "" || err != nil {
				t.Errorf("%v after %v left a run without a checkpoint: %v", signal, soon, err)
			}
		}
		os.RemoveAll(string(d))
	}
	c := start(t, dir, "run", "small.yaml", "--set", "checkpoint.every=1h")
	time.Sleep(soon)
	c.Process.Signal(syscall.SIGUSR1)
	if code := endOf(t, c); code != exitDone {
		t.Errorf("SIGUSR1 after %v: exit code %d", soon, code)
	}
	if log := fileText(t, d.path(logName)); !strings.Contains(log, "SIGUSR1: wrote the checkpoint") {
		t.Errorf("nothing is said of SIGUSR1 after %v:\n%s", soon, log)
	}
}

// A run that is interrupted while it is made ready leaves the run that it was to overwrite.
func TestInterruptedBeforeTheFirstStep(t *testing.T) {
	s := newSignals()
	hold := make(chan struct{})
	defer close(hold)
	began := make(chan struct{})
	go func() {
		<-began
		s.cancel(&interruption{syscall.SIGTERM})
	}()
	err := s.until(func() error {
		close(began)
		<-hold
		return nil
	})
	if exitCode(err) != exitInterrupted || !strings.Contains(err.Error(), "interrupted by SIGTERM before the first step") {
		t.Errorf("%v, exit code %d", err, exitCode(err))
	}
	if err := s.until(func() error { t.Error("begun after the signal"); return nil }); exitCode(err) != exitInterrupted {
		t.Error(err)
	}
}

// Who reads the output of a run may leave: the run goes on and ends with its own exit code, and says so in its log.
func TestLostReader(t *testing.T) {
	devicetest.Long(t)
	dir := writeCase(t, longCase)
	mustRun(t, dir, "run", "small.yaml", "--out", "whole")
	for name, redirect := range map[string]string{"head": `2>&1 | head -n 1`, "gone": `2>&1 | true`, "closed": `>&- 2>&-`, "full": `>/dev/full 2>&1`} {
		run := program(t, dir, "run", "small.yaml", "--out", name)
		shell := exec.Command("bash", append([]string{"-c", `"$0" "$@" ` + redirect + `; exit ${PIPESTATUS[0]}`}, run.Args...)...)
		shell.Dir, shell.Env = run.Dir, run.Env
		if err := shell.Start(); err != nil {
			t.Fatal(err)
		}
		if code := endOf(t, shell); code != exitDone {
			t.Errorf("%s: exit code %d", name, code)
		}
		d := directory(filepath.Join(dir, name))
		sameEnd(t, directory(filepath.Join(dir, "whole")), d)
		log := fileText(t, d.path(logName))
		if !strings.Contains(log, "reached the end") || (name != "closed" && !strings.Contains(log, "nothing more can be printed")) {
			t.Errorf("%s: log\n%s", name, log)
		}
	}
}

// Where only results are printed, a reader that leaves ends the command without a word.
func TestLostReaderOfResults(t *testing.T) {
	dir := writeCase(t, smallCase)
	mustRun(t, dir, "run", "small.yaml")
	for _, args := range []string{"help bench", "check small.yaml", "inspect small.out/snapshots/snap_000000.hdf"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		c := program(t, dir, strings.Fields(args)...)
		var errs bytes.Buffer
		c.Stdout, c.Stderr = w, &errs
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		r.Close()
		endOf(t, c)
		if status := c.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGPIPE || errs.Len() > 0 {
			t.Errorf("%s: %v, %s", args, c.ProcessState, &errs)
		}
	}
}

// terminal opens a pseudo-terminal: what a program has, and the other side.
func terminal(t *testing.T) (inner, outer *os.File) {
	t.Helper()
	outer, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	if err := unix.IoctlSetPointerInt(int(outer.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skip(err)
	}
	n, err := unix.IoctlGetInt(int(outer.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skip(err)
	}
	if inner, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Skip(err)
	}
	if err := unix.IoctlSetWinsize(int(inner.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 30, Col: 100}); err != nil {
		t.Skip(err)
	}
	return inner, outer
}

// A terminal that is closed sends SIGHUP to what runs in it, and takes no more output.
func TestClosedTerminal(t *testing.T) {
	devicetest.Long(t)
	for name, c := range map[string]struct {
		trap string
		code int
	}{"plain": {"", exitInterrupted}, "nohup": {"HUP", exitDone}} {
		dir := writeCase(t, longCase)
		d := directory(filepath.Join(dir, "small.out"))
		run := program(t, dir, "run", "small.yaml", "--set", "time.end=0.2")
		if c.trap != "" {
			run = ignoring(run, c.trap)
		}
		run.Env = append(run.Env, "TERM=xterm")
		inner, outer := terminal(t)
		run.Stdin, run.Stdout, run.Stderr = inner, inner, inner
		run.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		inner.Close()
		go io.Copy(io.Discard, outer)
		waitForRows(t, d, 100)
		outer.Close()
		if code := endOf(t, run); code != c.code {
			t.Errorf("%s: exit code %d, want %d", name, code, c.code)
		}
		if used := run.ProcessState.UserTime() + run.ProcessState.SystemTime(); used > 20*time.Second {
			t.Errorf("%s: %v of processor time", name, used)
		}
		rows := readSeries(t, d)
		if got := lastCheckpoint(t, d).State.Step; got != int64(rows[len(rows)-1][0]) {
			t.Errorf("%s: the last checkpoint is of step %d, the last row of %v", name, got, rows[len(rows)-1][0])
		}
		if _, err := os.Stat(d.path(series.SummaryName)); (err == nil) != (c.code == exitDone) {
			t.Errorf("%s: summary: %v", name, err)
		}
	}
}
