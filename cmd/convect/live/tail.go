package live

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// mostRows is about how many rows of a table a page gets: of more, every second, fourth … by step.
const mostRows = 4000

// tail follows a table of one row a step that grows. It keeps lines as they are in the file, so that a page shows the numbers of the file.
type tail struct {
	path string

	mutex      sync.Mutex
	info       os.FileInfo // of the file read
	end        int64       // of what is read of it
	header     []string    // both lines, nil where there are none yet
	stride     int64       // of the steps that are kept
	kept       []row
	last       row   // whether kept or not; "" where there is none
	lastAt     int64 // where its line begins
	generation int64 // another number once lines that were read are not there any more, and in another process
}

// row is a line with its step.
type row struct {
	step int64
	text string
}

func newTail(path string) *tail {
	return &tail{path: path, stride: 1, generation: time.Now().UnixMicro()}
}

// refresh reads what has been written since. A table that is cut or replaced is read anew.
func (t *tail) refresh() error {
	f, err := os.Open(t.path)
	if os.IsNotExist(err) {
		if t.info != nil {
			t.begin(nil)
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if t.info == nil || !os.SameFile(t.info, info) || info.Size() < t.end || !t.joined(f) {
		t.begin(info)
	}
	return t.read(io.NewSectionReader(f, t.end, info.Size()-t.end))
}

// joined tells whether the last row that was read is still where it was.
func (t *tail) joined(f *os.File) bool {
	if t.last.text == "" {
		return true
	}
	line := make([]byte, len(t.last.text)+1)
	_, err := f.ReadAt(line, t.lastAt)
	return err == nil && string(line) == t.last.text+"\n"
}

func (t *tail) begin(info os.FileInfo) {
	if t.info != nil {
		t.generation++
	}
	t.info, t.end, t.header, t.stride, t.kept, t.last = info, 0, nil, 1, nil, row{}
}

// read takes whole lines.
func (t *tail) read(r io.Reader) error {
	buffer := make([]byte, 1<<20)
	n := 0
	for {
		got, err := r.Read(buffer[n:])
		n += got
		from := 0
		for {
			length := bytes.IndexByte(buffer[from:n], '\n')
			if length < 0 {
				break
			}
			t.take(string(buffer[from : from+length]))
			from += length + 1
			t.end += int64(length) + 1
		}
		n = copy(buffer, buffer[from:n])
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case n == len(buffer):
			return fmt.Errorf("%s: a line of more than %d bytes", t.path, n)
		}
	}
}

// take notes a line. One that is no row counts for nothing.
func (t *tail) take(line string) {
	if len(t.header) < 2 {
		t.header = append(t.header, line)
		return
	}
	first, _, _ := strings.Cut(line, ",")
	step, err := strconv.ParseInt(first, 10, 64)
	if err != nil || (t.last.text != "" && step <= t.last.step) {
		return
	}
	t.last, t.lastAt = row{step, line}, t.end
	if step%t.stride != 0 {
		return
	}
	t.kept = append(t.kept, t.last)
	if len(t.kept) > mostRows {
		t.stride *= 2
		t.kept = slices.DeleteFunc(t.kept, func(r row) bool { return r.step%t.stride != 0 })
	}
}

// batch is what a page lacks of a table.
type batch struct {
	Cursor string   `json:"cursor"`           // to ask for what follows
	Reset  bool     `json:"reset"`            // forget the rows you have
	Stride int64    `json:"stride"`           // keep rows of these steps, and the last one
	Header []string `json:"header,omitempty"` // names and units, with a reset
	Rows   []string `json:"rows"`
}

// since returns the rows behind a cursor; all where it is none of this table. ok tells whether there is anything new.
func (t *tail) since(cursor string) (b batch, ok bool, err error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if err := t.refresh(); err != nil {
		return b, false, err
	}
	step, known := int64(-1), false
	if g, s, found := strings.Cut(cursor, "."); found && g == strconv.FormatInt(t.generation, 10) {
		var fault error
		step, fault = strconv.ParseInt(s, 10, 64)
		known = fault == nil && step <= t.last.step
	}
	b = batch{Stride: t.stride, Rows: []string{}}
	if !known {
		step, b.Reset, b.Header = -1, true, t.header
	}
	from, _ := slices.BinarySearchFunc(t.kept, step+1, func(r row, step int64) int { return int(r.step - step) })
	for _, r := range t.kept[from:] {
		b.Rows = append(b.Rows, r.text)
	}
	if t.last.text != "" && t.last.step > step && (len(t.kept) == 0 || t.kept[len(t.kept)-1].step < t.last.step) {
		b.Rows = append(b.Rows, t.last.text)
	}
	reached := step
	if t.last.text != "" {
		reached = t.last.step
	}
	b.Cursor = fmt.Sprintf("%d.%d", t.generation, reached)
	return b, len(t.header) == 2 && (b.Reset || len(b.Rows) > 0), nil
}
