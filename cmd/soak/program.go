package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// longest is how long a process may take before it is taken for stuck.
const longest = 3 * time.Minute

// process is one start of the program, and how it ended.
type process struct {
	args   []string
	before []string // command that starts it: strace, sh
	strike func(*os.Process)
	after  time.Duration // until strike
	output *os.File      // for both outputs; nil: they are kept

	code      int // -1: by signal
	signal    syscall.Signal
	out, errs string
	stuck     bool
	took      time.Duration
}

// run starts the program and waits for its end.
func (p *process) run(program, dir string) {
	words := append(append(append([]string{}, p.before...), program), p.args...)
	c := exec.Command(words[0], words[1:]...)
	c.Dir = dir
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if p.output != nil {
		c.Stdout, c.Stderr = p.output, p.output
	}
	c.WaitDelay = 5 * time.Second
	begin := time.Now()
	if err := c.Start(); err != nil {
		p.code, p.errs = -1, err.Error()
		return
	}
	if p.output != nil {
		p.output.Close()
	}
	if p.strike != nil {
		defer time.AfterFunc(p.after, func() { p.strike(c.Process) }).Stop()
	}
	stuck := time.AfterFunc(longest, func() {
		p.stuck = true
		syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
	})
	defer stuck.Stop()
	c.Wait()
	status := c.ProcessState.Sys().(syscall.WaitStatus)
	p.took, p.code, p.signal = time.Since(begin), c.ProcessState.ExitCode(), status.Signal()
	p.out, p.errs = out.String(), errs.String()
}

// end says in a word how the process ended.
func (p *process) end() string {
	switch {
	case p.stuck:
		return "stuck"
	case p.code < 0:
		return p.signal.String()
	}
	return fmt.Sprintf("exit %d", p.code)
}

// String tells the command and how it ended.
func (p *process) String() string {
	text := strings.Join(append(append([]string{}, p.before...), append([]string{"convect"}, p.args...)...), " ")
	if len(text) > 600 {
		text = text[:300] + " … " + text[len(text)-300:]
	}
	return fmt.Sprintf("%s\n    %s after %v\n%s", text, p.end(), p.took.Round(time.Millisecond), indent(p.errs))
}

func indent(text string) string {
	if text == "" {
		return ""
	}
	if len(text) > 4000 {
		text = text[:4000] + " …"
	}
	return "    | " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    | ") + "\n"
}

// traceable tells why strace cannot trace here, if so.
func traceable(dir string) error {
	if out, err := exec.Command("strace", "-f", "-o", filepath.Join(dir, "probe.strace"), "true").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	return os.Remove(filepath.Join(dir, "probe.strace"))
}

// mountable tells why no tmpfs can be mounted here, if so.
func mountable(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	defer os.Remove(dir)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		return err
	}
	return syscall.Unmount(dir, 0)
}

// resize makes the tmpfs at dir hold so many bytes.
func resize(dir string, bytes int64) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("size=%d", bytes))
}
