package h5

// #cgo CFLAGS: -O2 -Wall
// #cgo linux,amd64 CFLAGS: -I/usr/include/hdf5/serial
// #cgo linux,arm64 CFLAGS: -I/usr/include/hdf5/serial
// #cgo linux,amd64 LDFLAGS: -L/usr/lib/x86_64-linux-gnu/hdf5/serial
// #cgo linux,arm64 LDFLAGS: -L/usr/lib/aarch64-linux-gnu/hdf5/serial
// #cgo LDFLAGS: -lhdf5
// #include "h5.h"
import "C"

import (
	"runtime"
	"sync"
)

// calls hands work to the goroutine that owns libhdf5. There is one in a process
// because libhdf5 has one state in a process; it starts with the first call.
var calls = sync.OnceValue(func() chan<- func() {
	queue := make(chan func())
	go func() {
		runtime.LockOSThread()
		C.h5_prepare_thread()
		for call := range queue {
			call()
		}
	}()
	return queue
})

// onLibrary runs call on the goroutine that owns libhdf5 and returns its error.
// Calls run one at a time; call must not call onLibrary itself.
func onLibrary(call func() error) error {
	done := make(chan error)
	calls() <- func() { done <- call() }
	return <-done
}

// lastError returns the error stack of the libhdf5 call that has just failed on
// this thread. Another call, even a successful one, clears it.
func lastError() error {
	var text [C.H5_TEXT]C.char
	C.h5_error_text(&text[0])
	return newLibError(C.GoString(&text[0]))
}
