//go:build cuda

package driver

// #include "gpu.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// Alloc returns zeroed memory; the driver aligns it to at least 256 bytes.
func (g *gpu) Alloc(bytes int) (uintptr, error) {
	var p C.CUdeviceptr
	err := check("allocate", C.cv_gpu_alloc(g.c, &p, C.size_t(bytes)))
	return uintptr(p), err
}

// Free waits until the memory is not used any more, and frees it.
func (g *gpu) Free(p uintptr) { C.cv_gpu_free(g.c, C.CUdeviceptr(p)) }

// Upload queues a copy from the host.
func (g *gpu) Upload(dst uintptr, src unsafe.Pointer, bytes int) error {
	err := check("upload", C.cv_gpu_upload(g.c, C.CUdeviceptr(dst), C.uintptr_t(uintptr(src)), C.size_t(bytes)))
	runtime.KeepAlive(src)
	return err
}

// Download waits and copies to the host.
func (g *gpu) Download(dst unsafe.Pointer, src uintptr, bytes int) error {
	err := g.waited("download", C.cv_gpu_download(g.c, C.uintptr_t(uintptr(dst)), C.CUdeviceptr(src), C.size_t(bytes)))
	runtime.KeepAlive(dst)
	return err
}

// Copy queues a copy on the GPU.
func (g *gpu) Copy(dst, src uintptr, bytes int) error {
	return check("copy", C.cv_gpu_copy(g.c, C.CUdeviceptr(dst), C.CUdeviceptr(src), C.size_t(bytes)))
}

// Set queues the setting of bytes.
func (g *gpu) Set(dst uintptr, value byte, bytes int) error {
	return check("set", C.cv_gpu_set(g.c, C.CUdeviceptr(dst), C.int(value), C.size_t(bytes)))
}
