package pieces

import (
	"bytes"
	"crypto/rand"
	"encoding/gob"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"convect/io/h5"
	"convect/kernels"
)

// Lead is what rank 0 tells the desks of all processes by.
type Lead struct {
	Apart  bool // each process writes files of its own, of which a virtual dataset makes one: for file systems where several had better not write the same one
	device kernels.Sharer
	desk   *Desk // of rank 0
	last   uint64
}

// Lead returns what tells the desks of all processes of a device; this one is that of rank 0.
func (d *Desk) Lead(device kernels.Sharer) *Lead { return &Lead{device: device, desk: d} }

// Shares tells whether arrays of a box are shared out.
func (l *Lead) Shares(box kernels.Box) bool { return l.device.Shares(box) != nil }

// apart tells whether each process writes its own file for one: not where the file is there already, whose parts must stay until another takes its place.
func (l *Lead) apart(file *h5.Writer) bool {
	_, err := os.Lstat(file.Path())
	return l.Apart && errors.Is(err, fs.ErrNotExist)
}

// Place makes the place of an array in a file, which Writing.Settle of that file says the values of.
func (l *Lead) Place(file *h5.Writer, a *Array, box kernels.Box) (err error) {
	if !l.apart(file) {
		a.Offset, err = file.Place(a.Dataset, a.dims(a.Points[1]), a.Double)
		return err
	}
	var sources []h5.Source
	rows := l.device.Shares(box)
	for rank, own := range rows {
		for _, r := range a.runs(own) {
			sources = append(sources, h5.Source{File: filepath.Base(partOf(file.Path(), rank)), Rows: [2]int{r.row, r.row + r.count}, From: r.from - own[0], Of: own[1] - own[0]})
		}
	}
	return file.PlaceElsewhere(a.Dataset, a.dims(a.Points[1]), a.Double, sources)
}

// seenPrefix begins the name of the file by which processes are asked.
const seenPrefix = ".seen-"

// Sees fails where a process does not see a folder as rank 0 does, and says which.
func (l *Lead) Sees(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	files, err := os.ReadDir(dir)
	for _, f := range files {
		if strings.HasPrefix(f.Name(), seenPrefix) { // of a killed run
			err = errors.Join(err, os.Remove(filepath.Join(dir, f.Name())))
		}
	}
	if err != nil {
		return err
	}
	text := rand.Text()
	path := filepath.Join(dir, seenPrefix+text) // a name that nobody has looked for
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		return err
	}
	defer os.Remove(path)
	_, err = do(l.device, taskSee, &job{Path: path, Text: text}, kernels.Box{}, nil, false)
	return err
}

// do has all processes do a task, and returns the pieces of each by array.
func do(device kernels.Sharer, task string, j *job, box kernels.Box, arrays []kernels.Buffer, fill bool) ([][][]h5.Piece, error) {
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(j); err != nil {
		return nil, err
	}
	replies, err := device.Do(task, text.Bytes(), box, arrays, fill)
	if err != nil {
		return nil, err
	}
	all := make([][][]h5.Piece, len(replies))
	for n, r := range replies {
		if len(r) == 0 {
			continue
		}
		if err := gob.NewDecoder(bytes.NewReader(r)).Decode(&all[n]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// next returns a number that is not taken.
func (l *Lead) next() uint64 {
	l.last++
	return l.last
}

// Kept is a copy of an array's values, of which each process has its rows.
type Kept struct{ id uint64 }

// Keep takes a copy of an array as it is now. It goes with the file that it is written to, or by Drop.
func (l *Lead) Keep(box kernels.Box, array kernels.Buffer) (Kept, error) {
	k := Kept{l.next()}
	_, err := do(l.device, taskKeep, &job{ID: k.id}, box, []kernels.Buffer{array}, false)
	return k, err
}

// Drop forgets copies.
func (l *Lead) Drop(kept []Kept) error {
	_, err := do(l.device, taskDrop, &job{Kept: ids(kept)}, kernels.Box{}, nil, false)
	return err
}

func ids(kept []Kept) (all []uint64) {
	for _, k := range kept {
		all = append(all, k.id)
	}
	return all
}

// Writing is a file that all processes write pieces of.
type Writing struct {
	lead   *Lead
	file   *h5.Writer
	id     uint64
	arrays []Array
	apart  bool
}

// Write has all processes write arrays that have been placed in a file, of copies that have been kept: as many for each array as it has components. They write beside what
// is done next. Settle must follow.
func (l *Lead) Write(file *h5.Writer, arrays []Array, kept []Kept) (*Writing, error) {
	return l.write(file, &job{Arrays: arrays, Kept: ids(kept)}, kernels.Box{}, nil)
}

// WriteNow is Write of arrays of a box as they are now, of one component each.
func (l *Lead) WriteNow(file *h5.Writer, arrays []Array, box kernels.Box, of []kernels.Buffer) (*Writing, error) {
	return l.write(file, &job{Arrays: arrays}, box, of)
}

func (l *Lead) write(file *h5.Writer, j *job, box kernels.Box, of []kernels.Buffer) (w *Writing, err error) {
	path := file.Temporary()
	if j.Apart = l.apart(file); j.Apart {
		path = file.Path()
	} else if err := extend(path, j.Arrays); err != nil {
		return nil, err
	}
	if j.Path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	j.ID = l.next()
	if _, err = do(l.device, taskWrite, j, box, of, false); err != nil {
		return nil, err
	}
	return &Writing{l, file, j.ID, j.Arrays, j.Apart}, nil
}

// extend gives a file the length that it will have with the arrays, if it is not as long: on a network file system those who write far behind its end may take what is
// between for zeros that are theirs.
func extend(path string, arrays []Array) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	end := info.Size()
	for n := range arrays {
		end = max(end, arrays[n].Offset+arrays[n].Bytes())
	}
	if end == info.Size() {
		return nil
	}
	return os.Truncate(path, end)
}

// Ended tells whether this process has written its pieces: then Settle will not take long.
func (w *Writing) Ended() bool { return w.lead.desk.ended(w.id) }

// Settle waits until all processes have written their pieces and forced them to disk, and settles the arrays of the file.
func (w *Writing) Settle() error {
	all, err := do(w.lead.device, taskSettle, &job{ID: w.id}, kernels.Box{}, nil, false)
	if err != nil {
		return errors.Join(err, w.Abandon())
	}
	for n, pieces := range byArray(all) {
		if err := w.file.Settle(w.arrays[n].Dataset, pieces); err != nil {
			return err
		}
	}
	return nil
}

// Abandon removes what processes have written to files of their own, unless the file that they are parts of has got its name.
func (w *Writing) Abandon() error {
	if _, err := os.Lstat(w.file.Path()); !w.apart || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return removeParts(w.file.Path())
}

// byArray returns the pieces of all processes, by array.
func byArray(all [][][]h5.Piece) (pieces [][]h5.Piece) {
	for _, of := range all {
		for n, p := range of {
			if n == len(pieces) {
				pieces = append(pieces, nil)
			}
			pieces[n] = append(pieces[n], p...)
		}
	}
	return pieces
}

// Read has all processes read their rows of an array of a file of one component, without repeated planes, into one of a device, and returns the checksum of its bytes.
func Read(device kernels.Sharer, path string, a Array, box kernels.Box, into kernels.Buffer) (sum string, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	all, err := do(device, taskRead, &job{Path: path, Arrays: []Array{a}}, box, []kernels.Buffer{into}, true)
	if err != nil {
		return "", err
	}
	return h5.SumOf(a.Offset, a.Bytes(), byArray(all)[0])
}
