package driver

import "unsafe"

// Info describes a GPU; sizes are in bytes.
type Info struct {
	Name, Description   string // "cuda:0", the model
	UUID                string // of the hardware, alike for all processes; "": unknown
	Major, Minor        int    // compute capability
	Multiprocessors     int
	CacheBytes          int // of the second level; 0: unknown
	TotalMemory, Memory int // all, and what is free
}

// SharedBytes returns how much shared memory a block may have, by compute capability.
func (i Info) SharedBytes() int {
	switch 10*i.Major + i.Minor {
	case 70, 72:
		return 96 << 10
	case 75:
		return 64 << 10
	case 80, 87:
		return 163 << 10
	case 90, 100, 103:
		return 227 << 10
	}
	return 99 << 10
}

// Link is how kernels of a GPU get at the memory of another one.
type Link struct {
	Reached bool // they do
	Atomics bool // with atomic operations, as over NVLink and not over PCI Express
}

// GPU is a graphics processor, or what stands in for one: its memory, and one stream of copies and launches, done in the order of the calls.
// Addresses are the GPU's.
type GPU interface {
	Info() Info
	// Alloc returns zeroed memory, aligned to 256 bytes.
	Alloc(bytes int) (uintptr, error)
	Free(p uintptr)
	// Upload copies from the host, whose memory may change as soon as it returns.
	Upload(dst uintptr, src unsafe.Pointer, bytes int) error
	// Download waits for all that was queued before and copies to the host.
	Download(dst unsafe.Pointer, src uintptr, bytes int) error
	Copy(dst, src uintptr, bytes int) error
	Set(dst uintptr, value byte, bytes int) error
	// Launch runs a kernel, named with its type ("apply_f32"), on the struct of arguments, which it copies.
	Launch(kernel string, grid, block [3]int, shared int, args unsafe.Pointer, size uintptr) error
	// Sync waits for all that was queued.
	Sync() error
	Close() error
}
