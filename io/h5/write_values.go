package h5

// #include <stdlib.h>
// #include "h5.h"
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"

	"gonum.org/v1/hdf5"
)

// DatasetOption changes how a dataset is stored.
type DatasetOption func(*datasetSettings)

type datasetSettings struct{ compressed bool }

// Compressed stores a dataset in chunks of at most 16×64×64 values (256×256 with two
// axes, 65536 with one, all of any fourth axis), shuffled and deflated as HDF5's own
// filters would, by all processors. Without it a dataset is stored contiguously.
func Compressed(s *datasetSettings) { s.compressed = true }

// Float32s writes a dataset of float32, little-endian, with the axes dims, slowest
// first, and its checksum. Groups above it are created. No axes make a scalar. The
// product of dims must be len(data).
func (w *Writer) Float32s(path string, dims []int, data []float32, options ...DatasetOption) error {
	return write(w, path, dims, data, asFloat32, options)
}

// Float64s is [Writer.Float32s] for float64.
func (w *Writer) Float64s(path string, dims []int, data []float64, options ...DatasetOption) error {
	return write(w, path, dims, data, asFloat64, options)
}

// Int64s is [Writer.Float32s] for int64.
func (w *Writer) Int64s(path string, dims []int, data []int64, options ...DatasetOption) error {
	return write(w, path, dims, data, asInt64, options)
}

// Text writes a scalar dataset with a string of any length, stored as
// [Writer.AttrString] stores one, and its checksum.
func (w *Writer) Text(path, value string) error {
	err := w.try("dataset "+path, func() error {
		if err := checkText(value); err != nil {
			return err
		}
		if err := w.makeParents(path); err != nil {
			return err
		}
		name := C.CString(path)
		defer C.free(unsafe.Pointer(name))
		text, size, isUTF8 := fixedText(value)
		defer C.free(unsafe.Pointer(text))
		if C.h5_write_text(w.handle, name, text, size, isUTF8) < 0 {
			return lastError()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.AttrString(path, checksumName, checksum([]byte(value)))
}

// storedType returns the type in the file of values of a memory type.
func storedType(memory int) *hdf5.Datatype {
	switch memory {
	case asFloat32:
		return hdf5.T_IEEE_F32LE
	case asFloat64:
		return hdf5.T_IEEE_F64LE
	}
	return hdf5.T_STD_I64LE
}

func write[T number](w *Writer, path string, dims []int, data []T, memory int, options []DatasetOption) error {
	var settings datasetSettings
	for _, option := range options {
		option(&settings)
	}
	if n := length(dims); n != len(data) {
		return w.try("dataset "+path, func() error {
			return fmt.Errorf("%d values for axes %v", len(data), dims)
		})
	}
	values := asBytes(data)
	sum := make(chan string, 1)
	go func() { sum <- checksum(values) }()
	var err error
	if settings.compressed && len(dims) > 0 && len(data) > 0 {
		err = w.writeChunked(path, dims, values, memory)
	} else {
		err = w.writeContiguous(path, dims, values, memory)
	}
	text := <-sum
	runtime.KeepAlive(data)
	if err != nil {
		return err
	}
	w.startWriteback()
	return w.AttrString(path, checksumName, text)
}

// writeContiguous writes a dataset in one piece.
func (w *Writer) writeContiguous(path string, dims []int, values []byte, memory int) error {
	return w.try("dataset "+path, func() error {
		dataset, err := w.createDataset(path, dims, nil, memory)
		if err != nil {
			return err
		}
		if len(values) > 0 && C.h5_write_values(C.hid_t(dataset.ID()), C.int(memory), unsafe.Pointer(&values[0])) < 0 {
			return lastError()
		}
		if dataset.Close() != nil {
			return lastError()
		}
		return nil
	})
}

// createDataset creates a dataset and the groups above it, in chunks where chunk
// is not nil.
func (w *Writer) createDataset(path string, dims, chunk []int, memory int) (*hdf5.Dataset, error) {
	if err := w.makeParents(path); err != nil {
		return nil, err
	}
	space, err := createSpace(dims)
	if err != nil {
		return nil, lastError()
	}
	defer space.Close()
	creation, err := hdf5.NewPropList(hdf5.P_DATASET_CREATE)
	if err != nil {
		return nil, lastError()
	}
	defer creation.Close()
	id := C.hid_t(creation.ID())
	if C.h5_plain_times(id) < 0 {
		return nil, lastError()
	}
	if chunk == nil && C.h5_in_one_piece(id) < 0 {
		return nil, lastError()
	}
	if chunk != nil && (creation.SetChunk(lengths(chunk)) != nil || C.h5_shuffle(id) < 0 || creation.SetDeflate(deflateLevel) != nil) {
		return nil, lastError()
	}
	dataset, err := w.file.CreateDatasetWith(path, storedType(memory), space, creation)
	if err != nil {
		return nil, lastError()
	}
	return dataset, nil
}

// createSpace returns a dataspace with the axes dims, a scalar without any.
func createSpace(dims []int) (*hdf5.Dataspace, error) {
	if len(dims) == 0 {
		return hdf5.CreateDataspace(hdf5.S_SCALAR)
	}
	return hdf5.CreateSimpleDataspace(lengths(dims), nil)
}

func lengths(dims []int) []uint {
	unsigned := make([]uint, len(dims))
	for i, d := range dims {
		unsigned[i] = uint(d)
	}
	return unsigned
}
