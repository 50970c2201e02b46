package cpu

// The C standard in CFLAGS turns off contraction to fused operations.

// #cgo CFLAGS: -O3 -std=c11 -fopenmp-simd -Wall -Wno-unknown-pragmas
// #cgo LDFLAGS: -lm -lpthread
// #include "cpu.h"
// #include <stdlib.h>
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// Options chooses how a device runs. The zero value is the fastest.
type Options struct {
	// Threads is the number of threads; 0: one per core.
	Threads int
	// Instruction is one of [Instructions]; empty: the ones measured to be fastest, "avx2", and "avx512" for kernels with 27
	// points and coefficients that vary and for cycles, which give the same bits.
	Instruction string
	// Cache is the number of bytes that each cache is taken to hold at most; 0: what the machine has.
	Cache int
	// Sharers is the number of devices, this one among them, that work at a time and share the last cache, as ranks of a host do; 0: one.
	Sharers int
}

// Device runs kernels on the host's cores. It implements [kernels.Device]; kernels have finished when their method
// returns.
type Device struct {
	kernels.SlotBook
	instruction string
	threads     int
	pool        *C.cv_pool
	tables      [2]*C.cv_kernel          // by kernels.Elem
	wide        [2]*C.cv_kernel          // those of kernels that gain from the widest vectors
	widest      string                   // their instruction set
	state       *state                   // arguments of kernels and reduction slots, in C memory
	partials    []float64                // of reductions, in C memory
	rowsOfSlots [kernels.Slots][]float64 // the sums of rows in a slot, of boxes of which not all rows count
	allocations int                      // buffers made so far
	scratch     int                      // bytes of scratch memory per thread
	llc, l2     int                      // cache sizes in bytes
	model       string
	job         job              // the call under way
	part        kernels.Elliptic // of the operator of a call that makes others
	failure     call.Failure     // the first
	plan        *call.Plan       // notes kernels instead of running them; nil: they run
}

var _ kernels.Device = (*Device)(nil)

// errClosed is the failure of a closed device.
var errClosed = errors.New("device is closed")

// New opens the host's cores as a device. It fails for an instruction set that the machine does not have and when
// threads cannot be started.
func New(opts Options) (*Device, error) {
	d := &Device{threads: opts.Threads, instruction: opts.Instruction}
	d.failure, d.job.d = call.Failure{Backend: "cpu", Find: d.find}, d
	if d.threads < 0 {
		return nil, fmt.Errorf("cpu: %d threads", d.threads)
	}
	if d.threads == 0 {
		d.threads = runtime.NumCPU()
	}
	if d.instruction == "" {
		d.instruction = fastest()
	}
	var err error
	if d.tables, err = tables(d.instruction); err != nil {
		return nil, err
	}
	d.wide, d.widest = d.tables, d.instruction
	if opts.Instruction == "" {
		d.widest = widest()
		if d.wide, err = tables(d.widest); err != nil {
			return nil, err
		}
	}
	d.state = (*state)(C.calloc(1, C.size_t(unsafe.Sizeof(state{}))))
	if d.state == nil {
		return nil, errors.New("cpu: no memory for a device")
	}
	d.pool = C.cv_pool_new(C.int(d.threads))
	if d.pool == nil {
		C.free(unsafe.Pointer(d.state))
		return nil, fmt.Errorf("cpu: cannot start %d threads", d.threads)
	}
	d.llc, d.l2 = int(C.cv_cache_bytes(3))/max(opts.Sharers, 1), int(C.cv_cache_bytes(2))
	if opts.Cache > 0 {
		d.llc, d.l2 = min(d.llc, opts.Cache), min(d.l2, opts.Cache)
	}
	d.model = modelName()
	return d, nil
}

// Info describes the host.
func (d *Device) Info() kernels.Info {
	return kernels.Info{
		Name:        "cpu",
		Description: d.model,
		Instruction: d.instruction,
		Threads:     d.threads,
		MemoryTotal: int64(C.cv_memory(0)),
		MemoryFree:  int64(C.cv_memory(1)),
		LastCache:   int64(d.llc),
		Products:    products,
	}
}

// Sync returns the first failure of a kernel; nothing is ever pending.
func (d *Device) Sync() error { return d.failure.Err }

// Close stops the threads. Buffers that are still allocated are not released.
func (d *Device) Close() error {
	if d.pool == nil {
		return nil
	}
	C.cv_pool_free(d.pool)
	C.free(unsafe.Pointer(d.state))
	C.free(unsafe.Pointer(unsafe.SliceData(d.partials)))
	d.pool, d.partials = nil, nil
	d.state = new(state) // kernels of a closed device fill in arguments, but do not run
	d.failure.Set(errClosed)
	return nil
}

// Scalars returns the reduction slots.
func (d *Device) Scalars() ([]float64, error) {
	if d.failure.Err != nil {
		return nil, d.failure.Err
	}
	return d.state.slots[:], nil
}
