package gridded

import (
	"fmt"
	"strings"
)

// Where values stand.
const (
	Points = "nodes" // at points, linear between them
	Cells  = "cells" // constant in cells
)

// Target is the grid onto which a field is brought, from 0 along every axis, in the unit of the field's coordinates.
type Target struct {
	Edges    [3][]float64 // ends of the cells along x, y, z, one more than cells; nil along the absent y of 2-D
	Periodic [3]bool
}

// Flat tells whether y is absent.
func (t *Target) Flat() bool { return t.Edges[1] == nil }

// cells returns the number of cells along an axis, 1 along an absent one.
func (t *Target) cells(d int) int { return max(len(t.Edges[d])-1, 1) }

// size returns the length of an axis, which begins at 0.
func (t *Target) size(d int) float64 {
	if len(t.Edges[d]) == 0 {
		return 0
	}
	return t.Edges[d][len(t.Edges[d])-1]
}

// axes returns those that are there.
func (t *Target) axes() []int {
	if t.Flat() {
		return []int{0, 2}
	}
	return []int{0, 1, 2}
}

// Parts of a request, which an [Error] names.
const (
	PartFile    = "file"
	PartDataset = "dataset"
	PartColumn  = "column"
	PartValues  = "values"
)

// Request says what to read.
type Request struct {
	Path        string
	Dataset     string    // in HDF5; "": found by Names, or the only one
	Column      string    // of a table of text; the same
	Coordinates [3]string // datasets or columns of x, y, z; "": found by their usual names
	Values      string    // Points, Cells or "": found out
	Names       []string  // usual names of the dataset or column
	Directions  bool      // a first axis of the directions of the grid (x, y, z; x, z in 2-D) is accepted
	Unit        string    // of the values, "1" for none; one that the file names must be it
	Length      string    // the same of the coordinates; "": not looked at
	OK          func(v float64) bool
	Accepted    string // what OK accepts, in words
	Target      Target
}

// Error is what is wrong with a request or its file. It is no damage of the file.
type Error struct {
	Part     string // of the request: PartFile, PartDataset, …, or the name of an axis
	Message  string
	Accepted string // what would be right; may be empty
}

// Error returns the message and what is accepted.
func (e *Error) Error() string {
	if e.Accepted == "" {
		return e.Message
	}
	return e.Message + "; accepted: " + e.Accepted
}

func wrong(part, accepted, format string, args ...any) error {
	return &Error{Part: part, Message: fmt.Sprintf(format, args...), Accepted: accepted}
}

// axisNames are the names of the axes.
var axisNames = [3]string{"x", "y", "z"}

// list joins names, not more of them than a person reads.
func list(names []string) string {
	const most = 20
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > most:
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// letters names axes in an order: [z][y][x].
func letters(axes []int) string {
	text := ""
	for _, d := range axes {
		text += "[" + axisNames[d] + "]"
	}
	return text
}
