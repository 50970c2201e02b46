package h5_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"convect/io/h5"
)

// placed writes a file of two datasets, with the values of the first in pieces of so many bytes, of which some are left out.
func placed(t *testing.T, path string, values []float32, piece int, without int) error {
	t.Helper()
	w, err := h5.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	dims := []int{3, 5, 4}
	at := int64(0)
	if piece == 0 {
		w.Float32s("/a/b", dims, values)
	} else if at, err = w.Place("/a/b", dims, false); err != nil {
		t.Fatal(err)
	}
	w.AttrString("/a/b", "unit", "K")
	w.Float64s("/c", []int{2}, []float64{1, 2})
	if piece > 0 {
		var all bytes.Buffer
		binary.Write(&all, binary.LittleEndian, values)
		f, err := os.OpenFile(w.Temporary(), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var pieces []h5.Piece
		for n := all.Len()/piece - 1; n >= 0; n-- { // from the last
			of := all.Bytes()[n*piece : (n+1)*piece]
			if _, err := f.WriteAt(of, at+int64(n*piece)); err != nil {
				t.Fatal(err)
			}
			if n != without {
				pieces = append(pieces, h5.PieceOf(at+int64(n*piece), of))
			}
		}
		if without != len(values) {
			w.Settle("/a/b", pieces)
		}
	}
	return w.Commit()
}

// A file whose values others write is that of one writer, to the byte.
func TestPlace(t *testing.T) {
	values := make([]float32, 60)
	for n := range values {
		values[n] = float32(n*n) / 7
	}
	dir := t.TempDir()
	one := filepath.Join(dir, "one.hdf")
	if err := placed(t, one, values, 0, -1); err != nil {
		t.Fatal(err)
	}
	want, _ := os.ReadFile(one)
	for _, piece := range []int{16, 48, 240} {
		path := filepath.Join(dir, "placed.hdf")
		if err := placed(t, path, values, piece, -1); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); !bytes.Equal(got, want) {
			t.Errorf("pieces of %d bytes make another file", piece)
		}
		r, err := h5.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := r.Float32s("/a/b"); err != nil || got[59] != values[59] {
			t.Errorf("%v %v", got, err)
		}
	}
}

// A file with missing values gets no name.
func TestPlaceMissing(t *testing.T) {
	values := make([]float32, 60)
	for without, want := range map[int]string{0: "one at", 3: "one at", 14: "of 240", len(values): "settled"} {
		path := filepath.Join(t.TempDir(), "placed.hdf")
		err := placed(t, path, values, 16, without)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without piece %d: %v", without, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("without piece %d there is a file", without)
		}
	}
}

// What was not placed cannot be settled.
func TestSettleStranger(t *testing.T) {
	w, err := h5.Create(filepath.Join(t.TempDir(), "x.hdf"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := w.Settle("/a", nil); err == nil || !strings.Contains(err.Error(), "not been placed") {
		t.Error(err)
	}
}

// Where values are in one piece, the object tells at which byte.
func TestOffset(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.hdf")
	w, err := h5.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	values := make([]float64, 5000)
	values[0], values[4999] = 3, 4
	w.Float64s("/plain", []int{5000}, values)
	w.Float64s("/packed", []int{5000}, values, h5.Compressed)
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	r, err := h5.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	bytes, _ := os.ReadFile(path)
	r.Walk(func(o h5.Object) error {
		switch o.Path {
		case "/plain":
			if got := binary.LittleEndian.Uint64(bytes[o.Offset+8*4999:]); got != 0x4010000000000000 {
				t.Errorf("%d: %x", o.Offset, got)
			}
		case "/packed":
			if o.Offset != -1 {
				t.Errorf("packed values are at byte %d", o.Offset)
			}
		}
		return nil
	})
}
