package header

import (
	"errors"
	"fmt"

	"convect/io/h5"
	"convect/kernels"
	"convect/physics"
	"convect/stencil"
)

// Group is the group that holds the header.
const Group = "/convect"

const caseText = Group + "/case"

// Versions of the layout of all files, and of the meaning of the case in them.
const (
	oldest = 1 // that this program reads
	format = 2 // that it writes
	// PropertiesInSI is the first format whose dimensional cases give the properties of the medium in SI units, and in which porosity
	// and heat-capacity ratio are two keys. Before it properties were multiples of the reference, and porosity was that ratio.
	PropertiesInSI = 2
)

// Kinds of files.
const (
	Snapshot   = "snapshot"
	Checkpoint = "checkpoint"
	Slice      = "slice"   // the fields on a plane or a line
	Average    = "average" // their means over time, and over axes
)

// ErrForeign says that an HDF5 file is not of this program, or not of the kind wanted.
var ErrForeign = errors.New("foreign file")

// Header is what a file says about itself.
type Header struct {
	Kind      string
	Format    int64  // version of the layout and of the meaning of the case
	Version   string // of the program that wrote it
	Case      string // text of the case as run
	Step      int64
	Time      float64 // in the unit of the case
	Rayleigh  float64
	Precision kernels.Elem // of the run's fields
	Mixed     bool         // its solvers work in mixed precision
	Cells     [3]int       // Cells[1] = 0: 2-D
	Size      [3]float64   // in the unit of the case; 0 along an absent axis
	Periodic  [3]bool

	TimeUnit, LengthUnit   string
	TimeScale, LengthScale float64 // a value in the unit of the case over the nondimensional one
}

// Source tells what a header needs to know of a simulation. *physics.Simulation is one.
type Source interface {
	Step() int64
	Time() float64
	Grid() *stencil.Grid
	Parameters() physics.Parameters
}

// New returns the header of the present step of a simulation, in units of the case; the caller adds Version and Case.
func New(kind string, s Source, scales physics.Scales) *Header {
	g, p := s.Grid(), s.Parameters()
	h := &Header{Kind: kind, Format: format, Step: s.Step(), Time: s.Time() * scales.Time, Rayleigh: p.Rayleigh, Precision: p.Precision, Mixed: p.Mixed,
		Cells: g.Cells, Periodic: g.Periodic, TimeUnit: scales.TimeUnit, LengthUnit: scales.LengthUnit,
		TimeScale: scales.Time, LengthScale: scales.Length}
	for d, size := range g.Size {
		h.Size[d] = size * scales.Length
	}
	return h
}

// Write writes the group. A failure shows in Commit of the writer, as all do.
func (h *Header) Write(file *h5.Writer) {
	var cells, periodic [3]int64
	for d := range 3 {
		cells[d] = int64(h.Cells[d])
		if h.Periodic[d] {
			periodic[d] = 1
		}
	}
	file.Group(Group)
	file.AttrString(Group, "kind", h.Kind)
	file.AttrInt64(Group, "format", h.Format)
	file.AttrString(Group, "version", h.Version)
	file.AttrInt64(Group, "step", h.Step)
	file.AttrFloat64(Group, "time", h.Time)
	file.AttrString(Group, "time_unit", h.TimeUnit)
	file.AttrFloat64(Group, "time_scale", h.TimeScale)
	file.AttrString(Group, "length_unit", h.LengthUnit)
	file.AttrFloat64(Group, "length_scale", h.LengthScale)
	file.AttrFloat64(Group, "rayleigh", h.Rayleigh)
	file.AttrString(Group, "precision", physics.PrecisionName(h.Precision, h.Mixed))
	file.AttrInt64s(Group, "cells", cells[:])
	file.AttrFloat64s(Group, "size", h.Size[:])
	file.AttrInt64s(Group, "periodic", periodic[:])
	file.Text(caseText, h.Case)
}

// KindOf returns the kind of a file, or [ErrForeign] where it is not of this program.
func KindOf(r *h5.Reader) (string, error) {
	kind, err := r.AttrString(Group, "kind")
	if errors.Is(err, h5.ErrMissing) || errors.Is(err, h5.ErrType) {
		return "", fmt.Errorf("%s: %w: not written by convect", r.Path(), ErrForeign)
	}
	return kind, err
}

// Read reads the header of a file of a kind, without the case ([Header.ReadCase]). The error names the file and wraps [ErrForeign], or an error of
// package h5.
func Read(r *h5.Reader, kind string) (*Header, error) {
	found, err := KindOf(r)
	if err != nil {
		return nil, err
	}
	if found != kind {
		return nil, fmt.Errorf("%s: %w: a %s where a %s is needed", r.Path(), ErrForeign, found, kind)
	}
	a := attributes{r: r}
	version := a.integer("format")
	if a.err == nil && (version < oldest || version > format) {
		return nil, fmt.Errorf("%s: its layout is version %d, this program reads versions %d to %d", r.Path(), version, oldest, format)
	}
	h := &Header{Kind: kind, Format: version, Version: a.text("version"), Step: a.integer("step"), Time: a.number("time"),
		TimeUnit: a.text("time_unit"), TimeScale: a.number("time_scale"), LengthUnit: a.text("length_unit"),
		LengthScale: a.number("length_scale"), Rayleigh: a.number("rayleigh")}
	h.Precision, h.Mixed = a.precision()
	a.grid(h, kind == Slice || kind == Average)
	return h, a.err
}

// ReadCase reads the text of the case.
func (h *Header) ReadCase(r *h5.Reader) (err error) {
	h.Case, err = r.Text(caseText)
	return err
}
