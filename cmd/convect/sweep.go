package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"convect/cmd/convect/casefile"
	"convect/cmd/convect/launch"
	"convect/cmd/convect/sweep"
	"convect/io/lock"
	"convect/io/whole"
	"convect/kernels/cuda/driver"
)

// sweepOptions are the options of sweep.
type sweepOptions struct {
	vary          []string
	combine       string
	samples       int
	seed          uint64
	along         string
	back          bool
	results       []string
	set           []string
	out           string
	jobs, threads int
	device        string
	resume, force bool
	failFast      bool
	dryRun        bool
	walltime      time.Duration
	slurm         bool
	collect       bool
	task          int
	flags         *pflag.FlagSet
}

func (o *sweepOptions) add(f *pflag.FlagSet) {
	o.flags = f
	f.StringArrayVar(&o.vary, "vary", nil, "KEY=VALUE,VALUE,…, KEY=1..5, KEY=10..1000:8 (eight values) or KEY=10..1000:8:log; once for each key")
	f.StringVar(&o.combine, "combine", "", "grid (all combinations, the default), zip, list or latin-hypercube")
	f.IntVar(&o.samples, "samples", 0, "runs of a latin hypercube")
	f.Uint64Var(&o.seed, "seed", 0, "of the draws of a latin hypercube")
	f.StringVar(&o.along, "continue", "", "a key that varies: each run starts from the last state of the run with the value before")
	f.BoolVar(&o.back, "back", false, "with --continue: follow the branch to its end and back again")
	f.StringSliceVar(&o.results, "results", nil, "numbers of summary.json or columns of series.csv for the table, separated by commas")
	f.StringVar(&o.out, "out", "", "folder of the sweep (default ./NAME.sweep, NAME being that of the file)")
	f.IntVar(&o.jobs, "jobs", 0, "runs at a time; 0: one for each core, or one for each GPU")
	f.IntVar(&o.threads, "threads", 0, "threads of a run; 0: the cores shared out among the jobs")
	f.StringVar(&o.device, "device", "auto", "auto (the GPUs, else the CPU), cpu, cuda (all GPUs), cuda:N, or some GPUs, a run on each at a time: cuda:0-3, cuda:0,2")
	f.BoolVar(&o.resume, "resume", false, "go on with what the folder holds: runs that are over stay, the others go on or begin")
	f.BoolVar(&o.force, "force", false, "begin all runs anew")
	f.BoolVar(&o.failFast, "fail-fast", false, "stop all runs once one has failed")
	f.BoolVar(&o.dryRun, "dry-run", false, "check all cases and list the runs; run nothing")
	f.DurationVar(&o.walltime, "walltime", 0, "checkpoint and stop before this time since the start is over, as 1h or 90m; 0: never")
	f.BoolVar(&o.slurm, "slurm", false, "check all cases and write scripts for Slurm in place of running; --jobs is how many tasks run at a time")
	f.BoolVar(&o.collect, "collect", false, "make the tables of what the folder holds; run nothing")
	f.IntVar(&o.task, "task", -1, "run one chain of runs alone, as a task of Slurm does; 0 is the first")
	addSet(f, &o.set)
}

func sweepCommand() *command {
	o, f := &sweepOptions{}, newFlags("sweep")
	o.add(f)
	return &command{
		name: "sweep", arguments: "FILE", summary: "run a case with many values", least: 1, most: 1, flags: f, watches: true,
		text: `Runs a case with many values of some keys and puts the results into a table and a picture. FILE is a sweep, or a case
whose keys --vary names (docs/howto.md has examples of both). All cases are checked before the first starts. Each run
has a folder of its own in the folder of the sweep, named after its values, as 'convect run' would leave it. Small cases
run side by side, one thread each.

The folder gets results.csv (a row a run), results.nc (the keys that vary are dimensions; xarray opens it),
results.pdf, and with seeds results_mean.csv, the mean and standard deviation over them. The tables are made of what
the runs have left: a sweep that was stopped or killed and goes on with --resume ends with the same ones. A sweep that
goes on may have more values than before. A run that fails is named, and the others finish.

With --continue each run starts from the last state of the run with the value before, with the perturbation of the case
on top of it: so a branch of steady states is followed, and --back follows it back again.

--slurm writes sweep.slurm and submit.sh into the folder. Each task runs one chain of runs that continue each other, or
one run, and the last job makes the tables. SIGUSR1 lets all runs write a checkpoint.`,
		examples: []string{
			"convect sweep square.yaml --vary physics.rayleigh=60,80,100 --vary initial.perturbation.seed=1..5",
			"convect sweep square.yaml --vary physics.rayleigh=30..300:10 --continue physics.rayleigh --back --results nusselt",
			"convect sweep sweep.yaml --resume",
		},
		exits: []int{exitDone, exitFailed, exitUsage, exitWalltime, exitInterrupted},
		run:   func(e *environment, args []string) error { return o.run(e, args[0]) },
	}
}

// run reads the sweep, checks its cases and does what is asked for.
func (o *sweepOptions) run(e *environment, path string) error {
	s, err := o.open(e, path)
	if err != nil {
		return err
	}
	switch {
	case o.dryRun:
		return s.list()
	case o.collect:
		return s.collect()
	}
	if err := s.prepare(); err != nil {
		return err
	}
	if o.slurm {
		return s.writeScripts()
	}
	return s.runAll()
}

// open reads a sweep and checks everything that can be checked before the first run.
func (o *sweepOptions) open(e *environment, path string) (*sweeping, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	spec, err := o.spec(path)
	if err != nil {
		return nil, err
	}
	plan, err := spec.Plan()
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	dir := o.out
	if dir == "" {
		dir = casefile.Name(path) + ".sweep"
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	s := &sweeping{environment: e, options: o, Sweep: plan, dir: dir, started: launch.Started(), places: map[*sweep.Run]int{}}
	for n, r := range plan.Runs {
		s.places[r] = n
	}
	if o.task >= len(plan.Chains) {
		return nil, usage("--task %d: the sweep has tasks 0 to %d", o.task, len(plan.Chains)-1)
	}
	return s, s.checkCases()
}

// check refuses options that make no sense together.
func (o *sweepOptions) check() error {
	switch {
	case o.jobs < 0 || o.threads < 0:
		return usage("--jobs %d, --threads %d: accepted are 0 and above", o.jobs, o.threads)
	case o.walltime < 0:
		return usage("--walltime %v: accepted are 0 and above", o.walltime)
	case o.resume && o.force:
		return usage("--resume goes on with a sweep, --force begins it anew: one of them")
	case o.combine != "" && !slices.Contains(sweep.Combinations(), o.combine):
		return usage("--combine %s: accepted are %s", o.combine, strings.Join(sweep.Combinations(), ", "))
	case o.flags.Changed("task") && o.task < 0:
		return usage("--task %d: accepted are 0 and above", o.task)
	}
	return nil
}

// spec returns the sweep of a file, changed by options, or of a case with options.
func (o *sweepOptions) spec(path string) (*sweep.Spec, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, usage("%s is no file: a sweep reads its case once for each run", path)
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage("there is no file %s", path)
	}
	if err != nil {
		return nil, err
	}
	spec := &sweep.Spec{Case: path}
	if sweep.IsFile(text) {
		if spec, err = sweep.Read(path); err != nil {
			return nil, &exitError{exitUsage, err}
		}
	}
	if o.combine != "" {
		spec.Combine = o.combine
	}
	for _, text := range o.vary {
		v, err := sweep.Option(text, spec.Combine == sweep.Latin)
		if err != nil {
			return nil, &exitError{exitUsage, err}
		}
		if at := slices.IndexFunc(spec.Vary, func(w sweep.Vary) bool { return w.Key == v.Key }); at >= 0 && spec.Path != "" && spec.Combine != sweep.List {
			spec.Vary[at] = v
		} else {
			spec.Vary = append(spec.Vary, v)
		}
	}
	if len(spec.Vary) == 0 {
		if err := sweep.Syntax(path, text); err != nil {
			return nil, &exitError{exitUsage, err}
		}
		return nil, usage("%s is a case, and no --vary says what varies", path)
	}
	if o.samples != 0 {
		spec.Samples = o.samples
	}
	if o.flags.Changed("seed") {
		spec.Seed = o.seed
	}
	if o.along != "" {
		spec.Continue = o.along
	}
	spec.Back = spec.Back || o.back
	if len(o.results) > 0 {
		spec.Results = o.results
	}
	return spec, nil
}

// sweeping is a sweep with its folder.
type sweeping struct {
	*environment
	*sweep.Sweep
	options *sweepOptions
	dir     string // absolute
	started time.Time
	units   []string // of the results
	// keyUnits are those of the keys that vary.
	keyUnits []string
	words    []string // for the user, of the check
	largest  *casefile.Case
	carried  sync.Map // what each run takes of the one before it, by [sweep.Run]: keys of the case

	places  map[*sweep.Run]int // of the runs in the tables
	mutex   sync.Mutex         // of rows
	rows    []sweep.Row
	writing sync.Mutex // of the tables, and what follows
	wrote   time.Time  // when the table was written last
	took    time.Duration
}

// folder returns the run directory of a run.
func (s *sweeping) folder(r *sweep.Run) directory { return directory(filepath.Join(s.dir, r.Name)) }

// failurePath is the file that says why a run failed.
func (s *sweeping) failurePath(r *sweep.Run) string { return filepath.Join(s.dir, r.Name+".failed") }

// prepare makes the folder, or finds what is there.
func (s *sweeping) prepare() error {
	isAlone := s.options.task < 0 && !s.options.slurm
	holds := slices.ContainsFunc(s.Runs, s.hasFolder)
	if holds && !s.options.resume && !s.options.force && isAlone {
		return usage("%s holds runs of a sweep: --resume goes on with them, --force begins them anew, --out takes another folder", s.dir)
	}
	s.rows = s.blankRows()
	if holds && s.options.resume && isAlone {
		if err := s.survey(); err != nil {
			return err
		}
	}
	if err := whole.MakeDir(s.dir); err != nil {
		return fmt.Errorf("folder of the sweep: %w", err)
	}
	return nil
}

// hasFolder tells whether a run has begun.
func (s *sweeping) hasFolder(r *sweep.Run) bool {
	_, err := os.Stat(string(s.folder(r)))
	return err == nil
}

// take keeps other processes from writing tables into the folder until unlock or the end of the process. Tasks of Slurm write none.
func (s *sweeping) take() (unlock func(), err error) {
	if s.options.task >= 0 {
		return func() {}, nil
	}
	taken, err := lock.Take(filepath.Join(s.dir, lockName))
	var held *lock.HeldError
	if errors.As(err, &held) {
		return nil, fmt.Errorf("%s: another process runs this sweep or makes its tables, of which %s is kept up to date: %w", s.dir, resultsName, err)
	}
	if err != nil {
		return nil, fmt.Errorf("folder of the sweep: %w", err)
	}
	return taken.Release, nil
}

// devices lists where jobs run: one name a job.
func (s *sweeping) devices() ([]string, error) {
	o, chains := s.options, len(s.Chains)
	if o.task >= 0 {
		chains = 1
	}
	places := []string{o.device}
	jobs := o.jobs
	if _, isGPU := gpuOrdinal(o.device); (isGPU && o.device == "cuda" || o.device == "auto") && driver.Available() == nil {
		if all, err := driver.Devices(); err == nil && len(all) > 0 {
			places = nil
			for n := range all {
				places = append(places, fmt.Sprintf("cuda:%d", n))
			}
		}
	}
	if isGPUList(o.device) {
		ordinals, err := s.gpus.named(o.device)
		if err != nil {
			return nil, err
		}
		places = nil
		for _, n := range ordinals {
			places = append(places, fmt.Sprintf("cuda:%d", n))
		}
	}
	_, isGPU := gpuOrdinal(places[0])
	switch {
	case jobs == 0 && isGPU:
		jobs = len(places)
	case jobs == 0:
		jobs = runtime.GOMAXPROCS(0)
	}
	jobs = min(jobs, chains)
	out := make([]string, jobs)
	for n := range out {
		out[n] = places[n%len(places)]
	}
	return out, nil
}

// threads returns how many a run gets.
func (s *sweeping) threads(jobs int) int {
	if s.options.threads > 0 {
		return s.options.threads
	}
	return max(1, runtime.GOMAXPROCS(0)/jobs)
}
