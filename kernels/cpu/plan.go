package cpu

import (
	"fmt"
	"strings"
	"unicode"

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

// lineBytes are those of a line of nodes, which vectors of all instruction sets cut a row into (vector.h). Shorter rows have no inner line.
const lineBytes = 64

// sweptRows is what a call sweeps over.
type sweptRows uint8

const (
	noRows     sweptRows = iota // it makes no sweep
	allNodes                    // of each row
	oneColour                   // every other node of a row
	rightSides                  // alone, because a sweep begins from zero
)

// rowForm names how a sweep computes the rows of its operator that lie at no wall (elliptic.h), and why not as even ones, which are the
// fastest. It computes rows at walls, and rows of which a patch fixes a part, as rows that are even in x alone.
func (c *job) rowForm() (form, why string) {
	a := c.operator
	width := a.Shape.Width
	if c.rows == rightSides {
		return "zero", ""
	}
	switch a.Conductivity() {
	case kernels.Shared:
		return "cells", call.OnCells
	case kernels.Apart:
		return "three_cells", call.ThreeOnCells
	}
	switch {
	case a.Mass != nil && a.MassScale != 0:
		return "graded", call.MassOfNodes
	case a.Box.N[kernels.X] <= lineBytes/c.Elem.Size():
		return "graded", "rows are short"
	case width[kernels.X] == 0:
		return "graded", call.WidthsDiffer(kernels.X)
	case width[kernels.Y] == 0:
		return "even_x", call.WidthsDiffer(kernels.Y)
	case width[kernels.Z] == 0:
		return "even_x", call.WidthsDiffer(kernels.Z)
	case c.rows == oneColour:
		return "even_x", "one colour at a time"
	}
	return "even", ""
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
