package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"convect/cmd/convect/casefile"
	"convect/cmd/convect/live"
	"convect/io/checkpoint"
	"convect/io/pieces"
	"convect/io/sampling"
	"convect/io/series"
	"convect/io/snapshot"
	"convect/io/whole"
	"convect/kernels"
	"convect/physics"
)

// session is one run from its case to its end.
type session struct {
	*environment
	options *runOptions
	c       *casefile.Case
	reload  reloader
	dir     directory
	started time.Time

	// Where the run goes on: nil at a new run. tables is the directory to copy the tables from.
	from      *checkpoint.Checkpoint
	fromPath  string
	isRestart bool // made by the command restart
	inPlace   bool // in the directory of the checkpoint
	tables    directory
	skipped   []error  // checkpoints that are not whole
	changed   []string // keys of the case that differ from the checkpoint's
	present   []snapshot.Entry
	sampled   sampling.Present
	damaged   []error  // snapshots that are not present, though their files are there
	mended    []string // what had to be done to the tables
	unsummed  []string // which averages the checkpoint has no sums of
	shared    string   // on which processes the run is shared out, or why on one alone

	locate  func() error      // finds all this, and refuses what must not be
	seen    string            // state of the directory when it was looked at
	over    string            // why there is nothing to do
	anew    string            // why the run begins anew where another began
	steered []string          // what the case says differently since viewers steered the run
	record  string            // name of the file of the case as run
	files   map[string]string // content of the files that the case names

	device      device
	simulation  *physics.Simulation
	page        *page // nil: the run is not to be seen
	console     *console
	log         zerolog.Logger
	series      *series.Writer
	snapshots   *snapshot.Writer
	slices      *sampling.Slices
	averages    *sampling.Averages
	checkpoints *checkpoint.Writer
}

// execute sets everything up, runs and tidies up.
func (s *session) execute() (err error) {
	if s.signals == nil {
		s.signals = newSignals()
	}
	unlock, err := s.take()
	if unlock == nil || err != nil {
		return err
	}
	defer unlock()
	if err := s.openPage(); err != nil {
		return err
	}
	defer s.page.close()
	s.console = newConsole(s.errors)
	defer s.console.close()
	s.log = s.console.logger()
	if err := s.signals.until(s.begin); err != nil {
		var step *physics.StepError
		if errors.As(err, &step) {
			return s.fail(err)
		}
		return err
	}
	defer s.device.Close()
	defer s.simulation.Free()
	defer func() { s.averages.Free() }()
	if err := s.prepare(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.series.Close()) }()
	s.signals.bind(s.checkpoints.Request)
	return s.run()
}

// begin does what changes no file.
func (s *session) begin() error {
	if s.processes != nil {
		s.processes.open.Store(true)
		defer s.processes.open.Store(false)
	}
	if err := s.list(); err != nil {
		return err
	}
	return s.build()
}

// list finds the snapshots that stay where a run goes on in its own directory, before there are large arrays.
func (s *session) list() (err error) {
	if s.from != nil && s.inPlace {
		if s.present, s.damaged, err = snapshot.List(string(s.dir), s.from.State.Step); err != nil {
			return err
		}
		var damaged []error
		s.sampled, damaged, err = sampling.List(string(s.dir), s.from.State.Step)
		s.damaged = append(s.damaged, damaged...)
	}
	return err
}

// build opens the device and makes the simulation; nothing is written yet.
func (s *session) build() (err error) {
	if s.processes == nil {
		var name string
		if name, s.shared, err = s.gpus.forCase(s.options.device, s.c); err == nil {
			s.device, err = s.open(name, s.options.threads)
		}
	} else {
		s.device, s.shared, err = s.processes.device(s.c, s.options, s.dir)
	}
	if err != nil {
		return err
	}
	if s.simulation, err = buildSimulation(s.device, s.c, s.from, s.reload); err != nil {
		s.device.Close()
		return err
	}
	if s.options.profile {
		s.simulation.EnableProfile()
	}
	if s.files, err = s.c.Contents(); err != nil {
		s.simulation.Free()
		s.device.Close()
	}
	return err
}

// buildSimulation evaluates a case and makes its simulation, from its start or from a checkpoint, if the memory suffices.
func buildSimulation(dev kernels.Device, c *casefile.Case, from *checkpoint.Checkpoint, reload reloader) (*physics.Simulation, error) {
	collectEagerly(c)
	if err := checkReading(dev, c, from != nil); err != nil {
		return nil, err
	}
	if err := checkMemory(dev, c, reload); err != nil {
		return nil, err
	}
	if err := c.Build(casefile.BuildOptions{Restart: from != nil}); err != nil {
		return nil, err
	}
	if c.GridFiles() { // how many arrays it has is known now
		if err := checkMemory(dev, c, reload); err != nil {
			return nil, err
		}
	}
	if from != nil {
		s, err := physics.Resume(dev, c.Parameters, c.Controls, from.State)
		return s, c.Explain(err)
	}
	s, err := physics.New(dev, c.Parameters, c.Controls)
	return s, c.Explain(err)
}

// prepare makes the directory ready and opens the writers.
func (s *session) prepare() error {
	if err := s.clear(); err != nil {
		return err
	}
	if err := whole.WriteFile(s.dir.path(s.record), []byte(s.c.Text)); err != nil {
		return err
	}
	if err := live.Forget(string(s.dir)); err != nil { // of a killed run: its port may be another's by now
		return err
	}
	if s.from == nil {
		if err := checkpoint.Begin(string(s.dir)); err != nil {
			return err
		}
	}
	if err := s.console.addFile(s.dir.path(logName)); err != nil {
		return err
	}
	s.log = s.console.logger()
	var err error
	scales, info, k := s.c.Scales, s.device.Info(), s.c.Checkpoint
	tables := s.tableOptions()
	tables.Now = s.page.clock
	if s.series, err = series.New(tables); err != nil {
		return err
	}
	o, together := s.c.Output, s.together()
	s.snapshots, err = snapshot.New(snapshot.Options{Dir: string(s.dir), Fields: o.Fields, Precision: o.Precision, Compress: o.Compress,
		Scheduled: o.Scheduled, Scales: scales, Case: s.c.Text, Version: s.version, Present: s.present, Pieces: together})
	if err == nil {
		err = s.prepareSampling()
	}
	if err != nil {
		return errors.Join(err, s.series.Close())
	}
	s.checkpoints, err = checkpoint.New(checkpoint.Options{Dir: string(s.dir), Keep: k.Keep, Unended: k.Unended, Case: s.c.Text, Version: s.version,
		Policy: checkpoint.Policy{Wall: k.Wall, Interval: k.Time, Steps: k.Steps}, Scales: scales, Files: s.files, Pieces: together,
		Device: info.Name, Instruction: info.Instruction, Sums: s.averages.Sums, Before: s.settle, Answered: func(path string) { s.log.Info().Msgf("SIGUSR1: wrote the checkpoint %s", path) }})
	if err != nil {
		return errors.Join(err, s.series.Close())
	}
	return nil
}

// together returns what has all processes of the run write its files, nil where this one does: it is alone, or some do not see the directory.
func (s *session) together() *pieces.Lead {
	if s.processes == nil || s.processes.pieces == nil {
		if s.options.apart {
			s.log.Warn().Msg("--file-per-rank has no effect: one process writes all files")
		}
		return nil
	}
	lead := s.processes.pieces
	for _, folder := range []string{snapshot.Folder, checkpoint.Folder} {
		path := s.dir.path(folder)
		if err := errors.Join(whole.MakeDir(path), lead.Sees(path)); err != nil {
			s.log.Warn().Msgf("rank 0 writes all files: %v", err)
			return nil
		}
	}
	lead.Apart = s.options.apart
	if !lead.Apart && s.processes.hosts(s.processes.world.Size()) > 1 && isNFS(string(s.dir)) {
		lead.Apart = true
		s.log.Info().Msg("the run directory is on NFS: each rank writes files of its own, as with --file-per-rank")
	}
	return lead
}

// readState reads the checkpoint that a run goes on from. Where processes share the run out they read the fields later, each what it has of them.
func (s *session) readState(path string) (*checkpoint.Checkpoint, error) {
	if s.processes != nil {
		return checkpoint.ReadLater(path)
	}
	return checkpoint.Read(path)
}

// settle makes what a checkpoint does not hold safe: the tables and the snapshots of the steps up to it.
func (s *session) settle(step int64) error {
	return errors.Join(s.series.Sync(step), s.written())
}

// written waits until snapshots, slices and averages under way are on disk.
func (s *session) written() error {
	return errors.Join(s.snapshots.Wait(), s.slices.Wait(), s.averages.Wait())
}

// clear removes what is in the way of the run: a run to overwrite, or what is later than the checkpoint.
func (s *session) clear() error {
	if !s.inPlace {
		if err := s.dir.clean(s.record); err != nil || s.from == nil {
			return err
		}
		if err := s.dir.copyTables(s.tables); err != nil {
			return err
		}
	}
	return s.cut(s.from.State.Step)
}

// run steps to the end and says how it ended.
func (s *session) run() error {
	s.announce()
	ctx, cancel := context.WithCancelCause(s.signals.context)
	defer cancel(nil)
	limit := newWalltime(s.started, s.options.walltime, s.spent, func() { cancel(errWalltime) })
	progress := newProgress(s.console, s.c, s.simulation)
	progress.report = s.progress
	observers := []physics.Observer{&standstill{s.log, s.c.Scales}, s.series, s.snapshots, s.slices, s.averages, progress, s.checkpoints, limit}
	if s.page != nil {
		hook, err := s.serve(ctx, cancel, progress, limit)
		if err != nil {
			return err
		}
		observers = append(observers, hook)
	}
	outcome, err := s.simulation.Run(ctx, observers...)
	s.page.over(outcome, err)
	progress.finish()
	if unwritten := s.written(); err == nil {
		err = unwritten
	}
	switch {
	case err != nil:
		return s.fail(err)
	case outcome == physics.Interrupted:
		return s.interrupted(context.Cause(ctx))
	}
	return s.finish(outcome)
}

// announce logs what is about to run.
func (s *session) announce() {
	g, p := s.simulation.Grid(), s.simulation.Parameters()
	s.log.Info().Msgf("%s: convect %s on %s", s.c.Title, s.version, deviceName(s.device.Info()))
	if s.shared != "" {
		s.log.Info().Msg(s.shared)
	}
	s.log.Info().Msgf("%s cells, %d nodes, Ra = %.6g, %s, into %s", cellsText(g.Cells), g.Nodes(), p.Rayleigh, physics.PrecisionName(p.Precision, p.Mixed), s.dir)
	for _, read := range s.c.FilesRead() {
		s.log.Info().Msgf("%s: %s", read.Key, read.Text)
	}
	for _, err := range s.skipped {
		s.log.Warn().Msgf("skipped a checkpoint: %v", err)
	}
	if s.anew != "" {
		s.log.Info().Msg(s.anew)
	}
	for _, said := range s.steered {
		s.log.Info().Msg(said)
	}
	for _, said := range s.mended {
		s.log.Warn().Msg(said)
	}
	for _, said := range s.unsummed {
		s.log.Warn().Msg(said)
	}
	for _, err := range s.damaged {
		s.log.Warn().Msgf("left a snapshot out of %s: %v", snapshot.XDMFName, err)
	}
	said := s.simulation.PressureSolver().Warnings()
	for _, solver := range s.simulation.DiffusionSolvers() {
		said = append(said, solver.Warnings()...)
	}
	for _, w := range slices.Concat(said, s.c.Warnings(), maxStepWarnings(s.c, s.simulation.BuoyantStep()), resolutionWarnings(s.c, driveOf(s.simulation)), lawWarnings(s.c, s.simulation.Foreseen())) {
		s.log.Warn().Msg(w)
	}
	if s.from == nil {
		s.warnOfAbsurdities()
		s.sayOutlook()
		return
	}
	s.log.Info().Msgf("continuing from %s: step %d, t = %s", s.fromPath, s.from.State.Step, s.c.Scales.TimeText(s.simulation.Time(), 6))
	if len(s.changed) > 0 {
		s.log.Warn().Msgf("the case differs from that of the checkpoint in %s", strings.Join(s.changed, ", "))
	}
	s.warnOfLostRows()
	if i := s.device.Info(); deviceFamily(s.from.Device) != deviceFamily(i.Name) || s.from.Instruction != i.Instruction {
		s.log.Warn().Msgf("the checkpoint was made on %s (%s); the last bits may differ on this device", s.from.Device, s.from.Instruction)
	}
}

// errWalltime is why the context of a run was cancelled by --walltime.
var errWalltime = errors.New("the wall time is nearly over")

// interrupted writes a checkpoint and says how to go on.
func (s *session) interrupted(cause error) error {
	if err := s.checkpoints.Write(s.simulation); err != nil {
		return s.fail(err)
	}
	code := exitInterrupted
	if errors.Is(cause, errWalltime) {
		code = exitWalltime
	}
	s.log.Warn().Msgf("stopped at step %d, t = %s: %v; checkpoint %s; 'convect run … --resume' goes on", s.simulation.Step(),
		s.c.Scales.TimeText(s.simulation.Time(), 6), cause, s.checkpoints.Written())
	s.showProfile()
	return &exitError{code: code}
}

// cellsText prints numbers of cells.
func cellsText(n [3]int) string {
	if n[kernels.Y] == 0 {
		return fmt.Sprintf("%d × %d", n[0], n[2])
	}
	return fmt.Sprintf("%d × %d × %d", n[0], n[1], n[2])
}
