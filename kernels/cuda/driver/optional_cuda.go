//go:build cuda

package driver

// #include "gpu.h"
import "C"

import (
	"errors"
	"time"
	"unsafe"
)

var (
	_ Recorder = (*gpu)(nil)
	_ Streamer = (*gpu)(nil)
	_ Listener = (*gpu)(nil)
	_ Timer    = (*gpu)(nil)
	_ Peer     = (*gpu)(nil)
)

// BeginCapture starts to record.
func (g *gpu) BeginCapture() error { return check("begin to record", C.cv_gpu_begin_capture(g.c)) }

// EndCapture makes a graph of what was recorded.
func (g *gpu) EndCapture() (Graph, error) {
	r := &recorded{gpu: g}
	if err := check("record", C.cv_gpu_end_capture(g.c, &r.graph)); err != nil {
		return nil, err
	}
	return r, nil
}

// recorded is a graph on the GPU.
type recorded struct {
	gpu   *gpu
	graph C.CUgraphExec
}

// Launch queues the graph.
func (r *recorded) Launch() error {
	return check("launch what was recorded", C.cv_gpu_launch_graph(r.gpu.c, r.graph))
}

// Close frees the graph.
func (r *recorded) Close() error {
	return check("free what was recorded", C.cv_gpu_free_graph(r.gpu.c, r.graph))
}

// AllocHost returns pinned memory.
func (g *gpu) AllocHost(bytes int) (unsafe.Pointer, error) {
	var p unsafe.Pointer
	err := check("allocate on the host", C.cv_gpu_alloc_host(g.c, &p, C.size_t(bytes)))
	return p, err
}

// FreeHost frees pinned memory.
func (g *gpu) FreeHost(p unsafe.Pointer) { C.cv_gpu_free_host(g.c, p) }

// Heard looks at the memory.
func (g *gpu) Heard(p unsafe.Pointer, number uint32) error {
	return g.waited("hear", C.cv_gpu_heard(g.c, (*C.uint32_t)(p), C.uint32_t(number)))
}

// DownloadAsync queues a download on the second stream.
func (g *gpu) DownloadAsync(dst unsafe.Pointer, src uintptr, bytes int) (Pending, error) {
	d := &download{gpu: g}
	err := check("download", C.cv_gpu_download_beside(g.c, C.uintptr_t(uintptr(dst)), C.CUdeviceptr(src), C.size_t(bytes), &d.done))
	if err != nil {
		return nil, err
	}
	return d, nil
}

// download is a Pending of the second stream.
type download struct {
	gpu  *gpu
	done C.CUevent
}

// Await holds back the first stream.
func (g *gpu) Await(p Pending) error {
	return check("await a download", C.cv_gpu_hold(g.c, p.(*download).done))
}

// Wait waits on the host.
func (d *download) Wait() error { return check("download", C.cv_gpu_wait(d.gpu.c, d.done)) }

// Reaches asks the driver, and lets kernels of this GPU at the memory of the other.
func (g *gpu) Reaches(other GPU) bool {
	o, ok := other.(*gpu)
	var can C.int
	return ok && C.cv_gpu_reach(g.c, o.c, &can) == C.CUDA_SUCCESS && can != 0
}

// Give records an event of the stream.
func (g *gpu) Give() error { return check("give", C.cv_gpu_give(g.c)) }

// Take makes the stream wait for the event of the other's.
func (g *gpu) Take(other GPU) error {
	o, ok := other.(*gpu)
	if !ok {
		return errors.New("await another GPU: it is none of the driver's")
	}
	return check("await another GPU", C.cv_gpu_take(g.c, o.c))
}

// Beside: two GPUs, not one that was opened twice.
func (g *gpu) Beside(other GPU) bool {
	o, ok := other.(*gpu)
	return ok && o.device != g.device
}

// Loading tells whether kernels are being loaded.
func (g *gpu) Loading() bool { return g.loading.Load() }

// Mark queues an event.
func (g *gpu) Mark(n int) error { return check("mark", C.cv_gpu_mark(g.c, C.int(n))) }

// Elapsed waits for two events.
func (g *gpu) Elapsed(from, to int) (time.Duration, error) {
	var ms C.float
	err := check("time", C.cv_gpu_elapsed(g.c, C.int(from), C.int(to), &ms))
	return time.Duration(float64(ms) * float64(time.Millisecond)), err
}
