package mpi

// #cgo LDFLAGS: -ldl
// #include "mpi.h"
// #include <stdlib.h>
import "C"

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"convect/kernels/link"
)

// LibraryVariable names the variable of the environment that names the library of MPI.
const LibraryVariable = "CONVECT_MPI"

// Tags of messages.
const (
	tagBlock = iota + 1
	tagLife
	tagFailure
)

// largest is the most bytes that one message of MPI takes.
const largest = 1 << 30

// World is the link of all processes that a launcher has started.
type World struct {
	// Library is the file of MPI that was loaded.
	Library string
	// Hosts are the names of the machines of all ranks.
	Hosts []string

	rank, size int
	patience   time.Duration
	calls      sync.Mutex // one call of MPI at a time
	messages   []C.struct_link_message
	room       *C.struct_link_message // in memory of C
	rooms      int
	pinned     runtime.Pinner
	broken     atomic.Pointer[error] // why there are no more exchanges
	watch      *watch
}

var _ link.Link = (*World)(nil)

// Options say how processes are joined.
type Options struct {
	// Patience is for how long of its own running time a rank waits for a sign of life of another; 0: [Patience].
	Patience time.Duration
}

// Join loads MPI and joins the processes of a launcher. It returns when all have.
func Join(l *Launcher, o Options) (*World, error) {
	w := &World{patience: o.Patience}
	if w.patience == 0 {
		w.patience = Patience
	}
	// UCX, below MPI, would take the signals of faults from Go as soon as it is loaded.
	if _, given := os.LookupEnv("UCX_ERROR_SIGNALS"); !given {
		setC("UCX_ERROR_SIGNALS", "")
	}
	if err := w.load(l); err != nil {
		return nil, fmt.Errorf("this process was started by a launcher of MPI (%s is set), but %w. Name the file with %s=PATH, or start convect without the launcher",
			l.Name, err, LibraryVariable)
	}
	var rank, size C.int
	if code := C.link_init(&rank, &size); code != 0 {
		return nil, fmt.Errorf("MPI_Init_thread of %s: %w", w.Library, failure(code))
	}
	w.rank, w.size = int(rank), int(size)
	if l.size > 0 && (w.size != l.size || w.rank != l.rank) {
		return nil, fmt.Errorf("the launcher has started %d processes, and %s knows of %d: it belongs to another MPI. Name the launcher's own with %s=PATH", l.size, w.Library,
			w.size, LibraryVariable)
	}
	if err := w.meet(); err != nil {
		return nil, err
	}
	w.watch = newWatch(w)
	return w, nil
}

// setC sets a variable of the environment, which libraries of C read.
func setC(name, value string) {
	n, v := C.CString(name), C.CString(value)
	defer C.free(unsafe.Pointer(n))
	defer C.free(unsafe.Pointer(v))
	C.setenv(n, v, 1)
}

// libraries are names by which MPI is looked for, and how it names its handles.
var libraries = map[bool][]struct {
	name string
	abi  C.int
}{
	true:  {{"libmpi.so.40", C.MPI_OPEN}, {"libmpi.so", C.MPI_OPEN}, {"libmpi_abi.so.0", C.MPI_STANDARD}},
	false: {{"libmpi.so.12", C.MPI_CH}, {"libmpich.so.12", C.MPI_CH}, {"libmpi_abi.so.0", C.MPI_STANDARD}, {"libmpich.so", C.MPI_CH}},
}

// load loads the library that goes with a launcher, or the one that the environment names.
func (w *World) load(l *Launcher) error {
	if own := os.Getenv(LibraryVariable); own != "" {
		abis := []C.int{C.MPI_OPEN, C.MPI_CH}
		if strings.Contains(filepath.Base(own), "mpi_abi") {
			abis = []C.int{C.MPI_STANDARD}
		}
		w.Library = own
		var err error
		for _, abi := range abis {
			if err = open(own, abi); err == nil {
				return nil
			}
		}
		return err
	}
	var all []error
	for _, library := range libraries[l.open] {
		err := open(library.name, library.abi)
		if err == nil {
			w.Library = library.name
			return nil
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}

func open(path string, abi C.int) error {
	p := C.CString(path)
	defer C.free(unsafe.Pointer(p))
	if wrong := C.link_load(p, abi); wrong != nil {
		return fmt.Errorf("%s cannot be loaded: %s", path, C.GoString(wrong))
	}
	return nil
}

// failure returns a code of MPI as an error.
func failure(code C.int) error {
	text := (*C.char)(C.calloc(1, 8192))
	defer C.free(unsafe.Pointer(text))
	C.link_text(code, text)
	return errors.New(C.GoString(text))
}

// meet tells all ranks where each of them runs.
func (w *World) meet() error {
	const room = 256
	own := make([]byte, room)
	host, _ := os.Hostname() // without a name it has none in messages either
	copy(own[:room-1], host)
	all, err := link.GatherAll(w, own, link.Alike(w, room))
	for n := range w.size {
		if err == nil {
			name, _, _ := strings.Cut(string(all[n*room:][:room]), "\x00")
			w.Hosts = append(w.Hosts, name)
		}
	}
	return err
}

// Rank returns the number of this process.
func (w *World) Rank() int { return w.rank }

// Size returns the number of processes.
func (w *World) Size() int { return w.size }

// Exchange sends blocks and receives others. It fails where a rank is lost or has failed, or MPI does.
func (w *World) Exchange(send, receive []link.Block) error {
	w.messages = w.messages[:0]
	for n, blocks := range [][]link.Block{send, receive} {
		for _, b := range blocks {
			w.add(b, n)
		}
	}
	defer w.pinned.Unpin()
	return w.pass()
}

// add adds the messages of a block.
func (w *World) add(b link.Block, receives int) {
	for first := true; first || len(b.Bytes) > 0; first = false {
		n := min(len(b.Bytes), largest)
		m := C.struct_link_message{count: C.int(n), rank: C.int(b.Rank), tag: tagBlock, receives: C.int(receives)}
		if n > 0 {
			p := unsafe.Pointer(unsafe.SliceData(b.Bytes))
			w.pinned.Pin(p)
			m.bytes = p
		}
		w.messages = append(w.messages, m)
		b.Bytes = b.Bytes[n:]
	}
}

// How long who waits asks again and again, and lets others have the core between, before it sleeps; and how long it sleeps.
const (
	eager    = 2 * time.Millisecond
	patient  = 50 * time.Millisecond
	shortNap = 30 * time.Microsecond
	longNap  = time.Millisecond
	slice    = 100 * time.Microsecond // for which it asks at most while no other may
)

// pass starts the messages and waits for them.
func (w *World) pass() error {
	n := len(w.messages)
	if n == 0 {
		return nil
	}
	if n > w.rooms {
		C.free(unsafe.Pointer(w.room))
		w.rooms = 2 * n
		w.room = (*C.struct_link_message)(C.calloc(C.size_t(w.rooms), C.size_t(unsafe.Sizeof(C.struct_link_message{}))))
	}
	copy(unsafe.Slice(w.room, n), w.messages)
	w.calls.Lock()
	code := C.link_start(w.room, C.int(n))
	w.calls.Unlock()
	var begin time.Time
	budget := slice
	for code == 0 {
		var left C.int
		w.calls.Lock()
		code = C.link_wait(w.room, C.int(n), C.int64_t(budget), &left)
		w.calls.Unlock()
		if code == 0 && left == 0 {
			return nil
		}
		if err := w.broken.Load(); err != nil {
			return *err
		}
		if begin.IsZero() {
			begin = time.Now()
		}
		switch waited := time.Since(begin); {
		case waited > patient:
			C.link_sleep(C.int64_t(longNap))
			budget = 0
		case waited > eager: // Go's own sleep takes a millisecond at least
			C.link_sleep(C.int64_t(shortNap))
			budget = 0
		}
	}
	err := fmt.Errorf("%s: %w", w.Library, failure(code))
	w.fail(err)
	return err
}

// fail lets all exchanges fail from now on, unless they do already.
func (w *World) fail(err error) { w.broken.CompareAndSwap(nil, &err) }

// Err returns why there are no more exchanges, nil where there are.
func (w *World) Err() error {
	if err := w.broken.Load(); err != nil {
		return *err
	}
	return nil
}

// lastWords is how long launchers are left to pass on what processes have printed: MPICH's drops what it has not read when it ends them.
const lastWords = 300 * time.Millisecond

// Abort ends all processes of the launcher, with an exit code.
func (w *World) Abort(code int) {
	time.Sleep(lastWords)
	w.calls.Lock()
	defer w.calls.Unlock()
	C.link_abort(C.int(code))
}

// Close leaves MPI, when all ranks do.
func (w *World) Close() error {
	if w.watch != nil {
		w.watch.end()
	}
	if _, err := link.GatherAll(w, nil, link.Alike(w, 0)); err != nil {
		return err
	}
	if w.watch != nil {
		w.watch.drain()
	}
	w.calls.Lock()
	defer w.calls.Unlock()
	if code := C.link_finish(); code != 0 {
		return fmt.Errorf("MPI_Finalize of %s: %w", w.Library, failure(code))
	}
	return nil
}
