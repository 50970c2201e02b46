package snapshot

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"convect/io/h5"
)

// task writes one snapshot beside the steps that follow, in two parts: all of the file is handed to the system, which begins to write it to
// disk, and then it is sealed, forced to disk and named. So the disk has the next file to write when it is done with one.
type task struct {
	written  chan struct{} // closed once the room is free again
	finished chan struct{} // closed once the file has its name and the sidecars name it, or it has failed
	err      error         // why, once finished

	together *together // that all processes write; nil: this one does, or all have
}

// begin takes the snapshot of the present step and lets it be written beside what follows.
func (w *Writer) begin(s Source) error {
	if of, ok := s.(evaluator); ok && w.options.Pieces != nil && !w.options.Compress && w.options.Pieces.Shares(s.Grid().Box) {
		return w.beginTogether(of)
	}
	if last := w.rooms[1-w.filled].task; last != nil {
		<-last.written
	}
	if err := w.reap(false); err != nil {
		return errors.Join(err, w.Wait())
	}
	f, err := w.freeze(s)
	if err != nil {
		return errors.Join(w.Wait(), fmt.Errorf("snapshot of step %d: %w", s.Step(), err))
	}
	t := &task{written: make(chan struct{}), finished: make(chan struct{})}
	before := slices.Clone(w.under)
	f.task, w.under = t, append(w.under, t)
	go w.perform(t, f, before)
	return nil
}

// perform writes a snapshot. Files are handed to the system one after the other, each when all but the one before it are on disk: what the
// system has still to write is never more than two files. They get their names in the order of the steps.
func (w *Writer) perform(t *task, f *frozen, before []*task) {
	defer close(t.finished)
	written := sync.OnceFunc(func() { close(t.written) })
	defer written()
	step, geo := f.step, newGeometry(f.grid, w.options.Place, w.options.Scales.Length)
	err := w.arrange(f, geo)
	var last *task
	if n := len(before); n > 0 {
		last = before[n-1]
		for _, b := range before[:n-1] {
			<-b.finished
		}
		<-last.written
	}
	var entry Entry
	var file *h5.Writer
	if err == nil {
		entry, file, err = w.writeFile(f, geo)
	}
	written()
	if last != nil {
		<-last.finished
	}
	if err == nil {
		err = w.publish(entry, file)
	}
	if err != nil {
		t.err = fmt.Errorf("snapshot of step %d: %w", step, err)
	}
}

// publish forces a file to disk, gives it its name, and renews the sidecars.
func (w *Writer) publish(entry Entry, file *h5.Writer) error {
	if err := file.Commit(); err != nil {
		return err
	}
	at, found := slices.BinarySearchFunc(w.entries, entry.Step, func(e Entry, step int64) int { return int(e.Step - step) })
	if found {
		w.entries[at] = entry
	} else {
		w.entries = slices.Insert(w.entries, at, entry)
	}
	const each, part = 100, 50 // beyond so many files the work of renewing would grow with the square of their number
	if n := len(w.entries); n > each && n-w.named < n/part {
		return nil
	}
	return w.Renew()
}

// Renew brings the sidecars up to date with the snapshots present, of which none may be under way.
func (w *Writer) Renew() error {
	w.named = len(w.entries)
	return writeSidecars(w.options.Dir, w.entries)
}

// Wait waits until the snapshots under way are written and named by the sidecars, and returns their failures.
func (w *Writer) Wait() error {
	err := w.reap(true)
	if err == nil && w.named != len(w.entries) {
		err = w.Renew()
	}
	return err
}

// reap forgets the tasks that have finished, after waiting for all of them if asked to, and returns their failures.
func (w *Writer) reap(all bool) error {
	w.settle(all)
	var failures []error
	for len(w.under) > 0 {
		t := w.under[0]
		if !all {
			select {
			case <-t.finished:
			default:
				return errors.Join(failures...)
			}
		}
		<-t.finished
		failures = append(failures, t.err)
		w.under = w.under[1:]
	}
	return errors.Join(failures...)
}
