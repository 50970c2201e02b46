package cuda

import "unsafe"

// DriverInfo describes a GPU; sizes are in bytes.
type DriverInfo struct {
	Name, Description   string // "cuda:0", the model
	Major, Minor        int    // compute capability
	Multiprocessors     int
	CacheBytes          int // of the second level; 0: unknown
	TotalMemory, Memory int // all, and what is free
}

// Driver is a GPU, or what stands in for one: its memory, and one stream of copies and launches, done in the order of the calls.
// Addresses are the GPU's.
type Driver interface {
	Info() DriverInfo
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
