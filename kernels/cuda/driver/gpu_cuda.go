//go:build cuda

package driver

// #cgo noescape cv_gpu_launch
// #cgo nocallback cv_gpu_launch
// #include <stdlib.h>
// #include "gpu.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"unsafe"

	"gorgonia.org/cu"

	"convect/kernels/cuda/modules"
)

// gpu is a GPU of NVIDIA.
type gpu struct {
	device  cu.Device
	info    Info
	c       *C.cv_gpu
	context cu.CUContext
	sets    map[string]Modules // by name
	images  map[string]image   // of each kernel
	loaded  map[image]cu.Module
	kernels map[string]*kernel
	loading atomic.Bool // asked for by other threads
}

// kernel is a kernel of a module that is loaded.
type kernel struct {
	function C.CUfunction
	shared   int   // bytes of dynamic shared memory that it may have
	waits    C.int // 1: it waits itself for what was queued before it
}

// image is a module of a set.
type image struct{ set, module string }

// oneByOne, in the environment, lets a kernel's blocks come only when the kernel before has ended, on any GPU.
const oneByOne = "CONVECT_ONE_BY_ONE"

// freeShared is the dynamic shared memory that a kernel may have without asking, where it has some of its own besides: 25 KiB at most, of 48.
const freeShared = 22 << 10

// Open opens a GPU. It fails if the GPU is older than what the kernels were compiled for: compute capability
// 7.0, or 7.5 by nvcc 13.
func Open(ordinal int) (GPU, error) {
	all, err := Devices()
	if err != nil {
		return nil, fmt.Errorf("cuda: %w", err)
	}
	if ordinal < 0 || ordinal >= len(all) {
		return nil, fmt.Errorf("cuda: there is no GPU %d, only %d", ordinal, len(all))
	}
	g := &gpu{info: all[ordinal], sets: map[string]Modules{}, images: map[string]image{}, loaded: map[image]cu.Module{}, kernels: map[string]*kernel{}}
	built := modules.Built()
	g.Load("product", built)
	if major, minor := built.Oldest(); g.info.Major < major || g.info.Major == major && g.info.Minor < minor {
		return nil, fmt.Errorf("cuda: %s has compute capability %d.%d, below %d.%d", g.info.Name, g.info.Major, g.info.Minor, major, minor)
	}
	if err := g.open(ordinal); err != nil {
		return nil, fmt.Errorf("cuda: open %s: %w", g.info.Name, err)
	}
	return g, nil
}

// open makes the context and the streams.
func (g *gpu) open(ordinal int) (err error) {
	if g.device, err = cu.GetDevice(ordinal); err != nil {
		return err
	}
	if g.context, err = g.device.RetainPrimaryCtx(); err != nil {
		return err
	}
	g.c = (*C.cv_gpu)(C.calloc(1, C.sizeof_cv_gpu))
	err = g.within(func() error { return check("make streams", C.cv_gpu_open(g.c)) })
	if err != nil {
		g.device.ReleasePrimaryCtx()
		C.free(unsafe.Pointer(g.c))
	}
	return err
}

// within does something in the GPU's context.
func (g *gpu) within(do func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cu.SetCurrentContext(g.context); err != nil {
		return err
	}
	return do()
}

// check returns the error of a result.
func check(what string, r C.CUresult) error {
	if r == C.CUDA_SUCCESS {
		return nil
	}
	return fmt.Errorf("%s: CUDA error %d %s: %s", what, int(r), C.GoString(C.cv_error_name(r)), C.GoString(C.cv_error_text(r)))
}

// Info describes the GPU.
func (g *gpu) Info() Info {
	i := g.info
	var free C.size_t
	if C.cv_gpu_memory(g.c, &free) == C.CUDA_SUCCESS {
		i.Memory = int(free)
	}
	return i
}

// Launch queues a kernel.
func (g *gpu) Launch(name string, grid, block [3]int, shared int, args unsafe.Pointer, size uintptr) error {
	k, err := g.kernel(name)
	if err != nil {
		return err
	}
	if shared > k.shared {
		if err := check(name+": shared memory", C.cv_gpu_allow_shared(g.c, k.function, C.int(shared))); err != nil {
			return err
		}
		k.shared = shared
	}
	var shape [7]C.uint
	for i := range grid {
		shape[i], shape[3+i] = C.uint(grid[i]), C.uint(block[i])
	}
	shape[6] = C.uint(shared)
	r := C.cv_gpu_launch(g.c, k.function, &shape[0], k.waits, C.uintptr_t(uintptr(args)))
	runtime.KeepAlive(args)
	if r != C.CUDA_SUCCESS {
		return check(fmt.Sprintf("%s: launch of %v blocks of %v threads", name, grid, block), r)
	}
	return nil
}

// kernel returns a kernel, loading its module when first asked for one of its kernels.
func (g *gpu) kernel(name string) (*kernel, error) {
	if k := g.kernels[name]; k != nil {
		return k, nil
	}
	in, known := g.images[name]
	if !known {
		return nil, fmt.Errorf("%s: there is no such kernel", name)
	}
	k := &kernel{shared: freeShared}
	g.loading.Store(true)
	defer g.loading.Store(false)
	err := g.within(func() error {
		m, err := g.module(in)
		if err != nil {
			return fmt.Errorf("load %s: %w", in.module, err)
		}
		f, err := m.Function(name)
		if err != nil {
			return err
		}
		k.function = *(*C.CUfunction)(unsafe.Pointer(&f)) // all that a Function holds
		if os.Getenv(oneByOne) != "" {
			return nil
		}
		return check("ask what it was compiled for", C.cv_gpu_waits(g.c, k.function, &k.waits))
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	g.kernels[name] = k
	return k, nil
}

// Load adds the kernels of a set of modules, unless they have been.
func (g *gpu) Load(name string, m Modules) {
	if g.sets[name] != nil {
		return
	}
	g.sets[name] = m
	for kernel, module := range m.Kernels() {
		g.images[kernel] = image{name, module}
	}
}

// module returns a module, loaded.
func (g *gpu) module(in image) (cu.Module, error) {
	if m, ok := g.loaded[in]; ok {
		return m, nil
	}
	m, err := cu.LoadData(g.sets[in.set].Image(in.module))
	if err == nil {
		g.loaded[in] = m
	}
	return m, err
}

// Sync waits for all that was queued.
func (g *gpu) Sync() error { return g.waited("wait", C.cv_gpu_sync(g.c)) }

// Close waits, and gives the GPU back.
func (g *gpu) Close() error {
	if g.c == nil {
		return nil
	}
	err := g.within(func() (err error) {
		for _, m := range g.loaded {
			err = errors.Join(err, m.Unload())
		}
		return err
	})
	err = errors.Join(check("close", C.cv_gpu_close(g.c)), err, g.device.ReleasePrimaryCtx())
	C.free(unsafe.Pointer(g.c))
	g.c = nil
	return err
}
