package pieces

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"convect/io/h5"
	"convect/kernels"
)

// Desk is where a process does its part. Its Tasks are what the device serves; on rank 0 it has a Lead besides.
type Desk struct {
	rank   int
	guard  sync.Mutex
	kept   map[uint64][][]float64 // values of arrays, with their rows
	rows   map[uint64][2]int
	writes map[uint64]*writing
}

// writing is a file that this process writes its pieces of.
type writing struct {
	done   chan struct{}
	pieces [][]h5.Piece // by array
	err    error
}

// NewDesk returns a desk of a rank with nothing on it.
func NewDesk(rank int) *Desk {
	return &Desk{rank: rank, kept: map[uint64][][]float64{}, rows: map[uint64][2]int{}, writes: map[uint64]*writing{}}
}

// Names of tasks.
const (
	taskSee    = "see"
	taskKeep   = "keep"
	taskDrop   = "drop"
	taskWrite  = "write"
	taskSettle = "settle"
	taskRead   = "read"
)

// job is what a process is told.
type job struct {
	ID     uint64 // of what is kept or written
	Path   string
	Apart  bool // each process has a file of its own: that of Path with its number
	Text   string
	Arrays []Array
	Kept   []uint64 // what arrays are made of, one after the other
}

// Tasks returns what the desk does for the processes of a run.
func (d *Desk) Tasks() map[string]kernels.Task {
	tasks := map[string]kernels.Task{}
	for name, do := range map[string]func(job, [2]int, [][]float64) ([][]h5.Piece, error){
		taskSee: see, taskRead: read, taskKeep: d.keep, taskDrop: d.drop, taskWrite: d.write, taskSettle: d.settle,
	} {
		tasks[name] = func(text []byte, rows [2]int, values [][]float64) ([]byte, error) {
			var j job
			if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&j); err != nil {
				return nil, err
			}
			pieces, err := do(j, rows, values)
			if err != nil || pieces == nil {
				return nil, err
			}
			var reply bytes.Buffer
			err = gob.NewEncoder(&reply).Encode(pieces)
			return reply.Bytes(), err
		}
	}
	return tasks
}

// see fails where a file does not hold a text or may not be written.
func see(j job, _ [2]int, _ [][]float64) ([][]h5.Piece, error) {
	f, err := os.OpenFile(j.Path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err == nil && string(text) != j.Text {
		err = fmt.Errorf("%s is another file", j.Path)
	}
	return nil, err
}

// keep keeps the values of arrays.
func (d *Desk) keep(j job, rows [2]int, values [][]float64) ([][]h5.Piece, error) {
	d.guard.Lock()
	defer d.guard.Unlock()
	d.kept[j.ID], d.rows[j.ID] = values, rows
	return nil, nil
}

// drop forgets what was kept.
func (d *Desk) drop(j job, _ [2]int, _ [][]float64) ([][]h5.Piece, error) {
	d.take(j.Kept)
	return nil, nil
}

// take takes what was kept from the desk.
func (d *Desk) take(kept []uint64) (rows [2]int, values [][]float64) {
	d.guard.Lock()
	defer d.guard.Unlock()
	for _, id := range kept {
		rows, values = d.rows[id], append(values, d.kept[id]...)
		delete(d.kept, id)
		delete(d.rows, id)
	}
	return rows, values
}

// write begins to write pieces of a file, of the values that come with the job or of what was kept.
func (d *Desk) write(j job, rows [2]int, values [][]float64) ([][]h5.Piece, error) {
	if len(j.Kept) > 0 {
		rows, values = d.take(j.Kept)
	}
	w := &writing{done: make(chan struct{})}
	d.guard.Lock()
	d.writes[j.ID] = w
	d.guard.Unlock()
	go func() {
		defer close(w.done)
		if j.Apart {
			w.pieces, w.err = writeApart(partOf(j.Path, d.rank), j.Arrays, rows, values)
		} else {
			w.pieces, w.err = writeArrays(j, rows, values)
		}
	}()
	return nil, nil
}

// writeArrays writes pieces of a file, and forces them to disk.
func writeArrays(j job, rows [2]int, values [][]float64) (all [][]h5.Piece, err error) {
	f, err := open(j.Path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for n := range j.Arrays {
		a := &j.Arrays[n]
		if len(values) < a.Components {
			return nil, fmt.Errorf("%s: there are no values of array %d", j.Path, n+1)
		}
		pieces, err := a.write(f, rows, values[:a.Components])
		if err != nil {
			return nil, err
		}
		all, values = append(all, pieces), values[a.Components:]
	}
	return all, f.Sync()
}

// patience is how long a file may take to be seen on another machine than that which made it: network file systems look for names so often.
const patience = 30 * time.Second

// open opens a file that rank 0 has just made.
func open(path string) (*os.File, error) {
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if !errors.Is(err, fs.ErrNotExist) || time.Since(begin) > patience {
			return f, err
		}
	}
}

// settle waits until this process has written its pieces of a file.
func (d *Desk) settle(j job, _ [2]int, _ [][]float64) ([][]h5.Piece, error) {
	d.guard.Lock()
	w := d.writes[j.ID]
	delete(d.writes, j.ID)
	d.guard.Unlock()
	if w == nil {
		return nil, fmt.Errorf("nothing has been written under the number %d", j.ID)
	}
	<-w.done
	return w.pieces, w.err
}

// ended tells whether this process has written its pieces of a file.
func (d *Desk) ended(id uint64) bool {
	d.guard.Lock()
	w := d.writes[id]
	d.guard.Unlock()
	if w == nil {
		return true
	}
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// read reads rows of arrays of a file.
func read(j job, rows [2]int, values [][]float64) (all [][]h5.Piece, err error) {
	f, err := os.Open(j.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for n := range j.Arrays {
		pieces, err := j.Arrays[n].read(f, rows, values[n])
		if err != nil {
			return nil, err
		}
		all = append(all, pieces)
	}
	return all, nil
}
