package h5

import (
	"fmt"
	"math"
	"slices"
	"unsafe"
)

// number is a type of values in memory that libhdf5 converts to.
type number interface{ float32 | float64 | int64 }

// asBytes returns the memory of values.
func asBytes[T number](values []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(one)))
}

// Float64s returns the values of a dataset and the lengths of its axes, slowest
// first. It converts from any floating-point or integer type; integers beyond 2⁵³
// are rounded. The error wraps [ErrMissing], [ErrType], [ErrChecksum] or
// [ErrDamaged].
func (r *Reader) Float64s(path string) ([]float64, []int, error) {
	o, n, err := r.numeric(path)
	if err != nil {
		return nil, nil, err
	}
	switch o.elem.memory() {
	case asFloat32:
		values, err := readValues[float32](r, o, n, asFloat32)
		return widen(values), slices.Clone(o.Dims), err
	case asInt64:
		values, err := readValues[int64](r, o, n, asInt64)
		return widen(values), slices.Clone(o.Dims), err
	}
	values, err := readValues[float64](r, o, n, asFloat64)
	return values, slices.Clone(o.Dims), err
}

// Float32s is [Reader.Float64s] for a dataset of float32; it does not round other
// types.
func (r *Reader) Float32s(path string) ([]float32, []int, error) {
	o, n, err := r.numeric(path)
	if err != nil {
		return nil, nil, err
	}
	if o.elem.memory() != asFloat32 {
		return nil, nil, r.wrongType(o, "float32")
	}
	values, err := readValues[float32](r, o, n, asFloat32)
	return values, slices.Clone(o.Dims), err
}

// Int64s is [Reader.Float64s] for a dataset of integers, except uint64.
func (r *Reader) Int64s(path string) ([]int64, []int, error) {
	o, n, err := r.numeric(path)
	if err != nil {
		return nil, nil, err
	}
	if o.elem.memory() != asInt64 {
		return nil, nil, r.wrongType(o, "int64")
	}
	values, err := readValues[int64](r, o, n, asInt64)
	return values, slices.Clone(o.Dims), err
}

// Text returns the string of a scalar dataset as [Writer.Text] writes it.
func (r *Reader) Text(path string) (string, error) {
	o, err := r.dataset(path)
	if err != nil {
		return "", err
	}
	if o.elem.class != classString || o.elem.variable || o.elem.null || length(o.Dims) != 1 {
		return "", r.wrongType(o, "string(n)")
	}
	if err := r.plausible(o, 1); err != nil {
		return "", err
	}
	text := make([]byte, o.elem.size)
	if err := r.fetch(o, asStored, text); err != nil {
		return "", fmt.Errorf("read %w", err)
	}
	text = trimNUL(text)
	return string(text), r.verify(o, text)
}

// memory returns the type that values of a numeric type are read as: without loss
// where there is one.
func (t elementType) memory() int {
	switch {
	case t.class == classFloat && t.size <= 4:
		return asFloat32
	case t.class == classInteger && (t.signed || t.size < 8):
		return asInt64
	}
	return asFloat64
}

// numeric returns a dataset of numbers and how many it holds.
func (r *Reader) numeric(path string) (o *Object, n int, err error) {
	if o, err = r.dataset(path); err != nil {
		return nil, 0, err
	}
	if o.elem.class != classFloat && o.elem.class != classInteger || o.elem.null {
		return nil, 0, r.wrongType(o, "numbers")
	}
	n = length(o.Dims)
	return o, n, r.plausible(o, n)
}

// plausible refuses a dataset of n values that cannot be in a file of this size:
// deflate reaches at most a factor of 1032.
func (r *Reader) plausible(o *Object, n int) error {
	const deflate, small = 1100, 64 << 20
	most := r.size
	if o.layout.class == layoutChunked {
		most = max(small, deflate*min(max(o.Bytes, 0), r.size))
	}
	if o.layout.class == layoutVirtual { // of the files that hold its values
		most = max(small, deflate*min(max(o.Bytes, r.size), math.MaxInt64/deflate))
	}
	if n < 0 || int64(n) > most/int64(max(o.elem.size, 1)) {
		return damaged(r.path, "dataset %s: %v values of %s cannot be in a file of %d bytes", o.Path, o.Dims, o.Type, r.size)
	}
	return nil
}

func (r *Reader) wrongType(o *Object, want string) error {
	return fmt.Errorf("%s: dataset %s: %w: %s where %s is needed", r.path, o.Path, ErrType, o.Type, want)
}

// fetch puts the values of a dataset into out, which they fill exactly.
func (r *Reader) fetch(o *Object, memory int, out []byte) error {
	if len(o.values) == len(out) && o.valuesAs == memory {
		copy(out, o.values)
		return nil
	}
	return readJob{path: r.path, dataset: o.Path, memory: memory}.read(out)
}

// readValues reads n values of o and verifies their checksum.
func readValues[T number](r *Reader, o *Object, n, memory int) ([]T, error) {
	values := make([]T, n)
	if n > 0 {
		if err := r.fetch(o, memory, asBytes(values)); err != nil {
			return nil, fmt.Errorf("read %w", err)
		}
	}
	if err := r.verify(o, asBytes(values)); err != nil {
		return nil, err
	}
	return values, nil
}

// widen converts to float64; nil stays nil.
func widen[T number](values []T) []float64 {
	if values == nil {
		return nil
	}
	wide := make([]float64, len(values))
	for i, v := range values {
		wide[i] = float64(v)
	}
	return wide
}
