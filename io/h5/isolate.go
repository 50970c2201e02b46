package h5

// #include <stdlib.h>
// #include "h5.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
)

const (
	// childMemory is what a child may allocate beyond its parent's memory.
	childMemory = 2 << 30
	// childSeconds is the processor time of a child for the structure of a file;
	// childRate is the slowest reading of values, bytes a second, beyond that.
	childSeconds = 20
	childRate    = 5 << 20
	// catalogueSize bounds the list of objects of a file; memory is taken as needed.
	catalogueSize = 64 << 20
)

// readJob asks for the values of a dataset, or for the catalogue where dataset is "".
type readJob struct {
	path    string
	dataset string
	memory  int // asStored, …
}

// fill gives the C job its strings; the caller frees them.
func (j readJob) fill(job *C.struct_h5_job, capacity int) (free func()) {
	file := C.CString(j.path)
	job.file, job.memory, job.capacity = file, C.int(j.memory), C.size_t(capacity)
	var dataset *C.char
	if j.dataset != "" {
		dataset = C.CString(j.dataset)
	}
	job.dataset = dataset
	return func() {
		C.free(unsafe.Pointer(file))
		C.free(unsafe.Pointer(dataset))
	}
}

// failure returns the error that a job reported: the file is damaged, unless a
// system call failed.
func (j readJob) failure(job *C.struct_h5_job) error {
	job.where[C.H5_TEXT-1], job.text[C.H5_TEXT-1] = 0, 0
	err := newLibError(C.GoString(&job.text[0]))
	if errors.Unwrap(err) != nil {
		return fmt.Errorf("%s: %w", j.path, err)
	}
	if where := C.GoString(&job.where[0]); where != "" {
		return damaged(j.path, "%s: %w", where, err)
	}
	return damaged(j.path, "%w", err)
}

// here runs the job in this process, for a file whose seal holds, and returns the
// number of bytes it put into out.
func (j readJob) here(out []byte) (int, error) {
	job := (*C.struct_h5_job)(C.calloc(1, C.sizeof_struct_h5_job))
	if job == nil {
		return 0, fmt.Errorf("%s: %w", j.path, syscall.ENOMEM)
	}
	defer C.free(unsafe.Pointer(job))
	defer j.fill(job, len(out))()
	err := onLibrary(func() error {
		if C.h5_run(job, (*C.uchar)(unsafe.SliceData(out))) != 0 {
			return j.failure(job)
		}
		return nil
	})
	runtime.KeepAlive(out)
	return int(job.used), err
}

// isolated runs the job in a child process, with room for capacity bytes, and
// hands what it returned to use, which must not keep it.
func (j readJob) isolated(capacity int, use func([]byte) error) error {
	const head = int(C.sizeof_struct_h5_job)
	shared, err := syscall.Mmap(-1, 0, head+capacity, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		return fmt.Errorf("%s: room for %d bytes: %w", j.path, capacity, err)
	}
	defer syscall.Munmap(shared)
	job := (*C.struct_h5_job)(unsafe.Pointer(&shared[0]))
	defer j.fill(job, capacity)()
	seconds := C.uint(childSeconds + capacity/childRate)
	err = onLibrary(func() error {
		out := (*C.uchar)(unsafe.Add(unsafe.Pointer(job), head))
		return j.outcome(job, C.h5_run_isolated(job, out, seconds, childMemory))
	})
	if err != nil {
		return err
	}
	used := int(job.used)
	if used < 0 || used > capacity {
		return damaged(j.path, "libhdf5 ran over its memory")
	}
	return use(shared[head : head+used])
}

// outcome explains how a child ended.
func (j readJob) outcome(job *C.struct_h5_job, code C.int) error {
	switch code {
	case 0:
		return nil
	case C.H5_CRASHED:
		signal := syscall.Signal(job.status)
		if signal == syscall.SIGXCPU || signal == syscall.SIGKILL {
			return damaged(j.path, "libhdf5 does not come to an end")
		}
		return damaged(j.path, "libhdf5 crashes on it (%s)", signal)
	case C.H5_NO_CHILD:
		return fmt.Errorf("%s: child process to read it: %w", j.path, syscall.Errno(job.status))
	}
	return j.failure(job)
}

// list returns the objects of the file.
func (j readJob) list(isolated bool) ([]Object, error) {
	var objects []Object
	decode := func(data []byte) (err error) {
		if objects, err = decodeCatalogue(data); err != nil {
			return damaged(j.path, "%w", err)
		}
		return nil
	}
	if isolated {
		return objects, j.isolated(catalogueSize, decode)
	}
	buffer, err := syscall.Mmap(-1, 0, catalogueSize, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("%s: room for its list of objects: %w", j.path, err)
	}
	defer syscall.Munmap(buffer)
	n, err := j.here(buffer)
	if err != nil {
		return nil, err
	}
	err = decode(buffer[:n])
	return objects, err
}

// read puts the values of the dataset into out, which they fill exactly.
func (j readJob) read(out []byte, isolated bool) error {
	if !isolated {
		_, err := j.here(out)
		return err
	}
	return j.isolated(len(out), func(data []byte) error {
		if copy(out, data) != len(out) {
			return errors.New("fewer values than expected")
		}
		return nil
	})
}
