package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rs/zerolog"

	"convect/cmd/convect/sweep"
	"convect/io/lock"
	"convect/io/whole"
)

// Names in the folder of a sweep.
const (
	resultsName     = "results.csv"
	resultMeansName = "results_mean.csv"
	resultsNetCDF   = "results.nc"
	resultsPicture  = "results.pdf"
)

// errFailFast is why runs were stopped once another had failed.
var errFailFast = errors.New("another run has failed, and --fail-fast stops all")

// runAll runs what is not over and writes the tables.
func (s *sweeping) runAll() error {
	unlock, err := s.take()
	if err != nil {
		return err
	}
	defer unlock()
	if s.options.force && s.options.task < 0 {
		if err := s.remove(resultsName, resultMeansName, resultsNetCDF, resultsPicture); err != nil {
			return err
		}
	}
	if s.options.force {
		for _, r := range s.Runs {
			if err := s.unmark(r); err != nil {
				return err
			}
		}
	}
	if s.signals == nil {
		s.signals = newSignals()
	}
	devices, err := s.devices()
	if err == nil {
		devices, err = s.roomy(devices)
	}
	if err != nil {
		return err
	}
	chains := s.Chains
	if s.options.task >= 0 {
		chains = chains[s.options.task : s.options.task+1]
	}
	con := newConsole(s.errors)
	defer con.close()
	w := &sweepWork{sweeping: s, progress: newSweepProgress(con, s, chains, len(devices)), log: con.logger(), running: map[*sweep.Run]*signals{}}
	w.context, w.cancel = context.WithCancelCause(s.signals.context)
	defer w.cancel(nil)
	s.signals.bind(w.checkpoint)
	for _, word := range s.words {
		w.log.Warn().Msg(word)
	}
	w.threads = s.threads(len(devices))
	w.log.Info().Msgf("%s into %s: %s at a time, %s each", countText(w.progress.total, "run"), s.dir, countText(len(devices), "run"), countText(w.threads, "thread"))
	next := make(chan []*sweep.Run)
	var workers sync.WaitGroup
	for _, device := range devices {
		workers.Go(func() {
			for chain := range next {
				w.runChain(chain, device)
			}
		})
	}
	for _, chain := range chains {
		next <- chain
	}
	close(next)
	workers.Wait()
	w.progress.close()
	con.close()
	return w.end(chains)
}

// roomy returns the devices of as many jobs as have room for the largest case side by side, one on each device at least. A device that is not there is an error.
func (s *sweeping) roomy(devices []string) ([]string, error) {
	jobs := map[string]int{}
	for _, name := range devices {
		jobs[name]++
	}
	for _, name := range slices.Sorted(maps.Keys(jobs)) {
		fit, on, err := s.fitting(name, jobs[name])
		if err != nil {
			return nil, err
		}
		if fit < jobs[name] {
			s.words = append(s.words, fmt.Sprintf("%s at a time on %s, not %d: more do not fit into its memory", countText(fit, "run"), on, jobs[name]))
		}
		jobs[name] = fit
	}
	return slices.DeleteFunc(devices, func(name string) bool {
		jobs[name]--
		return jobs[name] < 0
	}), nil
}

// fitting returns how many of so many jobs fit into the memory of a device, at least 1, and what it is called. A case that does not fit alone says so itself.
func (s *sweeping) fitting(name string, jobs int) (fit int, on string, err error) {
	dev, err := s.open(name, s.threads(jobs))
	if err != nil {
		return 0, "", err
	}
	defer dev.Close()
	on = dev.Info().Name
	free := roomOn(dev.Info()).free
	if s.largest == nil || jobs < 2 || float64(jobs)*(plentyBytes+plentyPerNode*s.largest.Nodes()) < free {
		return jobs, on, nil
	}
	f, err := tryMemory(dev, s.largest, s.largest.With, memoryNodes)
	if err != nil { // a case that cannot be tried on few nodes: its run says what is wrong
		return jobs, on, dev.Sync()
	}
	need, _ := f.need(dev.Info(), s.largest.Extent().Cells)
	return min(jobs, max(1, int(free/need))), on, nil
}

// sweepWork is a sweep that runs.
type sweepWork struct {
	*sweeping
	context  context.Context
	cancel   context.CancelCauseFunc
	progress *sweepProgress
	log      zerolog.Logger
	threads  int

	mutex   sync.Mutex
	running map[*sweep.Run]*signals
	failed  []string // what is wrong with each run that failed
	stopped int      // exit code of a run that was stopped
}

// checkpoint asks all runs for a checkpoint.
func (w *sweepWork) checkpoint() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, s := range w.running {
		s.checkpoint()
	}
}

// begin notes the signals of a run that begins; a request for a checkpoint reaches it until it ends.
func (w *sweepWork) begin(r *sweep.Run, own *signals) (end func()) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.running[r] = own
	return func() {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		delete(w.running, r)
	}
}

// runChain runs the runs of a chain one after the other, up to the first that fails.
func (w *sweepWork) runChain(chain []*sweep.Run, device string) {
	isOver := true // all runs of the chain so far
	for i, r := range chain {
		if w.context.Err() != nil {
			return
		}
		var err error
		if isOver = isOver && w.isKnown(r); isOver {
			err = w.skip(r)
		} else {
			err = w.enter(r, w.runOne(r, device))
		}
		if err != nil {
			w.note(r, err, chain[i+1:])
			return
		}
	}
}

// skip notes a run that was over before.
func (w *sweepWork) skip(r *sweep.Run) error {
	w.progress.begin(r)
	w.progress.finish(r, true)
	return w.unmark(r)
}

// unmark removes what says why a run failed before.
func (s *sweeping) unmark(r *sweep.Run) error {
	if err := os.Remove(s.failurePath(r)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// enter puts what a run has left into the table, unless others make that, and returns why it failed, or why that cannot be read.
func (w *sweepWork) enter(r *sweep.Run, ended error) error {
	if w.options.task >= 0 {
		return ended
	}
	unread := w.renew(r)
	if err := w.keep(); err != nil { // the end writes it again, and fails where it still cannot
		w.log.Warn().Msg(err.Error())
	}
	if ended == nil && unread != nil {
		return fmt.Errorf("its results cannot be read: %w", unread)
	}
	return ended
}

// note keeps why a run ended early.
func (w *sweepWork) note(r *sweep.Run, err error, rest []*sweep.Run) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	var own *exitError
	if errors.As(err, &own) && (own.code == exitInterrupted || own.code == exitWalltime) {
		w.stopped = own.code
		return
	}
	text := fmt.Sprintf("%s: %v", w.Describe(r), err)
	if len(rest) > 0 {
		text += fmt.Sprintf("; %s that continue from it did not begin", countText(len(rest), "run"))
	}
	w.failed = append(w.failed, text)
	w.log.Error().Msg(text)
	if w.options.failFast {
		w.cancel(errFailFast)
	}
}

// runOne runs one run to its end, or goes on with it.
func (w *sweepWork) runOne(r *sweep.Run, device string) error {
	dir := w.folder(r)
	if err := w.unmark(r); err != nil {
		return err
	}
	if _, err := w.carries(r); err != nil { // without it the run would begin from the start of the case
		return err
	}
	var log bytes.Buffer
	own := newSignals()
	stop := context.AfterFunc(w.context, func() { own.cancel(context.Cause(w.context)) })
	defer stop()
	defer w.begin(r, own)()
	quiet := w.quiet(&log)
	quiet.signals, quiet.progress = own, func(st *status) { w.progress.at(r, st) }
	o := &runOptions{set: w.overrides(r, true), out: string(dir), device: device, threads: w.threads, resume: !w.options.force, force: w.options.force,
		walltime: w.options.walltime, beside: true}
	w.progress.begin(r)
	err := o.runCase(quiet, w.Case)
	w.progress.finish(r, err == nil)
	var exit *exitError
	var held *lock.HeldError
	switch isExit := errors.As(err, &exit); {
	case err == nil:
		return nil
	case isExit && (exit.code == exitInterrupted || exit.code == exitWalltime):
		return err
	case errors.As(err, &held): // another process runs it: it has not failed
		return err
	case isExit && exit.err == nil:
		err = errors.New(firstFailure(log.String()))
	}
	if failure := whole.WriteFile(w.failurePath(r), []byte(err.Error()+"\n")); failure != nil {
		err = errors.Join(err, failure)
	}
	return err
}

// end writes the tables and says how the sweep ended.
func (w *sweepWork) end(chains [][]*sweep.Run) error {
	fmt.Fprintln(w.out)
	if w.options.task < 0 {
		for _, r := range w.Runs {
			if !w.isKnown(r) { // another process may have run it, or a run before this sweep
				w.renew(r)
			}
		}
		t := w.table()
		if err := w.writeTables(t); err != nil {
			return err
		}
		w.show(t)
	}
	for _, text := range w.failed {
		fmt.Fprintf(w.out, "failed: %s\n", text)
	}
	switch {
	case len(w.failed) > 0:
		return &exitError{code: exitFailed}
	case w.stopped != 0:
		fmt.Fprintln(w.out, "stopped; the same command with --resume goes on")
		return &exitError{code: w.stopped}
	case w.signals.context.Err() != nil:
		fmt.Fprintln(w.out, "stopped; the same command with --resume goes on")
		return &exitError{code: exitInterrupted}
	}
	return nil
}

// collect makes the tables of what is there.
func (s *sweeping) collect() error {
	if _, err := os.Stat(s.dir); err != nil {
		return usage("there is no folder %s", s.dir)
	}
	unlock, err := s.take()
	if err != nil {
		return err
	}
	defer unlock()
	s.rows = s.blankRows()
	unread := map[*sweep.Run]error{}
	for _, r := range s.Runs {
		unread[r] = s.renew(r)
	}
	t := s.table()
	if err := s.writeTables(t); err != nil {
		return err
	}
	s.show(t)
	if missing := t.Missing(); len(missing) > 0 {
		for _, r := range missing {
			why, _ := os.ReadFile(s.failurePath(r.Run)) // of one that did not fail there is none
			if err := unread[r.Run]; err != nil && len(why) == 0 {
				why = []byte(err.Error())
			}
			fmt.Fprintf(s.out, "%s: %s%s\n", r.State, s.Describe(r.Run), suffix(strings.TrimSpace(string(why))))
		}
		return &exitError{code: exitFailed}
	}
	return nil
}

func suffix(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

// show prints the table, shortened where it is long, and where the files are.
func (s *sweeping) show(t *sweep.Table) {
	const most = 40
	names := append([]string{}, t.Dims...)
	if t.Back {
		names = append(names, "direction")
	}
	rows := [][]string{append(append(names, t.Results...), "state")}
	for _, r := range t.Rows[:min(most, len(t.Rows))] {
		cells := r.Texts()
		if t.Back {
			cells = append(cells, map[bool]string{false: "there", true: "back"}[r.Back])
		}
		for _, v := range r.Values {
			cells = append(cells, nusseltText(v))
		}
		rows = append(rows, append(cells, r.State))
	}
	printColumns(s.out, rows)
	if n := len(t.Rows) - most; n > 0 {
		fmt.Fprintf(s.out, "and %d more\n", n)
	}
	fmt.Fprintln(s.out)
	for _, f := range []struct{ label, name string }{{"table", resultsName}, {"over seeds", resultMeansName}, {"for xarray", resultsNetCDF}, {"picture", resultsPicture}} {
		if _, err := os.Stat(filepath.Join(s.dir, f.name)); err == nil {
			fmt.Fprintf(s.out, "  %-12s %s\n", f.label, filepath.Join(s.dir, f.name))
		}
	}
}

// printColumns prints cells in columns as wide as their widest.
func printColumns(w io.Writer, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			fmt.Fprintf(&b, "%*s  ", widths[i], cell)
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}

// list prints the runs of a sweep.
func (s *sweeping) list() error {
	devices, err := s.devices()
	if err == nil {
		devices, err = s.roomy(devices)
	}
	if err != nil {
		return err
	}
	threads := s.threads(len(devices))
	fmt.Fprintf(s.out, "%s of %s into %s, %s at a time, %s each; results: %s\n", countText(len(s.Runs), "run"), s.Case, s.dir, countText(len(devices), "run"), countText(threads, "thread"),
		strings.Join(s.Results, ", "))
	for _, word := range s.words {
		fmt.Fprintf(s.out, "warning: %s\n", word)
	}
	number := 0
	for _, chain := range s.Chains {
		for _, r := range chain {
			number++
			from := ""
			if r.Before != nil {
				from = "  from the last state of " + r.Before.Name
			}
			fmt.Fprintf(s.out, "%5d  %s%s\n", number, r.Name, from)
		}
	}
	return nil
}
