package snapshot

import (
	"errors"
	"fmt"
	"slices"

	"convect/io/h5"
	"convect/io/pieces"
	"convect/kernels"
	"convect/physics"
	"convect/stencil"
)

// evaluator is a Source of which processes can write what they have themselves.
type evaluator interface {
	Source
	Evaluate(name string, use func(c int, f *stencil.Field, column []float64) error) error
}

// kept is a quantity of which every process keeps what it has.
type kept struct {
	copies []pieces.Kept // of its components; nil: the quantity is on the host
	column []float64     // what is added to the nodes of each level; nil: nothing
	array  pieces.Array  // where it goes
}

// together is a snapshot that all processes write pieces of.
type together struct {
	file    *h5.Writer
	entry   Entry
	writing *pieces.Writing
}

// beginTogether lets all processes take copies of what they have of the present step, and write them beside what follows. One snapshot is under way so at a time.
func (w *Writer) beginTogether(s evaluator) error {
	w.settle(true)
	if err := w.reap(false); err != nil {
		return errors.Join(err, w.Wait())
	}
	t := &task{written: make(chan struct{}), finished: make(chan struct{}), together: &together{}}
	if err := t.together.begin(w, s); err != nil {
		return errors.Join(w.Wait(), fmt.Errorf("snapshot of step %d: %w", s.Step(), err))
	}
	w.under = append(w.under, t)
	return nil
}

// begin takes the copies, makes the file and has the pieces written.
func (t *together) begin(w *Writer, s evaluator) error {
	f, err := w.keep(s)
	if err == nil {
		geo := newGeometry(s.Grid(), w.options.Place, w.options.Scales.Length)
		if err = w.arrangeCells(f, geo); err == nil {
			t.entry, t.file, err = w.compose(f, geo)
		}
	}
	var arrays []pieces.Array
	var copies []pieces.Kept
	for _, k := range f.kept {
		if k.copies != nil {
			arrays, copies = append(arrays, k.array), append(copies, k.copies...)
		}
	}
	if err == nil {
		if t.writing, err = w.options.Pieces.Write(t.file, arrays, copies); err != nil {
			t.file.Abort()
		}
		return err
	}
	return errors.Join(err, w.options.Pieces.Drop(copies))
}

// keep lets all processes take copies of the quantities of nodes, and takes one of those of cells.
func (w *Writer) keep(s evaluator) (*frozen, error) {
	f := &frozen{step: s.Step(), time: s.Time(), grid: s.Grid(), parameters: s.Parameters()}
	quantities, err := w.chosen(s.Quantities())
	if err != nil {
		return f, err
	}
	f.quantities = quantities
	f.values, f.arrays, f.kept = make([]physics.Frozen, len(quantities)), make([]array, len(quantities)), make([]kept, len(quantities))
	for n, q := range quantities {
		if q.Cells {
			err = s.Freeze(q.Name, &f.values[n])
		} else {
			err = s.Evaluate(q.Name, func(_ int, field *stencil.Field, column []float64) error {
				k, err := w.options.Pieces.Keep(field.Grid.Box, field.Buffer)
				f.kept[n].copies = append(f.kept[n].copies, k)
				if column != nil {
					f.kept[n].column = slices.Clone(column)
				}
				return err
			})
		}
		if err != nil {
			return f, fmt.Errorf("%s: %w", q.Name, err)
		}
	}
	return f, nil
}

// arrangeCells makes the arrays of the quantities that are on the host.
func (w *Writer) arrangeCells(f *frozen, geo *geometry) error {
	all := *f
	all.quantities, all.values = nil, nil
	var at []int
	for n, q := range f.quantities {
		if f.kept[n].copies == nil {
			at, all.quantities, all.values = append(at, n), append(all.quantities, q), append(all.values, f.values[n])
		}
	}
	all.arrays = make([]array, len(at))
	err := w.arrange(&all, geo)
	for n, of := range at {
		f.arrays[of] = all.arrays[n]
	}
	return err
}

// placeField makes the place of a quantity that all processes write.
func (w *Writer) placeField(file *h5.Writer, k *kept, geo *geometry, q physics.Quantity, box kernels.Box) error {
	double := w.options.Precision == kernels.Float64
	k.array = pieces.Array{Dataset: fieldPath(q.Name, false), Double: double, Nodes: geo.nodes, Points: geo.points, Components: q.Components,
		Scale: q.Scale(w.options.Scales), Column: k.column}
	if err := w.options.Pieces.Place(file, &k.array, box); err != nil {
		return err
	}
	return w.describeField(file, k.array.Dataset, q)
}

// settle ends the snapshot that all processes write, if they have written it, or waits for that; it gets its name beside what follows.
func (w *Writer) settle(wait bool) {
	if len(w.under) == 0 {
		return
	}
	t := w.under[len(w.under)-1]
	if t.together == nil || !wait && !t.together.writing.Ended() {
		return
	}
	of, before := t.together, w.under[:len(w.under)-1]
	t.together = nil
	err := of.writing.Settle()
	close(t.written)
	var last *task
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	go func() {
		defer close(t.finished)
		if err == nil {
			err = of.file.Finish()
		}
		if last != nil {
			<-last.finished
		}
		if err == nil {
			err = w.publish(of.entry, of.file)
		} else {
			of.file.Abort()
		}
		if err != nil {
			err = errors.Join(err, of.writing.Abandon())
			t.err = fmt.Errorf("snapshot of step %d: %w", of.entry.Step, err)
		}
	}()
}
