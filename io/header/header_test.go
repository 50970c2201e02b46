package header

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"convect/io/h5"
	"convect/kernels"
	"convect/physics"
	"convect/stencil"
)

type fake struct{}

func (fake) Step() int64   { return 42 }
func (fake) Time() float64 { return 0.5 }
func (fake) Grid() *stencil.Grid {
	return &stencil.Grid{Cells: [3]int{4, 0, 8}, Size: [3]float64{2, 0, 1}, Periodic: [3]bool{true, false, false}}
}
func (fake) Parameters() physics.Parameters {
	return physics.Parameters{Rayleigh: -70, Precision: kernels.Float64, Mixed: true}
}

// file writes a file and opens it.
func file(t *testing.T, write func(w *h5.Writer)) *h5.Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.h5")
	w, err := h5.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	write(w)
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	r, err := h5.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func sample() *Header {
	scales := physics.Nondimensional()
	scales.Length, scales.LengthUnit, scales.Time, scales.TimeUnit = 100, "m", 1e9, "s"
	h := New(Checkpoint, fake{}, scales)
	h.Version, h.Case = "v1", "title: ü\n"
	return h
}

func TestRoundTrip(t *testing.T) {
	h := sample()
	want := &Header{Kind: "checkpoint", Format: 2, Version: "v1", Case: "title: ü\n", Step: 42, Time: 5e8, Rayleigh: -70,
		Precision: kernels.Float64, Mixed: true, Cells: [3]int{4, 0, 8}, Size: [3]float64{200, 0, 100},
		Periodic: [3]bool{true, false, false}, TimeUnit: "s", LengthUnit: "m", TimeScale: 1e9, LengthScale: 100}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("new header (-want +got):\n%s", diff)
	}
	r := file(t, h.Write)
	got, err := Read(r, Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	err = got.ReadCase(r)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("read header, error %v (-want +got):\n%s", err, diff)
	}
}

// A file of the first layout is read, and says so: its case may have meant something else.
func TestEarlierFormat(t *testing.T) {
	h := sample()
	h.Format = 1
	got, err := Read(file(t, h.Write), Checkpoint)
	if err != nil || got.Format != 1 || got.Format >= PropertiesInSI {
		t.Errorf("header %+v: %v", got, err)
	}
}

// Files of others, of another kind, of another layout and with impossible values are refused with the reason.
func TestRefused(t *testing.T) {
	change := func(alter func(w *h5.Writer)) func(w *h5.Writer) {
		return func(w *h5.Writer) { sample().Write(w); alter(w) }
	}
	tests := map[string]struct {
		write   func(w *h5.Writer)
		message string
		foreign bool
	}{
		"empty":     {func(w *h5.Writer) {}, "not written by convect", true},
		"number":    {change(func(w *h5.Writer) { w.AttrInt64(Group, "kind", 3) }), "not written by convect", true},
		"kind":      {change(func(w *h5.Writer) { w.AttrString(Group, "kind", Snapshot) }), "a snapshot where a checkpoint is needed", true},
		"layout":    {change(func(w *h5.Writer) { w.AttrInt64(Group, "format", 9) }), "layout is version 9", false},
		"precision": {change(func(w *h5.Writer) { w.AttrString(Group, "precision", "float16") }), `"float16"`, false},
		"cells":     {change(func(w *h5.Writer) { w.AttrInt64s(Group, "cells", []int64{4, 0, 0}) }), "0 cells along z", false},
		"axes":      {change(func(w *h5.Writer) { w.AttrInt64s(Group, "cells", []int64{4, 8}) }), "2 values, not 3", false},
		"step":      {change(func(w *h5.Writer) { w.AttrInt64(Group, "step", -1) }), "step is -1", false},
		"type":      {change(func(w *h5.Writer) { w.AttrString(Group, "time", "late") }), "time", false},
	}
	for name, test := range tests {
		r := file(t, test.write)
		_, err := Read(r, Checkpoint)
		if err == nil || !strings.Contains(err.Error(), test.message) || !strings.Contains(err.Error(), r.Path()) {
			t.Errorf("%s: error %v, want %q and the path", name, err, test.message)
		}
		if errors.Is(err, ErrForeign) != test.foreign {
			t.Errorf("%s: foreign is %v", name, !test.foreign)
		}
	}
}
