package h5

// #include <stdlib.h>
// #include "h5.h"
import "C"

import "unsafe"

// listHere returns the objects of a file without a child.
func listHere(path string, capacity int) (objects []Object, err error) {
	job := (*C.struct_h5_job)(C.calloc(1, C.sizeof_struct_h5_job))
	defer C.free(unsafe.Pointer(job))
	job.file, job.capacity = C.CString(path), C.size_t(capacity)
	defer C.free(unsafe.Pointer(job.file))
	var list []byte
	err = onLibrary(func() error {
		out := C.h5_list_here(job)
		if out == nil {
			return readJob{path: path}.failure(C.GoString(&job.where[0]), C.GoString(&job.text[0]))
		}
		defer C.free(unsafe.Pointer(out))
		list = C.GoBytes(unsafe.Pointer(out), C.int(job.used))
		return nil
	})
	if err == nil {
		if objects, err = decodeCatalogue(list); err != nil {
			err = damaged(path, "%w", err)
		}
	}
	return objects, err
}
