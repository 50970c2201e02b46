package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"convect/cmd/convect/casefile"
	"convect/cmd/convect/launch"
	"convect/io/checkpoint"
)

func restartCommand() *command {
	o, f := &runOptions{}, newFlags("restart")
	f.StringVar(&o.out, "out", "", "run directory (default: that of the checkpoint)")
	o.add(f)
	return &command{
		name: "restart", arguments: "CHECKPOINT", summary: "continue from a checkpoint", least: 1, most: 1, flags: f, watches: true, shares: true,
		text: `CHECKPOINT is a file, or a run directory, of which the newest whole checkpoint is taken.

Continues a run from a checkpoint, which holds the case, to the same bits as a run that was never stopped. In the
checkpoint's own run directory the tables are cut and later snapshots and checkpoints removed; with --out the run
goes on in another directory, and the tables up to the checkpoint are copied there. A run that is over goes on with a
later end: --set time.end=…; it then has the bits of a run for which the old end was an output time
(where walls vary in time only if their amplitude over the run stays the same: steps are measured by it).`,
		examples: []string{
			"convect restart square.out/checkpoints/ckpt_001234.h5",
			"convect restart square.out --set time.end=2",
			"convect restart square.out/checkpoints/ckpt_001234.h5 --out other --set physics.rayleigh=300",
		},
		exits: []int{exitDone, exitFailed, exitUsage, exitWalltime, exitInterrupted},
		run: func(e *environment, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return o.restart(e, args[0])
		},
	}
}

// restart continues from a checkpoint, or from the newest of a folder.
func (o *runOptions) restart(e *environment, path string) error {
	s := &session{environment: e, options: o, isRestart: true, started: launch.Started()}
	s.locate = func() error { return s.locateRestart(path) }
	return s.execute()
}

// locateRestart reads the checkpoint, its case and where the run goes on.
func (s *session) locateRestart(path string) (err error) {
	if s.fromPath, s.skipped, err = checkpointAt(path); err != nil {
		return err
	}
	own, isOwn := directoryOf(s.fromPath)
	s.inPlace = isOwn && (s.options.out == "" || directory(s.options.out).is(own))
	if s.dir = directory(s.options.out); s.inPlace {
		s.dir = own
	}
	s.seen = s.dir.state()
	if s.from, err = s.readState(s.fromPath); err != nil {
		return withNewest(err, s.fromPath)
	}
	if s.dir == "" {
		return usage("%s does not lie in the checkpoints of a run directory: --out names one", s.fromPath)
	}
	header, set := s.from.Header, s.options.set
	if s.c, err = casefile.ParseFile(s.fromPath, header, set); err != nil {
		return err
	}
	s.reload = func(extra ...string) (*casefile.Case, error) {
		return casefile.ParseFile(s.fromPath, header, slices.Concat(set, extra))
	}
	if s.keepCase(); !s.inPlace {
		s.tables = own
		if err := s.checkOverwrite("--force overwrites it"); err != nil {
			return err
		}
	}
	return s.checkResumable()
}

// checkpointAt returns the checkpoint of a path: a file, or the newest whole one in a run directory or in its folder of checkpoints. skipped
// are newer ones that are damaged.
func checkpointAt(path string) (file string, skipped []error, err error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path, nil, nil // reading it tells what is wrong
	}
	folder := filepath.Join(path, checkpoint.Folder)
	if inner, err := os.Stat(folder); err != nil || !inner.IsDir() {
		folder = path
	}
	file, skipped, err = checkpoint.Newest(folder)
	if err == nil && file == "" {
		err = usage("there is no checkpoint in %s", folder)
	}
	return file, skipped, err
}

// withNewest adds to the error that a checkpoint is not there which one is: a run removes all but the newest ones.
func withNewest(err error, path string) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	newest, _, errNewest := checkpoint.Newest(filepath.Dir(path))
	if errNewest != nil || newest == "" {
		return err
	}
	return fmt.Errorf("%w; the newest checkpoint there is %s", err, filepath.Base(newest))
}

// directoryOf returns the run directory of a checkpoint, if it lies in one.
func directoryOf(path string) (directory, bool) {
	absolute, err := filepath.Abs(path)
	if err != nil || filepath.Base(filepath.Dir(absolute)) != checkpoint.Folder {
		return "", false
	}
	return directory(filepath.Join(filepath.Dir(path), "..")), true
}
