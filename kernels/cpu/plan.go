package cpu

// #include "cpu.h"
import "C"

import (
	"fmt"
	"strings"
	"unicode"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

var _ kernels.Planner = (*Device)(nil)

// Plan returns what the device would run for the calls of f, noted where it would run.
func (d *Device) Plan(f func()) []kernels.Choice {
	if d.failure.Err != nil {
		return nil
	}
	d.plan = &call.Plan{}
	failure := d.failure
	f()
	choices := d.plan.Choices(d.failure.Err)
	d.plan, d.failure = nil, failure
	return choices
}

// acts tells whether a call does anything: it has not failed, and is not planned only.
func (c *job) acts() bool { return c.OK() && c.d.plan == nil }

// note notes the kernel of a call that is planned, as descend_7_even_avx512_f64: its stencil, how the inner rows of a sweep are computed,
// its instructions and type.
func (c *job) note() {
	if !c.OK() {
		return
	}
	words := []string{snake(c.Kernel)}
	if c.operator != nil {
		words = append(words, fmt.Sprint(c.operator.Stencil.Points()))
	}
	if c.rows != noRows {
		form, why := c.rowForm()
		words = append(words, form)
		c.d.plan.Because(c.Kernel, why)
	}
	instruction := c.d.instruction
	if c.wide {
		instruction = c.d.widest
	}
	c.d.plan.Add(c.Kernel, strings.Join(append(words, instruction, fmt.Sprintf("f%d", 8*c.Elem.Size())), "_"))
}

// sweptRows is what a call sweeps over.
type sweptRows uint8

const (
	noRows     sweptRows = iota // it makes no sweep
	allNodes                    // of each row
	oneColour                   // every other node of a row
	rightSides                  // alone, because a sweep begins from zero
)

// formNames are the forms of rows in the order of cpu.h.
func formNames() [C.cv_forms]string {
	return [C.cv_forms]string{C.cv_form_zero: "zero", C.cv_form_three_cells: "three_cells", C.cv_form_cells: "cells", C.cv_form_faces: "faces", C.cv_form_graded: "graded",
		C.cv_form_even_x: "even_x", C.cv_form_even: "even"}
}

// rowForm names how a sweep computes the rows of its operator that lie at no wall, and why not as even ones, which are the fastest. The form is what C
// says that it chooses (form.h).
func (c *job) rowForm() (form, why string) {
	a := c.operator
	q := &C.cv_form_args{a: (*C.cv_elliptic)(unsafe.Pointer(c.elliptic))}
	switch c.rows {
	case rightSides:
		q.zero = 1
	case oneColour:
		q.weighted = 1
	}
	if !c.d.grow(sweepRowsUsed * 8 * (c.Box.N[0] + 64)) {
		return "unknown", "no scratch memory"
	}
	C.cv_run(c.d.pool, c.d.tables[c.Elem], C.cv_row_form, unsafe.Pointer(q), C.int64_t(c.Rows()), 1)
	switch q.form {
	case C.cv_form_cells:
		why = call.OnCells
	case C.cv_form_three_cells:
		why = call.ThreeOnCells
	case C.cv_form_graded:
		why = whyGraded(a)
	case C.cv_form_even_x:
		why = c.whyEvenX(a.Shape.Width)
	}
	return formNames()[q.form], why
}

// whyGraded says why rows are not even in x.
func whyGraded(a *kernels.Elliptic) string {
	switch {
	case a.Mass != nil && a.MassScale != 0:
		return call.MassOfNodes
	case a.Shape.Width[kernels.X] == 0:
		return call.WidthsDiffer(kernels.X)
	}
	return "rows are short"
}

// whyEvenX says why rows are even in x alone.
func (c *job) whyEvenX(width [3]float64) string {
	switch {
	case width[kernels.Y] == 0:
		return call.WidthsDiffer(kernels.Y)
	case width[kernels.Z] == 0:
		return call.WidthsDiffer(kernels.Z)
	case c.rows == oneColour:
		return "one colour at a time"
	}
	return "all rows lie at walls"
}

// snake returns the name of a kernel in C, of one of a method.
func snake(method string) string {
	var b strings.Builder
	for n, r := range method {
		if unicode.IsUpper(r) && n > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
