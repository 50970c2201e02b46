package h5

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"syscall"
)

var (
	// ErrNotHDF5 says that a file is not HDF5 at all.
	ErrNotHDF5 = errors.New("not an HDF5 file")
	// ErrDamaged says that a file is truncated, was changed since it was
	// written, or makes libhdf5 fail in a way that only damage explains.
	ErrDamaged = errors.New("damaged HDF5 file")
	// ErrChecksum says that the values of a dataset do not match the checksum
	// stored with it.
	ErrChecksum = errors.New("checksum mismatch")
	// ErrRefused says that the values of a dataset lie in other files, which are not
	// opened, or cannot be unpacked here.
	ErrRefused = errors.New("not read")
	// ErrMissing says that a file has no object or attribute of that name.
	ErrMissing = errors.New("not in the file")
	// ErrType says that an object or attribute does not have the kind of values
	// asked for.
	ErrType = errors.New("wrong type")
	// ErrClosed says that a Writer was used after Commit or Abort, or a Reader
	// after Close.
	ErrClosed = errors.New("already closed")
)

// libError is a failure that libhdf5 reported, in its own words.
type libError struct {
	text  string
	errno syscall.Errno // of the system call that failed; 0 if none did
}

// systemError finds the errno that libhdf5 writes into its messages.
func systemError(stack string) syscall.Errno {
	match := regexp.MustCompile(`errno = (\d+)`).FindStringSubmatch(stack)
	if match == nil {
		return 0
	}
	n, err := strconv.Atoi(match[1])
	if err != nil {
		return 0
	}
	return syscall.Errno(n)
}

// newLibError condenses an error stack of libhdf5, one description a line from the
// outermost call to the innermost, to its first and last lines. Where a system call
// failed, its error replaces the last.
func newLibError(stack string) error {
	lines := strings.FieldsFunc(stack, func(r rune) bool { return r == '\n' })
	if len(lines) == 0 {
		return &libError{text: "libhdf5 gave no reason"}
	}
	outer, inner := lines[0], lines[len(lines)-1]
	errno := systemError(stack)
	switch {
	case errno != 0:
		inner = errno.Error()
	case inner == outer:
		return &libError{text: outer}
	}
	return &libError{text: outer + ": " + inner, errno: errno}
}

// Error returns the outermost and the innermost description.
func (e *libError) Error() string { return "libhdf5: " + e.text }

// Unwrap returns the system's error, so that errors.Is(err, syscall.ENOSPC) works.
func (e *libError) Unwrap() error {
	if e.errno == 0 {
		return nil
	}
	return e.errno
}

// damaged reports path as damaged, for a reason in the words of format.
func damaged(path, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %w", path, ErrDamaged, fmt.Errorf(format, args...))
}

// refused reports that the values of a dataset are not read, and why.
func refused(path, dataset, why string) error {
	return fmt.Errorf("%s: dataset %s: %w: %s", path, dataset, ErrRefused, why)
}
