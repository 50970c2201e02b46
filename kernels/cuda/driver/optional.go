package driver

import (
	"time"
	"unsafe"
)

// Recorder is a GPU that records launches, copies and settings instead of running them, to replay them cheaply.
type Recorder interface {
	// BeginCapture starts to record. Until EndCapture only Launch, Copy and Set may be called.
	BeginCapture() error
	EndCapture() (Graph, error)
}

// Graph is a record of a Recorder. Arguments are those of the recording; only what they point at may have changed.
type Graph interface {
	// Launch queues all that was recorded.
	Launch() error
	Close() error
}

// Streamer is a GPU that downloads while kernels run.
type Streamer interface {
	// AllocHost returns host memory that the GPU writes to by itself.
	AllocHost(bytes int) (unsafe.Pointer, error)
	FreeHost(p unsafe.Pointer)
	// DownloadAsync copies to memory of AllocHost once all that was queued before is done, beside what is queued later,
	// which must not write to src before Await.
	DownloadAsync(dst unsafe.Pointer, src uintptr, bytes int) (Pending, error)
	// Await holds back what is queued from now on until the download is done.
	Await(p Pending) error
}

// Listener is a GPU whose kernels tell the host that they have come so far by a number that they write to its memory.
type Listener interface {
	Streamer
	// Heard waits for the number at p, which is memory of AllocHost, or one after it, and fails if the GPU does, or has done all without writing it. Numbers go round: after
	// the largest comes 0.
	Heard(p unsafe.Pointer, number uint32) error
}

// Pending is a download under way.
type Pending interface {
	// Wait returns once the values are on the host. It must be called once.
	Wait() error
}

// Peer is a GPU whose kernels may read the memory of others.
type Peer interface {
	// Reaches tells whether kernels of this GPU may read memory of another one, which is seen to when it is first asked.
	Reaches(other GPU) bool
	// Give notes what this GPU has been given so far, for the Take of others.
	Give() error
	// Take holds back what is queued from now on until all is done that a GPU that this one reaches had been given at its last Give.
	Take(other GPU) error
	// Beside tells whether a kernel of this GPU and one of another run at a time, whatever else is queued, so that they may wait for each other.
	Beside(other GPU) bool
	// Loading tells, also on another thread, whether kernels are being loaded, which takes minutes where a driver compiles them.
	Loading() bool
}

// Communicant is a GPU that sends memory to GPUs of other processes and gets some from them, in the order of its stream.
type Communicant interface {
	// NewCommunicator returns by what ranks that join know each other; it fails where GPUs of other processes cannot be reached by themselves.
	NewCommunicator() (id []byte, err error)
	// Communicate joins the ranks, which all call it with the id that one of them has made, and waits for them.
	Communicate(id []byte, rank, size int) (Communicator, error)
}

// Communicator is what a GPU has of those of other ranks.
type Communicator interface {
	// Name is that of the library, with its version.
	Name() string
	// Exchange queues messages, which all begin at a time; it is recorded as launches are. Each must be received, in as many bytes, by an exchange of the other rank.
	Exchange(send, receive []Message) error
	// Close leaves the others; lost: they may not answer.
	Close(lost bool) error
}

// Message is memory that goes to another rank or comes from it.
type Message struct {
	Rank    int
	Address uintptr
	Bytes   int
}

// Timer is a GPU with a clock on the device.
type Timer interface {
	// Mark queues mark n, from 0 to 63: the time when the device gets there.
	Mark(n int) error
	// Elapsed waits for both marks and returns the time between them.
	Elapsed(from, to int) (time.Duration, error)
}

// Modules are compiled kernels: those of package modules, or of another package.
type Modules interface {
	// Kernels tells in which module each kernel is.
	Kernels() map[string]string
	// Image returns a module, to be loaded as it is.
	Image(module string) string
}

// Loader is a GPU that runs the kernels of further modules.
type Loader interface {
	// Load adds the kernels of a set of modules, unless one of that name has been.
	Load(name string, m Modules)
}
