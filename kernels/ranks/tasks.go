package ranks

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"convect/kernels"
	"convect/kernels/link"
)

// Serve lets this process do tasks, by name. All processes of a link serve the same ones.
func (d *Device) Serve(tasks map[string]kernels.Task) { d.tasks = tasks }

// Shares implements [kernels.Sharer].
func (d *Device) Shares(box kernels.Box) (rows [][2]int) {
	if d.link == nil || d.tasks == nil || !d.layoutOf(box).split {
		return nil
	}
	for _, s := range d.layoutOf(box).slabs {
		rows = append(rows, s.own)
	}
	return rows
}

// Do implements [kernels.Sharer].
func (d *Device) Do(task string, job []byte, box kernels.Box, arrays []kernels.Buffer, fill bool) ([][]byte, error) {
	d.kernel = task + ": "
	if err := d.Sync(); err != nil {
		return nil, err
	}
	if d.link == nil || d.tasks[task] == nil {
		d.fail("there is no such task")
		return nil, d.why()
	}
	own, rows, values := d.handOut(box, arrays, fill)
	if !d.ok() {
		return nil, d.why()
	}
	reply, err := d.tasks[task](job, rows, values)
	if fill && err == nil {
		d.takeIn(own, values)
	}
	return d.replies(reply, err)
}

// handOut returns arrays of a box, the rows of them that this process owns, and their values there: zeros where they are to be filled.
func (d *Device) handOut(box kernels.Box, arrays []kernels.Buffer, fill bool) (own []*Buffer, of rows, values [][]float64) {
	r, l := d.any(), (*layout)(nil)
	for _, a := range arrays {
		if l == nil {
			l = d.layoutOf(box)
			of = l.slabs[r.number].own
		}
		b := d.nodesOf(a, l, "an array")
		if b == nil {
			return nil, of, nil
		}
		part := b.ownRows(r)
		local := make([]float64, part.Nodes())
		if !fill {
			if err := r.device.DownloadBox(local, b.local[r.number], part); err != nil {
				d.fail("%w", err)
				return nil, of, nil
			}
		}
		own, values = append(own, b), append(values, local)
	}
	return own, of, values
}

// takeIn gives arrays the values of the rows that this process owns. Their ghosts are not right any more.
func (d *Device) takeIn(arrays []*Buffer, values [][]float64) {
	r := d.any()
	for n, b := range arrays {
		r.device.UploadBox(b.local[r.number], b.ownRows(r), values[n])
		b.seam, b.wrap, b.walled = 0, 0, false
	}
}

// ownRows returns the box of the rows that a rank owns of an array of nodes.
func (b *Buffer) ownRows(r *rank) kernels.Box {
	return b.layout.partBox(r.number, b.layout.slabs[r.number].own, [3]int{}, b.layout.box.N)
}

// replies gives rank 0 what all processes reply, or why they failed.
func (d *Device) replies(own []byte, err error) ([][]byte, error) {
	const done, failed = 0, 1
	text := append([]byte{done}, own...)
	if err != nil {
		text = append([]byte{failed}, err.Error()...)
	}
	sizes, failure := link.Gather(d.link, binary.LittleEndian.AppendUint64(nil, uint64(len(text))), link.Alike(d.link, 8))
	var lengths []int
	for n := range len(sizes) / 8 {
		lengths = append(lengths, int(binary.LittleEndian.Uint64(sizes[8*n:])))
	}
	var all []byte
	if failure == nil {
		all, failure = link.Gather(d.link, text, lengths)
	}
	if failure != nil {
		d.fail("%w", failure)
		return nil, d.why()
	}
	if d.link.Rank() > 0 {
		return nil, nil
	}
	var replies [][]byte
	var errs []error
	for n, bytes := range lengths {
		of := all[:bytes]
		all = all[bytes:]
		switch {
		case of[0] == failed && n == 0:
			errs = append(errs, err)
		case of[0] == failed:
			errs = append(errs, fmt.Errorf("%s: %s", d.nameOf(n), of[1:]))
		}
		replies = append(replies, of[1:])
	}
	return replies, errors.Join(errs...)
}

// nameOf names a rank, with its machine where that is known.
func (d *Device) nameOf(number int) string {
	if hosts := d.joined.hosts; hosts != nil {
		return fmt.Sprintf("rank %d on %s", number, hosts[number])
	}
	return fmt.Sprintf("rank %d", number)
}

// Do implements [kernels.Sharer].
func (l *Lead) Do(task string, job []byte, box kernels.Box, arrays []kernels.Buffer, fill bool) ([][]byte, error) {
	l.begin(tellTask)
	l.out.value(reflect.ValueOf(box))
	l.out.value(reflect.ValueOf(fill))
	l.out.number(uint64(len(arrays)))
	for _, b := range arrays {
		l.out.buffer(b)
	}
	l.out.number(uint64(len(task)))
	l.out.bytes = append(l.out.bytes, task...)
	l.out.number(uint64(len(job)))
	l.send()
	if len(job) > 0 {
		if err := link.Spread(l.link, slices.Clone(job)); err != nil {
			l.fail("%w", err)
		}
	}
	return l.Device.Do(task, job, box, arrays, fill)
}

// task does this process's part of a task.
func (r *reader) task() {
	d, box, fill := r.device, kernels.Box{}, false
	r.value(reflect.ValueOf(&box).Elem())
	r.value(reflect.ValueOf(&fill).Elem())
	arrays := make([]kernels.Buffer, r.number())
	for n := range arrays {
		arrays[n] = r.buffer()
	}
	length := r.number()
	name := string(r.bytes[:length])
	r.bytes = r.bytes[length:]
	job := make([]byte, r.number())
	if len(job) > 0 { // also after a failure of this rank, which the others may not know of yet
		if err := link.Spread(d.link, job); err != nil {
			d.fail("%w", err)
		}
	}
	d.Do(name, job, box, arrays, fill)
}
