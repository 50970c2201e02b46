package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"convect/cmd/convect/casefile"
	"convect/io/h5"
	"convect/io/header"
	"convect/io/snapshot"
	"convect/physics"
	"convect/stencil"
)

func inspectCommand() *command {
	return &command{
		name: "inspect", arguments: "FILE", summary: "say what a snapshot or checkpoint holds", least: 1, most: 1, flags: newFlags("inspect"),
		text: `Says what an HDF5 file holds: for a snapshot or checkpoint of convect its kind, version, step, time and grid, and for
each array its type, shape, least, greatest and mean value and whether its checksum holds. Other HDF5 files are
listed too. A damaged file, or one that is no HDF5, ends with its path, the reason and exit code 1.`,
		examples: []string{"convect inspect cube.out/snapshots/snap_000100.hdf", "convect inspect cube.out/checkpoints/ckpt_000100.h5"},
		exits:    []int{exitDone, exitFailed, exitUsage},
		run:      func(e *environment, args []string) error { return inspect(e.out, args[0]) },
	}
}

// inspect describes an HDF5 file.
func inspect(w io.Writer, path string) error {
	r, err := h5.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	kind, _ := header.KindOf(r) // of a file of another program: none
	if err := inspectHeader(w, r); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%-34s %-10s %-18s %13s %13s %13s  %s\n", "array", "type", "shape", "least", "greatest", "mean", "checksum")
	var first error
	err = r.Walk(func(o h5.Object) error {
		if o.Kind == h5.Dataset && !(kind != header.Checkpoint && snapshot.IsFurtherName(r, o.Path)) {
			if err := inspectArray(w, r, o); err != nil && first == nil {
				first = err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return first
}

// inspectHeader prints what the file says about itself.
func inspectHeader(w io.Writer, r *h5.Reader) error {
	kind, err := header.KindOf(r)
	if err != nil {
		fmt.Fprintf(w, "%s: an HDF5 file that convect did not write\n", r.Path())
		return nil
	}
	h, err := header.Read(r, kind)
	if err != nil {
		return err
	}
	seal := "whole (sealed)"
	if !r.Sealed() {
		seal = "not sealed"
	}
	fmt.Fprintf(w, "%s: %s of convect %s, %s\n", r.Path(), kind, h.Version, seal)
	fmt.Fprintf(w, "  step      %d\n", h.Step)
	fmt.Fprintf(w, "  time      %s\n", timeText(h))
	fmt.Fprintf(w, "  Ra        %.6g\n", h.Rayleigh)
	var sizes, periodic []string
	for d, axis := range []string{"x", "y", "z"} {
		if h.Cells[d] > 0 {
			sizes = append(sizes, fmt.Sprintf("%.6g", h.Size[d]))
		}
		if h.Periodic[d] {
			periodic = append(periodic, axis)
		}
	}
	fmt.Fprintf(w, "  grid      %s cells, size %s%s", cellsText(h.Cells), strings.Join(sizes, " × "), unitSuffix(h.LengthUnit))
	if len(periodic) > 0 {
		fmt.Fprintf(w, ", periodic in %s", strings.Join(periodic, ", "))
	}
	if grading := gradingText(r, h); grading != "" {
		fmt.Fprintf(w, ", %s", grading)
	}
	fmt.Fprintf(w, "\n  precision %s\n", physics.PrecisionName(h.Precision, h.Mixed))
	for _, name := range []string{"device", "instruction"} {
		if v, err := r.AttrString(header.Group, name); err == nil {
			fmt.Fprintf(w, "  %-9s %s\n", name, v)
		}
	}
	return nil
}

// timeText prints the time of a file, and that in seconds in a unit to read too.
func timeText(h *header.Header) string {
	text := fmt.Sprintf("%.9g%s", h.Time, unitSuffix(h.TimeUnit))
	if readable := physics.TimeText(h.Time, h.TimeUnit, 6); h.TimeUnit == "s" && !strings.HasSuffix(readable, " s") {
		text += " (" + readable + ")"
	}
	return text
}

// gradingText says how the case of a file grades the widths of cells; empty where it does not.
func gradingText(r *h5.Reader, h *header.Header) string {
	if h.ReadCase(r) != nil {
		return "" // its checksum is told with the arrays
	}
	c, err := casefile.ParseGrid(r.Path(), h)
	if err != nil {
		return ""
	}
	var axes []string
	for d, g := range c.Extent().Grading {
		if g.Cluster != stencil.Even {
			axes = append(axes, fmt.Sprintf("widths 1 : %g along %s (narrow: %s)", g.Ratio, stencil.AxisName(d), g.Cluster))
		}
	}
	return strings.Join(axes, ", ")
}

// inspectArray prints one array. Its error is that of reading it: a checksum that does not hold.
func inspectArray(w io.Writer, r *h5.Reader, o h5.Object) error {
	shape := "scalar"
	if len(o.Dims) > 0 {
		shape = strings.Trim(strings.ReplaceAll(fmt.Sprint(o.Dims), " ", " × "), "[]")
	}
	line := fmt.Sprintf("%-34s %-10s %-18s ", o.Path, o.Type, shape)
	var values []float64
	var err error
	if strings.HasPrefix(o.Type, "string") {
		_, err = r.Text(o.Path)
	} else {
		values, _, err = r.Float64s(o.Path)
	}
	if len(values) == 0 {
		fmt.Fprintf(w, "%s%13s %13s %13s  %s\n", line, "", "", "", checksumText(o, err))
		if errors.Is(err, h5.ErrType) { // of another program
			return nil
		}
		return err
	}
	low, high, mean := statistics(values)
	_, err = fmt.Fprintf(w, "%s%13.6g %13.6g %13.6g  %s\n", line, low, high, mean, checksumText(o, nil))
	return err
}

func checksumText(o h5.Object, err error) string {
	switch {
	case errors.Is(err, h5.ErrType), errors.Is(err, h5.ErrRefused):
		return "not read"
	case err != nil:
		return "DAMAGED"
	case o.Checksum == "":
		return "none"
	}
	return "ok"
}

// statistics returns the least and the greatest value and the mean.
func statistics(values []float64) (low, high, mean float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if math.IsNaN(v) {
			return v, v, v
		}
		low, high, mean = math.Min(low, v), math.Max(high, v), mean+v
	}
	return low, high, mean / float64(len(values))
}
