package main

import (
	"errors"
	"io/fs"
	"time"

	"github.com/spf13/pflag"

	"convect/cmd/convect/casefile"
	"convect/cmd/convect/launch"
	"convect/cmd/convect/live"
)

// runOptions are the options that run and restart share.
type runOptions struct {
	set      []string
	out      string
	device   string
	threads  int
	force    bool
	resume   bool // run alone
	walltime time.Duration
	profile  bool
	apart    bool     // each process of MPI writes files of its own
	live     string   // address of the live page; "": none
	hosts    []string // names by which it may be called
	beside   bool     // a run of a sweep: it may start from the checkpoint of one beside it, wherever both lie now
}

func (o *runOptions) add(f *pflag.FlagSet) {
	addSet(f, &o.set)
	f.StringVar(&o.device, "device", "auto", "auto (the GPU with the most free memory, else the CPU), cpu, cpu:N (N ranks, slabs of the grid, that share the cores), cuda, cuda:N, or several GPUs, with slabs of the grid on each: cuda:0-3, cuda:0,2, cuda:all")
	f.IntVar(&o.threads, "threads", 0, "threads; 0: one for each core. Of each process under mpirun; 0: its part of the cores")
	f.BoolVar(&o.force, "force", false, "overwrite a run that the directory holds; with --resume, one that has no whole checkpoint")
	f.BoolVar(&o.apart, "file-per-rank", false, "under mpirun each process writes its part of snapshots and checkpoints into a file of its own (NAME.0, NAME.1, …), which NAME makes one array of: for file systems that do not like several writers of a file")
	f.DurationVar(&o.walltime, "walltime", 0, "checkpoint and stop before this time since the start is over, as 1h or 90m; 0: never")
	f.StringVar(&o.live, "live", "", "serve a page on which the run is seen and steered: alone at a free port of this machine, =PORT, =HOST:PORT, or =unix:PATH for a socket")
	f.Lookup("live").NoOptDefVal = live.Auto
	f.StringArrayVar(&o.hosts, "live-host", nil, "a name by which the live page may be called too, as that of a proxy; may be given several times")
	f.BoolVar(&o.profile, "profile", false, "print the time of each part of a step at the end or when stopped, and its kernels (see check --plan)")
}

// check refuses options that make no sense.
func (o *runOptions) check() error {
	switch {
	case o.walltime < 0:
		return usage("--walltime %v: accepted are 0 and above", o.walltime)
	case len(o.hosts) > 0 && o.live == "":
		return usage("--live-host goes with --live")
	}
	return nil
}

func runCommand() *command {
	o, f := &runOptions{}, newFlags("run")
	f.StringVar(&o.out, "out", "", "run directory (default ./NAME.out, NAME being that of the case)")
	f.BoolVar(&o.resume, "resume", false, "go on from the newest whole checkpoint of the directory, or start where there is no run")
	o.add(f)
	return &command{
		name: "run", arguments: "CASE", summary: "run a case", least: 1, most: 1, flags: f, watches: true, shares: true,
		text: `Runs the case file CASE into a run directory: case.yaml (as run), run.log, series.csv (a row a step), profiles.csv,
snapshots/ with snapshots.xmf and snapshots.hdf.series for ParaView, checkpoints/, and at the end summary.json and
temperature.png. The name of a case is that of its file, or for case.yaml that of its folder.

SIGINT (Ctrl-C), SIGTERM, SIGXCPU, SIGUSR2, SIGHUP (a closed terminal) and SIGQUIT finish the step, write a checkpoint
and end the run; a second SIGINT, more than a second later, ends it at once. nohup keeps SIGHUP away. Before the first
step the run ends and leaves all as it was. SIGUSR1 writes a checkpoint and goes on. A run that loses its terminal, or
who reads its output, goes on in run.log. A directory that holds a run is left alone without --force or --resume;
--force removes the files of that run and nothing else.

--walltime counts from the start of the process. One step and its checkpoint may pass it; at least one step is made,
however short it is, so that a loop of resumes gets to the end.

mpirun -n 4 convect run CASE shares a case in 3-D out among processes, on one machine or many: slabs of rows of y. It
writes what one process writes, on cores to the bit; docs/cluster.md has examples and what to beware of. Where each
process can have a GPU of its machine for itself it takes it. One process shares a case out among GPUs of its machine
with --device cuda:all; two runs on as many GPUs have the same bits.

--live prints the address of a page, with a token that lets in who has it, and the ssh line that brings it to another
machine; live.json in the run directory, readable for you alone, holds both. The page shows fields, curves and the
log, and pauses, stops and extends the run between steps; what it changes is in case.yaml and in steering.csv, and a
resumed run honours it. A run that is watched, or paused and resumed, has the bits of one that is not. --live listens to
this machine alone.

--resume goes on with the same case: time.end, output and checkpoint may differ; with anything else changed it
refuses and names the command that does it. Where the run is over it says so and changes nothing. It never removes
results: a directory that holds some and no checkpoint is left alone without --force, unless they are the beginning
of this very case, up to its first checkpoint. CASE itself is never written, wherever it lies.`,
		examples: []string{
			"convect run runs/cube/case.yaml                       into ./cube.out",
			"convect run runs/cube/case.yaml --live                the same, with a page to open in a browser",
			"convect run square.yaml --set physics.rayleigh=200 --out ra200",
			"convect run big.yaml --walltime 23h --resume          again and again until it is done",
		},
		exits: []int{exitDone, exitFailed, exitUsage, exitWalltime, exitInterrupted},
		run: func(e *environment, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return o.runCase(e, args[0])
		},
	}
}

// runCase runs a case file, from its start or from the newest checkpoint.
func (o *runOptions) runCase(e *environment, path string) error {
	c, err := loadCase(path, o.set)
	if err != nil {
		return err
	}
	dir := directory(o.out)
	if dir == "" {
		dir = directory(casefile.Name(path) + ".out")
	}
	s := &session{environment: e, options: o, c: c, reload: c.With, dir: dir, started: launch.Started()}
	s.locate = s.locateRun
	return s.execute()
}

// loadCase reads a case file; one that is not there is wrong usage.
func loadCase(path string, set []string) (*casefile.Case, error) {
	c, err := casefile.Load(path, set)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage("there is no case file %s", path)
	}
	return c, err
}
