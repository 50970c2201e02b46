package main

import (
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
		name: "restart", arguments: "CHECKPOINT", summary: "continue from a checkpoint", least: 1, most: 1, flags: f, watches: true,
		text: `Continues a run from a checkpoint, which holds the case, to the same bits as a run that was never stopped. In the
checkpoint's own run directory the tables are cut and later snapshots and checkpoints removed; with --out the run
goes on in another directory, and the tables up to the checkpoint are copied there. A run that is over goes on with a
later end: --set time.end=…; it then has the bits of a run for which the old end was an output time.`,
		examples: []string{
			"convect restart square.out/checkpoints/ckpt_001234.h5",
			"convect restart square.out/checkpoints/ckpt_001234.h5 --set time.end=2",
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

// restart continues from a checkpoint.
func (o *runOptions) restart(e *environment, path string) error {
	from, err := checkpoint.Read(path)
	if err != nil {
		return err
	}
	c, err := casefile.ParseFile(path, from.Header, o.set)
	if err != nil {
		return err
	}
	reload := func(extra ...string) (*casefile.Case, error) {
		return casefile.ParseFile(path, from.Header, slices.Concat(o.set, extra))
	}
	s := &session{environment: e, options: o, c: c, reload: reload, from: from, fromPath: path, isRestart: true, started: launch.Started()}
	own, isOwn := directoryOf(path)
	switch {
	case o.out == "" && !isOwn:
		return usage("%s does not lie in the checkpoints of a run directory: --out names one", path)
	case o.out == "" || (isOwn && directory(o.out).is(own)):
		s.dir = own
	default:
		s.dir, s.tables = directory(o.out), own
		if name, holds := s.dir.holdsRun(); holds && !o.force {
			return usage("%s holds a run already (%s): --force overwrites it", s.dir, name)
		}
	}
	if err := s.checkResumable(); err != nil {
		return err
	}
	return s.execute()
}

// directoryOf returns the run directory of a checkpoint, if it lies in one.
func directoryOf(path string) (directory, bool) {
	absolute, err := filepath.Abs(path)
	if err != nil || filepath.Base(filepath.Dir(absolute)) != checkpoint.Folder {
		return "", false
	}
	return directory(filepath.Dir(filepath.Dir(path))), true
}
