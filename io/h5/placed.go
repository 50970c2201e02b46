package h5

// #include <stdlib.h>
// #include "h5.h"
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/crc64"
	"slices"
	"unsafe"
)

// Piece is a piece of a file that others have written, with the sums of its bytes: CRC-64 (ECMA-182), of which checksums of datasets are made, and CRC-32C, of
// which the seal is.
type Piece struct {
	Offset, Bytes int64
	Sum64         uint64
	Sum32         uint32
}

// PieceOf returns the piece that some bytes are at an offset.
func PieceOf(offset int64, bytes []byte) Piece {
	return Piece{offset, int64(len(bytes)), crc64.Checksum(bytes, checksumTable), crc32.Checksum(bytes, castagnoli)}
}

// place is where the values of a dataset are: in other files, if elsewhere is set.
type place struct {
	offset, bytes int64
	elsewhere     bool
}

// floats returns the memory type of float32, or of float64, and its bytes.
func floats(double bool) (memory int, size int64) {
	if double {
		return asFloat64, 8
	}
	return asFloat32, 4
}

// Source says that rows Rows[0] to Rows[1]-1 of the second axis of a virtual dataset are those from From on of the dataset of the same name in another file of the same
// folder, which has Of rows.
type Source struct {
	File     string
	Rows     [2]int
	From, Of int
}

// PlaceElsewhere creates a dataset as Place does whose values are in other files, one after the other along the second axis (an HDF5 virtual dataset). Settle takes pieces
// whose offsets are those of an array at byte 0.
func (w *Writer) PlaceElsewhere(path string, dims []int, double bool, sources []Source) error {
	memory, size := floats(double)
	err := w.try("dataset "+path, func() error {
		if err := w.makeParents(path); err != nil {
			return err
		}
		at := C.CString(path)
		defer C.free(unsafe.Pointer(at))
		names := make([]*C.char, len(sources))
		numbers := make([][4]C.hsize_t, 0, len(sources))
		for n, s := range sources {
			names[n] = C.CString(s.File)
			defer C.free(unsafe.Pointer(names[n]))
			numbers = append(numbers, [4]C.hsize_t{C.hsize_t(s.Rows[0]), C.hsize_t(s.Rows[1] - s.Rows[0]), C.hsize_t(s.From), C.hsize_t(s.Of)})
		}
		if C.h5_make_virtual(w.handle, at, C.int(memory), C.int(len(dims)), &sizes(dims)[0], C.size_t(len(sources)), &names[0], &numbers[0][0]) < 0 {
			return lastError()
		}
		w.places[path] = place{0, size * int64(length(dims)), true}
		return nil
	})
	if err != nil {
		return err
	}
	return w.AttrString(path, checksumName, checksum(nil))
}

// sizes returns lengths of axes as libhdf5 takes them.
func sizes(dims []int) []C.hsize_t {
	all := make([]C.hsize_t, len(dims))
	for n, d := range dims {
		all[n] = C.hsize_t(d)
	}
	return all
}

// Path returns the name that the file gets.
func (w *Writer) Path() string { return w.path }

// Temporary returns the name that the file has until Commit: others write there what has been placed.
func (w *Writer) Temporary() string { return w.temporary }

// Place creates a dataset as [Writer.Float64s] does, of float32 unless double is set, whose values others write into the file called Temporary, from the byte
// offset on. Settle must follow, before Finish or Commit.
func (w *Writer) Place(path string, dims []int, double bool) (offset int64, err error) {
	memory, size := floats(double)
	err = w.try("dataset "+path, func() error {
		dataset, err := w.createDataset(path, dims, nil, memory)
		if err != nil {
			return err
		}
		at := C.H5Dget_offset(C.hid_t(dataset.ID()))
		if at == C.HADDR_UNDEF || dataset.Close() != nil {
			return lastError()
		}
		offset = int64(at)
		w.places[path] = place{offset, size * int64(length(dims)), false}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return offset, w.AttrString(path, checksumName, checksum(nil)) // has its room from now on
}

// Settle says which pieces the values of a dataset were written in, in any order: its checksum is that of all. It fails where some are missing.
func (w *Writer) Settle(path string, pieces []Piece) error {
	at, placed := w.places[path]
	sum, err := SumOf(at.offset, at.bytes, pieces)
	if !placed {
		err = errors.New("it has not been placed")
	}
	if err != nil {
		return w.try("dataset "+path, func() error { return err })
	}
	delete(w.places, path)
	if !at.elsewhere {
		w.mu.Lock()
		w.pieces = slices.SortedFunc(slices.Values(append(w.pieces, pieces...)), byOffset)
		w.mu.Unlock()
	}
	return w.replaceText(path, checksumName, sum)
}

// replaceText puts another text of the same length into an attribute.
func (w *Writer) replaceText(object, name, value string) error {
	return w.try("attribute "+name+" of "+object, func() error {
		of, as, text := C.CString(object), C.CString(name), C.CString(value)
		defer C.free(unsafe.Pointer(of))
		defer C.free(unsafe.Pointer(as))
		defer C.free(unsafe.Pointer(text))
		if C.h5_replace_text(w.handle, of, as, text, C.size_t(len(value))) < 0 {
			return lastError()
		}
		return nil
	})
}

func byOffset(a, b Piece) int { return cmp.Compare(a.Offset, b.Offset) }

// SumOf returns the checksum of so many bytes from an offset on, of which pieces are all, in any order.
func SumOf(offset, bytes int64, pieces []Piece) (string, error) {
	sum, end := uint64(0), offset
	for _, p := range slices.SortedFunc(slices.Values(pieces), byOffset) {
		if p.Offset != end {
			return "", fmt.Errorf("there is a piece at byte %d where one at %d should be", p.Offset, end)
		}
		sum = joined(sum, p.Sum64, int(p.Bytes), crc64.ECMA)
		end += p.Bytes
	}
	if end != offset+bytes {
		return "", fmt.Errorf("the pieces have %d bytes of %d", end-offset, bytes)
	}
	return fmt.Sprintf("%s%016x", checksumPrefix, sum), nil
}

// unsettled fails where the values of a dataset may be missing.
func (w *Writer) unsettled() error {
	for path := range w.places {
		return fmt.Errorf("the values of %s have not been settled", path)
	}
	return nil
}
