package h5

// #include <stdlib.h>
// #include "h5.h"
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// maxAttribute is what the oldest format of HDF5, which every reader knows, allows
// for an attribute with its name and header.
const maxAttribute = 64000

// AttrString sets an attribute of a group or dataset to a string: scalar, of fixed
// length len(value) (1 for ""), padded with NUL, ASCII where value is, else UTF-8.
// Longer texts than 64000 bytes belong in a dataset ([Writer.Text]).
func (w *Writer) AttrString(object, name, value string) error {
	return w.attribute(object, name, len(value), func(object, name *C.char) C.int {
		text, size, isUTF8 := fixedText(value)
		defer C.free(unsafe.Pointer(text))
		return C.h5_put_text(w.handle, object, name, text, size, isUTF8)
	}, checkText(value))
}

// AttrFloat64s sets an attribute of a group or dataset to an array of one axis.
func (w *Writer) AttrFloat64s(object, name string, values []float64) error {
	return putValues(w, object, name, asFloat64, 1, values)
}

// AttrInt64s is [Writer.AttrFloat64s] for integers.
func (w *Writer) AttrInt64s(object, name string, values []int64) error {
	return putValues(w, object, name, asInt64, 1, values)
}

// AttrFloat64 sets an attribute of a group or dataset to a scalar.
func (w *Writer) AttrFloat64(object, name string, value float64) error {
	return putValues(w, object, name, asFloat64, 0, []float64{value})
}

// AttrInt64 is [Writer.AttrFloat64] for an integer.
func (w *Writer) AttrInt64(object, name string, value int64) error {
	return putValues(w, object, name, asInt64, 0, []int64{value})
}

func putValues[T number](w *Writer, object, name string, memory, rank int, values []T) error {
	return w.attribute(object, name, 8*len(values), func(object, name *C.char) C.int {
		first := unsafe.Pointer(unsafe.SliceData(append(values[:len(values):len(values)], 0))) // never nil
		return C.h5_put_values(w.handle, object, name, C.int(memory), C.int(rank), C.hsize_t(len(values)), first)
	}, nil)
}

// attribute sets an attribute of size bytes by put; invalid says why its value
// cannot be written.
func (w *Writer) attribute(object, name string, size int, put func(object, name *C.char) C.int, invalid error) error {
	return w.try(fmt.Sprintf("attribute %s of %s", name, object), func() error {
		if invalid != nil {
			return invalid
		}
		if size+len(name) > maxAttribute {
			return fmt.Errorf("%d bytes, an attribute takes at most %d", size, maxAttribute)
		}
		if name == "" || strings.ContainsRune(object+name, 0) {
			return fmt.Errorf("%q of %q is no name", name, object)
		}
		cObject, cName := C.CString(object), C.CString(name)
		defer C.free(unsafe.Pointer(cObject))
		defer C.free(unsafe.Pointer(cName))
		if put(cObject, cName) < 0 {
			return lastError()
		}
		return nil
	})
}

// checkText says why a string cannot be stored with fixed length.
func checkText(value string) error {
	switch {
	case strings.ContainsRune(value, 0):
		return errors.New("a string with a NUL byte cannot be stored")
	case !utf8.ValidString(value):
		return errors.New("a string must be valid UTF-8")
	}
	return nil
}

// fixedText returns a C copy of value, its size in HDF5, where no string is empty,
// and whether it needs UTF-8.
func fixedText(value string) (text *C.char, size C.size_t, isUTF8 C.int) {
	for i := range len(value) {
		if value[i] >= utf8.RuneSelf {
			isUTF8 = 1
		}
	}
	return C.CString(value), C.size_t(max(len(value), 1)), isUTF8
}
