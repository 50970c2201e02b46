package h5

// #include "h5.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"gonum.org/v1/hdf5"

	"convect/io/whole"
)

// temporarySuffix ends the name of a file that is being written. A killed run
// leaves at most one such file for each target, and the next attempt replaces it.
const temporarySuffix = ".tmp"

// Writer writes one new HDF5 file, which gets its name only on [Writer.Commit].
// After a failure every further call, Commit included, returns that failure. Its
// methods may be called from several goroutines; they take turns.
type Writer struct {
	mu        sync.Mutex
	path      string
	temporary string
	file      *hdf5.File // nil once closed
	handle    C.hid_t    // of file
	groups    map[string]bool
	users     map[string][]user // of dimension scales
	places    map[string]place  // of values that others write
	pieces    []Piece           // that others have written
	err       error             // the first failure, or ErrClosed
}

// Create starts a file that Commit will name path, replacing a file of that name.
// It is written beside it as path.tmp. The caller defers [Writer.Abort].
func Create(path string) (*Writer, error) {
	w := &Writer{path: path, temporary: path + temporarySuffix, groups: map[string]bool{"/": true}, users: map[string][]user{}, places: map[string]place{}}
	if err := w.open(); err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	if err := w.AttrString("/", sealedMark, sealedText); err != nil {
		w.Abort()
		return nil, err
	}
	return w, nil
}

// open creates the temporary file. The system comes first: it words its reasons
// (no directory, no permission) better than libhdf5.
func (w *Writer) open() error {
	_, statErr := os.Stat(w.temporary)
	f, err := os.OpenFile(w.temporary, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	err = onLibrary(func() (err error) {
		if w.file, err = hdf5.CreateFile(w.temporary, hdf5.F_ACC_TRUNC); err != nil {
			return lastError()
		}
		w.handle = C.hid_t(w.file.ID())
		return nil
	})
	if err != nil && errors.Is(statErr, os.ErrNotExist) {
		os.Remove(w.temporary) // one that existed may belong to another writer
	}
	return err
}

// try runs call on the library's goroutine unless something failed before, and
// keeps its failure, worded as "write PATH: what: …".
func (w *Writer) try(what string, call func() error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tryLocked(what, call)
}

func (w *Writer) tryLocked(what string, call func() error) error {
	if w.err == nil && w.file == nil {
		return fmt.Errorf("write %s: %s: %w", w.path, what, ErrClosed)
	}
	if w.err == nil {
		if err := onLibrary(call); err != nil {
			w.err = fmt.Errorf("write %s: %s: %w", w.path, what, err)
		}
	}
	return w.err
}

// Group creates the group called path, as "/a/b", and those above it. A group
// that exists is left as it is.
func (w *Writer) Group(path string) error {
	return w.try("group "+path, func() error {
		if path == "/" {
			return nil
		}
		if err := checkName(path); err != nil {
			return err
		}
		return w.makeGroups(path)
	})
}

// makeGroups creates path level by level; libhdf5 does not create what is missing
// above it.
func (w *Writer) makeGroups(path string) error {
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		if level := path[:i]; !w.groups[level] {
			group, err := w.file.CreateGroup(level)
			if err != nil {
				return lastError()
			}
			if err := group.Close(); err != nil {
				return lastError()
			}
			w.groups[level] = true
		}
	}
	return nil
}

// makeParents creates the groups above an object.
func (w *Writer) makeParents(path string) error {
	if err := checkName(path); err != nil {
		return err
	}
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		return w.makeGroups(path[:i])
	}
	return nil
}

// maxDepth is the number of levels that a Reader descends, MAX_DEPTH in reader.c.
const maxDepth = 32

// checkName refuses names that HDF5 would take for something else.
func checkName(path string) error {
	if !strings.HasPrefix(path, "/") || strings.ContainsRune(path, 0) {
		return fmt.Errorf("%q is no absolute name such as /group/name", path)
	}
	parts := strings.Split(path[1:], "/")
	if len(parts) > maxDepth {
		return fmt.Errorf("%q has more than %d levels", path, maxDepth)
	}
	for _, part := range parts {
		if part == "" || part == "." || part == ".." {
			return fmt.Errorf("%q is no absolute name such as /group/name", path)
		}
	}
	return nil
}

// Finish hands all of the file to the system and closes it. What is left to Commit keeps nobody else from the library, which has one
// thread: another file may be written meanwhile.
func (w *Writer) Finish() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.finishLocked()
}

func (w *Writer) finishLocked() error {
	if w.err != nil || w.file == nil {
		return w.err
	}
	return w.tryLocked("close", func() error {
		if err := errors.Join(w.unsettled(), w.putUsers()); err != nil {
			return err
		}
		if err := w.file.Flush(hdf5.F_SCOPE_GLOBAL); err != nil {
			return lastError()
		}
		if err := w.file.Close(); err != nil {
			return lastError()
		}
		w.file = nil
		return nil
	})
}

// Commit closes the file, seals it, forces it to disk and renames it to its path.
// On failure the temporary file is removed and a file of that path is as before.
func (w *Writer) Commit() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.finishLocked()
	if errors.Is(err, ErrClosed) {
		return err
	}
	if err == nil {
		if err = publish(w.temporary, w.path, w.pieces); err != nil {
			err = fmt.Errorf("write %s: %w", w.path, err)
		}
	}
	if err != nil {
		w.abandon()
		return err
	}
	w.err = fmt.Errorf("write %s: %w", w.path, ErrClosed)
	return nil
}

// publish seals temporary and gives it the name path, both on disk when it returns.
func publish(temporary, path string, pieces []Piece) error {
	if err := appendSeal(temporary, pieces); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return err
	}
	return whole.SyncDir(filepath.Dir(path))
}

// Abort closes the file and removes it. After Commit it does nothing.
func (w *Writer) Abort() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !errors.Is(w.err, ErrClosed) {
		w.abandon()
	}
}

// abandon drops the temporary file. libhdf5 is not asked to close it: it insists on writing what it holds back, may crash where the disk does not
// take that, and has no other way to let go of a file. It stays open in the library, empty and without a name, until the end of the process.
func (w *Writer) abandon() {
	os.Truncate(w.temporary, 0)
	os.Remove(w.temporary)
	w.file = nil
	w.err = fmt.Errorf("write %s: %w", w.path, ErrClosed)
}
