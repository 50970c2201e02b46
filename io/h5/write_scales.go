package h5

// #include <stdlib.h>
// #include <hdf5_hl.h>
// #include "h5.h"
import "C"

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"unsafe"
)

// user is a dataset that a dimension scale is attached to.
type user struct {
	dataset string
	axis    int
}

// Letters writes a dataset of one axis with the letters of a text in ASCII, each a string of length 1, and its checksum.
func (w *Writer) Letters(path, letters string) error {
	err := w.try("dataset "+path, func() error {
		for _, letter := range letters {
			if letter == 0 || letter > 127 {
				return fmt.Errorf("%q is no letter in ASCII", letter)
			}
		}
		if letters == "" {
			return errors.New("there are no letters")
		}
		if err := w.makeParents(path); err != nil {
			return err
		}
		names := newNames(path, letters)
		defer names.free()
		if C.h5_write_letters(w.handle, names.at(0), names.at(1), C.hsize_t(len(letters))) < 0 {
			return lastError()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.AttrString(path, checksumName, checksum([]byte(letters)))
}

// Scale makes a dataset of one axis a dimension scale called name, which [Writer.Attach] takes.
func (w *Writer) Scale(path, name string) error {
	return w.try("dimension scale "+path, func() error {
		dataset, err := w.file.OpenDataset(path)
		if err != nil {
			return lastError()
		}
		names := newNames(name)
		defer names.free()
		if C.H5DSset_scale(C.hid_t(dataset.ID()), names.at(0)) < 0 {
			return lastError()
		}
		if dataset.Close() != nil {
			return lastError()
		}
		return nil
	})
}

// Attach gives each axis of a dataset, slowest first, the dimension scale with its coordinates. A dataset has scales for all of its axes or for none.
func (w *Writer) Attach(path string, scales ...string) error {
	return w.try("dimension scales of "+path, func() error {
		names := newNames(append([]string{path}, scales...)...)
		defer names.free()
		if C.h5_put_scales(w.handle, names.at(0), C.int(len(scales)), names.from(1)) < 0 {
			return lastError()
		}
		for axis, scale := range scales {
			w.users[scale] = append(w.users[scale], user{path, axis})
		}
		return nil
	})
}

// putUsers tells the dimension scales what they are attached to.
func (w *Writer) putUsers() error {
	for _, scale := range slices.Sorted(maps.Keys(w.users)) {
		all := w.users[scale]
		paths, axes := []string{scale}, make([]C.int, len(all))
		for n, u := range all {
			paths, axes[n] = append(paths, u.dataset), C.int(u.axis)
		}
		names := newNames(paths...)
		status := C.h5_put_users(w.handle, names.at(0), C.size_t(len(all)), names.from(1), &axes[0])
		names.free()
		if status < 0 {
			return lastError()
		}
	}
	return nil
}

// Link gives an object that is there a further name. It stays one object, with one checksum and one set of attributes.
func (w *Writer) Link(target, path string) error {
	return w.try("link "+path, func() error {
		if err := w.makeParents(path); err != nil {
			return err
		}
		names := newNames(target, path)
		defer names.free()
		if C.H5Lcreate_hard(w.handle, names.at(0), w.handle, names.at(1), C.H5P_DEFAULT, C.H5P_DEFAULT) < 0 {
			return lastError()
		}
		return nil
	})
}

// names are texts in the memory of C.
type names struct {
	first **C.char
	n     int
}

func newNames(texts ...string) names {
	all := names{(**C.char)(C.calloc(C.size_t(len(texts)+1), C.size_t(unsafe.Sizeof((*C.char)(nil))))), len(texts)}
	for i, text := range texts {
		unsafe.Slice(all.first, all.n)[i] = C.CString(text)
	}
	return all
}

func (a names) at(i int) *C.char { return unsafe.Slice(a.first, a.n)[i] }

func (a names) from(i int) **C.char { return &unsafe.Slice(a.first, a.n+1)[i] }

func (a names) free() {
	for i := range a.n {
		C.free(unsafe.Pointer(a.at(i)))
	}
	C.free(unsafe.Pointer(a.first))
}
