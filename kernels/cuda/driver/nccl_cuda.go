//go:build cuda

package driver

// #include <stdlib.h>
// #include "nccl.h"
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

var _ Communicant = (*gpu)(nil)

// Names in the environment: the file of NCCL, and that it is left alone.
const (
	ncclVariable   = "CONVECT_NCCL"
	noNCCLVariable = "CONVECT_NO_NCCL"
)

// loadNCCL loads NVIDIA's library for messages between GPUs.
func loadNCCL() error {
	if os.Getenv(noNCCLVariable) != "" {
		return fmt.Errorf("NCCL is not wanted: %s is set", noNCCLVariable)
	}
	// Messages from one to another need no multicast, for which it would set memory apart, and memory of messages within graphs is not to be treated as another's.
	for _, name := range []string{"NCCL_NVLS_ENABLE", "NCCL_GRAPH_REGISTER"} {
		if os.Getenv(name) == "" {
			os.Setenv(name, "0")
		}
	}
	name := os.Getenv(ncclVariable)
	if name == "" {
		name = "libnccl.so.2"
	}
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	if why := C.cv_nccl_load(text); why != nil {
		return fmt.Errorf("no NCCL: %s", C.GoString(why))
	}
	return nil
}

// checkNCCL returns the error of a result.
func checkNCCL(what string, result C.int) error {
	if result == 0 {
		return nil
	}
	return fmt.Errorf("%s: NCCL error %d: %s", what, int(result), C.GoString(C.cv_nccl_text(result)))
}

// waited returns the error of a wait for all that was queued, which may be for GPUs of other processes.
func (g *gpu) waited(what string, r C.CUresult) error {
	switch lost := g.c.lost; {
	case r == C.CUDA_SUCCESS || lost == 0:
		return check(what, r)
	case lost == C.cv_lost_silent:
		return fmt.Errorf("%s: GPUs of other processes have sent nothing for %d s (NCCL)", what, int(C.cv_nccl_seconds))
	default:
		return checkNCCL(what+": messages of GPUs of other processes", lost)
	}
}

// NewCommunicator makes an id of NCCL.
func (g *gpu) NewCommunicator() ([]byte, error) {
	if err := loadNCCL(); err != nil {
		return nil, err
	}
	id := make([]byte, C.cv_nccl_id_bytes)
	if err := checkNCCL("begin", C.cv_nccl_new_id((*C.char)(unsafe.Pointer(&id[0])))); err != nil {
		return nil, err
	}
	return id, nil
}

// Communicate joins the ranks of an id.
func (g *gpu) Communicate(id []byte, rank, size int) (Communicator, error) {
	if err := loadNCCL(); err != nil {
		return nil, err
	}
	if len(id) != C.cv_nccl_id_bytes {
		return nil, fmt.Errorf("an id of %d bytes is none of NCCL", len(id))
	}
	r := C.cv_nccl_join(g.c, (*C.char)(unsafe.Pointer(&id[0])), C.int(rank), C.int(size))
	if r == C.cv_lost_silent {
		return nil, fmt.Errorf("NCCL did not bring the GPUs together within %d s (NCCL_DEBUG=INFO lets it say what it waits for)", int(C.cv_nccl_join_seconds))
	}
	if err := checkNCCL("join", r); err != nil {
		return nil, err
	}
	return communicator{g}, nil
}

// communicator is that of a GPU.
type communicator struct{ gpu *gpu }

// Name returns the version.
func (communicator) Name() string {
	v := int(C.cv_nccl_version())
	return fmt.Sprintf("NCCL %d.%d.%d", v/10000, v/100%100, v%100)
}

// Exchange queues messages.
func (c communicator) Exchange(send, receive []Message) error {
	out, in := messages(send), messages(receive)
	r := C.cv_nccl_exchange(c.gpu.c, unsafe.SliceData(out), C.int(len(out)), unsafe.SliceData(in), C.int(len(in)))
	runtime.KeepAlive(out)
	runtime.KeepAlive(in)
	return checkNCCL("exchange", r)
}

// messages are those of C.
func messages(all []Message) (of []C.cv_message) {
	for _, m := range all {
		of = append(of, C.cv_message{address: C.uintptr_t(m.Address), bytes: C.size_t(m.Bytes), rank: C.int(m.Rank)})
	}
	return of
}

// Close leaves.
func (c communicator) Close(lost bool) error {
	if c.gpu.c == nil {
		return nil
	}
	gone := C.int(0)
	if lost {
		gone = 1
	}
	return checkNCCL("leave", C.cv_nccl_leave(c.gpu.c, gone))
}
