package h5

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

const signature = "\x89HDF\r\n\x1a\n"

// screened is what is known of a file before libhdf5 sees it.
type screened struct {
	size int64
	seal sealState
}

// screen refuses what libhdf5 need not look at: no regular file, empty, no HDF5
// signature, shorter than its superblock says, broken seal. The seal is not looked
// at where verify is false.
func screen(path string, verify bool) (screened, error) {
	info, err := os.Stat(path)
	if err != nil {
		return screened{}, bare(path, err)
	}
	if !info.Mode().IsRegular() {
		return screened{}, fmt.Errorf("%s: %w: not a regular file (%s)", path, ErrNotHDF5, info.Mode().Type())
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // should it be a pipe by now
	if err != nil {
		return screened{}, bare(path, err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		return screened{}, fmt.Errorf("%s: %w: not a regular file", path, ErrNotHDF5)
	}
	s := screened{size: info.Size()}
	if err := checkSuperblock(f, path, s.size); err != nil {
		return s, err
	}
	if !verify {
		return s, nil
	}
	if s.seal, err = checkSeal(f, s.size); err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	if s.seal == sealBroken {
		return s, damaged(path, "its content does not match its seal")
	}
	return s, nil
}

// bare is a failure of the system without the name of its call: Open says what was being done.
func bare(path string, err error) error {
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return fmt.Errorf("%s: %w", path, fault.Err)
	}
	return err
}

// checkSuperblock looks for the HDF5 signature at 0, 512, 1024, 2048, … as the
// format specification (version 3, section II.A) places it, and compares the end
// of file that the superblock gives with the size of the file.
func checkSuperblock(f io.ReaderAt, path string, size int64) error {
	if size == 0 {
		return fmt.Errorf("%s: %w: the file is empty", path, ErrNotHDF5)
	}
	for at := int64(0); at < size; at = max(512, 2*at) {
		head := make([]byte, 128)
		n, err := f.ReadAt(head, at)
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s: superblock: %w", path, err)
		}
		head = head[:n]
		if !bytes.HasPrefix(head, []byte(signature)) {
			continue
		}
		end, ok := endOfFile(head)
		if !ok {
			return damaged(path, "no valid superblock")
		}
		if end > uint64(size) {
			return damaged(path, "truncated: %d of %d bytes", size, end)
		}
		return nil
	}
	if size < int64(len(signature)) {
		return fmt.Errorf("%s: %w: only %d bytes", path, ErrNotHDF5, size)
	}
	return fmt.Errorf("%s: %w: no HDF5 signature", path, ErrNotHDF5)
}

// endOfFile returns the end-of-file address of a superblock (format specification,
// sections II.A: versions 0 to 3).
func endOfFile(block []byte) (uint64, bool) {
	if len(block) < 48 {
		return 0, false
	}
	var width, at int
	switch version := block[8]; version {
	case 0, 1:
		width = int(block[13])
		at = 24 + 4*int(version) + 2*width
	case 2, 3:
		width = int(block[9])
		at = 12 + 2*width
	default:
		return 0, false
	}
	if width != 2 && width != 4 && width != 8 || at+width > len(block) {
		return 0, false
	}
	field := make([]byte, 8)
	copy(field, block[at:at+width])
	return binary.LittleEndian.Uint64(field), true
}
