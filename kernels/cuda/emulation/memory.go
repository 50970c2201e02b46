package emulation

// #include <string.h>
// #include <stdlib.h>
// #include "emulation.h"
//
// // Addresses are numbers: those of the device are no pointers to Go, and those of the host may lie in structs that hold
// // others, which cgo would refuse.
// static void move(uintptr_t to, uintptr_t from, size_t n) { memmove((void *)to, (const void *)from, n); }
// static void set(uintptr_t to, int value, size_t n) { memset((void *)to, value, n); }
// static void release(uintptr_t p) { free((void *)p); }
import "C"

import (
	"fmt"
	"runtime"
	"sort"
	"unsafe"
)

// memory is what was allocated on the device.
type memory struct {
	blocks []block // by address
	used   int
}

type block struct {
	at    uintptr
	bytes int
}

// after returns how many blocks begin at or before an address.
func (m *memory) after(p uintptr) int {
	return sort.Search(len(m.blocks), func(i int) bool { return m.blocks[i].at > p })
}

// holds fails where some of the bytes are not in one allocation.
func (m *memory) holds(what string, p uintptr, bytes int) error {
	i := m.after(p) - 1
	if i < 0 || bytes < 0 || p+uintptr(bytes) > m.blocks[i].at+uintptr(m.blocks[i].bytes) {
		return fmt.Errorf("%s of %d bytes at %#x, which are not in one allocation", what, bytes, p)
	}
	return nil
}

func (m *memory) clear() {
	for _, b := range m.blocks {
		C.release(C.uintptr_t(b.at))
	}
	*m = memory{}
}

// Alloc allocates zeroed memory.
func (d *GPU) Alloc(bytes int) (uintptr, error) {
	if err := d.idle("Alloc"); err != nil {
		return 0, err
	}
	m := &d.memory
	if bytes <= 0 || bytes > d.options.Memory-m.used {
		return 0, fmt.Errorf("no memory for %d bytes beside %d of %d", bytes, m.used, d.options.Memory)
	}
	p := uintptr(C.emulation_alloc(C.size_t(bytes)))
	if p == 0 {
		return 0, fmt.Errorf("the host has no memory for %d bytes", bytes)
	}
	i := m.after(p)
	m.blocks = append(m.blocks, block{})
	copy(m.blocks[i+1:], m.blocks[i:])
	m.blocks[i] = block{p, bytes}
	m.used += bytes
	return p, nil
}

// Free frees what Alloc returned; it panics on anything else.
func (d *GPU) Free(p uintptr) {
	m := &d.memory
	i := m.after(p) - 1
	if i < 0 || m.blocks[i].at != p {
		panic(fmt.Sprintf("emulation: free of %#x, which is not allocated", p))
	}
	m.used -= m.blocks[i].bytes
	m.blocks = append(m.blocks[:i], m.blocks[i+1:]...)
	C.release(C.uintptr_t(p))
}

// Upload copies to the device.
func (d *GPU) Upload(dst uintptr, src unsafe.Pointer, bytes int) error {
	if err := d.idle("Upload"); err != nil {
		return err
	}
	if err := d.memory.holds("upload", dst, bytes); err != nil {
		return err
	}
	C.move(C.uintptr_t(dst), C.uintptr_t(uintptr(src)), C.size_t(bytes))
	runtime.KeepAlive(src)
	return nil
}

// Download copies to the host.
func (d *GPU) Download(dst unsafe.Pointer, src uintptr, bytes int) error {
	if err := d.idle("Download"); err != nil {
		return err
	}
	if err := d.memory.holds("download", src, bytes); err != nil {
		return err
	}
	C.move(C.uintptr_t(uintptr(dst)), C.uintptr_t(src), C.size_t(bytes))
	runtime.KeepAlive(dst)
	return nil
}

// move copies memory, wherever it is.
func move(to, from uintptr, bytes int) {
	C.move(C.uintptr_t(to), C.uintptr_t(from), C.size_t(bytes))
}

// Copy copies on the device.
func (d *GPU) Copy(dst, src uintptr, bytes int) error {
	if err := d.memory.holds("copy", src, bytes); err != nil {
		return err
	}
	if err := d.memory.holds("copy", dst, bytes); err != nil {
		return err
	}
	return d.do(func() error {
		C.move(C.uintptr_t(dst), C.uintptr_t(src), C.size_t(bytes))
		return nil
	})
}

// Set sets bytes on the device.
func (d *GPU) Set(dst uintptr, value byte, bytes int) error {
	if err := d.memory.holds("set", dst, bytes); err != nil {
		return err
	}
	return d.do(func() error {
		C.set(C.uintptr_t(dst), C.int(value), C.size_t(bytes))
		return nil
	})
}
