package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"convect/io/checkpoint"
)

// killed stands among exit codes for an end by SIGKILL.
const killed = -9

// because returns a reason as an element of the ends that judge accepts: the text of an error of the system.
func because(errno string) reason { return reason(errno) }

type reason string

func (r reason) text() string {
	for n := unix.Errno(1); n < 200; n++ {
		if unix.ErrnoName(n) == string(r) {
			return n.Error()
		}
	}
	return string(r)
}

// judge looks at what a process has left: accepted are its exit codes, and the reason that a failure must name.
func (c *chain) judge(p *process, accepted ...any) error {
	if fault := crash(p); fault != "" {
		return errors.New(fault)
	}
	code := p.code
	if p.code < 0 && p.signal == unix.SIGKILL {
		code = killed
	}
	if !slices.Contains(accepted, any(code)) {
		return fmt.Errorf("it ended with %s", p.end())
	}
	for _, a := range accepted {
		if r, ok := a.(reason); ok && code == 1 && !strings.Contains(p.errs, r.text()) {
			return fmt.Errorf("a failure that does not name its reason, %s", r.text())
		}
	}
	before := c.newest
	if err := c.lookAt(); err != nil {
		return err
	}
	if c.newest < before {
		return fmt.Errorf("the newest checkpoint was of step %d and is of step %d", before, c.newest)
	}
	if err := c.statements(p); err != nil {
		return err
	}
	if code == 0 {
		return c.compare()
	}
	return nil
}

// crash tells what no end may look like.
func crash(p *process) string {
	if p.stuck {
		return "it does not come to its end"
	}
	for _, sign := range []string{"panic:", "fatal error:", "goroutine ", "SIGSEGV", "zerolog:", "damaged", "DAMAGED"} {
		if strings.Contains(p.errs+p.out, sign) {
			return fmt.Sprintf("%q in its output", sign)
		}
	}
	return ""
}

// lookAt checks checkpoints, tables and snapshots against the undisturbed run.
func (c *chain) lookAt() error {
	path, skipped, err := checkpoint.Latest(c.dir)
	if err = errors.Join(append(skipped, err)...); err != nil {
		return fmt.Errorf("a checkpoint that is not whole: %w", err)
	}
	c.newest = -1
	if path == "" {
		return nil
	}
	if c.newest, err = stepOf(path); err != nil {
		return err
	}
	rows, err := readRows(c.dir)
	if err != nil {
		return err
	}
	for step, row := range c.whole.rows {
		if step <= c.newest && rows[step] != row {
			return fmt.Errorf("the newest checkpoint is of step %d, and the row of step %d is\n%q, not\n%q", c.newest, step, rows[step], row)
		}
	}
	for name, sum := range c.whole.snapshots {
		step, err := numberIn(name)
		if err != nil {
			return err
		}
		if step > c.newest || step <= c.from {
			continue
		}
		if got, err := sumOf(filepath.Join(c.dir, name)); err != nil || got != sum {
			return fmt.Errorf("the newest checkpoint is of step %d, and %s is not as it must be: %w", c.newest, name, err)
		}
	}
	return c.due(rows)
}

// due checks that no checkpoint is missing that was due before the last row was written.
func (c *chain) due(rows map[int64]string) error {
	args := c.story[len(c.story)-1].args
	if c.every == 0 || (c.overwrites && slices.Contains(args, "--force")) || slices.Contains(args, "restart") { // rows and checkpoints of the run that goes
		return nil
	}
	last := int64(-1)
	for step := range rows {
		last = max(last, step)
	}
	if due := (last - 1) / c.every * c.every; due > max(c.newest, c.from, 0) {
		return fmt.Errorf("the last row is of step %d, and the newest checkpoint of step %d, not %d", last, c.newest, due)
	}
	return nil
}

var checkpointSaid = regexp.MustCompile(`(?:the last whole checkpoint is|; checkpoint) (\S+?\.h5)[,;]`)

// statements checks what the program has said of checkpoints.
func (c *chain) statements(p *process) error {
	for _, said := range checkpointSaid.FindAllStringSubmatch(p.errs, -1) {
		if step, err := numberIn(said[1]); err != nil || step != c.newest {
			return fmt.Errorf("it names %s, and the newest checkpoint is of step %d", said[1], c.newest)
		}
	}
	if strings.Contains(p.errs, "there is no checkpoint yet") && c.newest >= 0 {
		return fmt.Errorf("it says that there is no checkpoint, and there is one of step %d", c.newest)
	}
	if p.code == 1 && strings.TrimSpace(p.errs) == "" && p.output == nil {
		return errors.New("a failure without a word")
	}
	if p.code == 130 && c.newest < 0 && !strings.Contains(p.errs, "before the first step") {
		return errors.New("interrupted, and there is no checkpoint")
	}
	return nil
}

func checkpointPath(dir string, step int64) string {
	return filepath.Join(dir, checkpoint.Folder, fmt.Sprintf("ckpt_%06d.h5", step))
}

// numberIn returns the step in the name of a file.
func numberIn(name string) (int64, error) {
	digits := regexp.MustCompile(`_(\d{6,})\.`).FindStringSubmatch(filepath.Base(name))
	if digits == nil {
		return 0, fmt.Errorf("no step in the name %s", name)
	}
	return strconv.ParseInt(digits[1], 10, 64)
}

func stepOf(path string) (int64, error) {
	c, err := checkpoint.Read(path)
	if err != nil {
		return -1, err
	}
	if step, err := numberIn(path); err != nil || step != c.State.Step {
		return -1, fmt.Errorf("%s holds step %d", path, c.State.Step)
	}
	return c.State.Step, nil
}

// compare compares the end of the run with that of the undisturbed one.
func (c *chain) compare() error {
	got, err := readEnded(c.dir)
	if err != nil {
		return err
	}
	if err := got.differs(c.whole, c.from, c.bare); err != nil {
		return fmt.Errorf("not the undisturbed run: %w", err)
	}
	for _, name := range got.names {
		if strings.HasSuffix(name, ".tmp") && len(c.story[len(c.story)-1].before) == 0 {
			return fmt.Errorf("left %s", name)
		}
	}
	if _, err := os.Stat(filepath.Join(c.dir, ".lock")); err == nil && len(c.story[len(c.story)-1].before) == 0 {
		return errors.New("left .lock")
	}
	return nil
}
