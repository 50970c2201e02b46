package kernels

// Buffer is memory of a device. Its content is reached only through the methods of the Device that made it.
type Buffer interface {
	Elem() Elem
	Len() int // elements
}

// Info describes a device.
type Info struct {
	Name        string // "cpu", "cuda:0"
	Description string // model name
	Instruction string // instruction set or compute capability in use
	Threads     int
	MemoryTotal int64 // bytes
	MemoryFree  int64 // bytes
	LastCache   int64 // bytes of the last cache before memory, as far as the device counts on it; 0: unknown
	// Products is how many products and sums of float32 Transform makes in the time that a copy takes to move one of its words; 0: unknown.
	Products int
	// Launch is how many words of float32 a copy moves in the time that a kernel of a cycle takes which has hardly any nodes; 0: unknown, or none.
	Launch int
}

// Device runs kernels. Its methods must be called from one goroutine at a time. Kernel methods return nothing:
// a failure is kept and returned by Sync; allocation fails at once.
type Device interface {
	Info() Info
	// Alloc returns n zeroed elements.
	Alloc(e Elem, n int) (Buffer, error)
	Free(b Buffer)
	// Sync waits for all queued work and returns the first failure, naming its kernel.
	Sync() error
	// Close releases the device; its buffers must not be used afterwards.
	Close() error

	Memory
	Kernels
}

// Memory moves values between host and device.
type Memory interface {
	// Upload copies host values (converted to the buffer's element type) into elements 0..len(src)-1.
	Upload(dst Buffer, src []float64)
	UploadInts(dst Buffer, src []int32)
	// Download waits for queued work and copies elements 0..len(dst)-1 to the host.
	Download(dst []float64, src Buffer) error
	// UploadBox copies [z][y][x] host values of the nodes (no halo) into an array laid out by box.
	UploadBox(dst Buffer, box Box, src []float64)
	// DownloadBox copies the nodes (no halo) of an array to the host as [z][y][x].
	DownloadBox(dst []float64, src Buffer, box Box) error
	// DownloadBox32 is DownloadBox with values rounded to float32.
	DownloadBox32(dst []float32, src Buffer, box Box) error
	// Scalars waits for queued work that writes reduction slots and returns these; the slice is valid until the next call.
	Scalars() ([]float64, error)
	// Reserve hands out reduction slots: see SlotBook.
	Reserve(owner string, n int) (first int, err error)
}

// Recorder is a Device that can record the kernels that it is told to run, and run all of them at once at less cost a kernel.
type Recorder interface {
	// Record calls f, whose kernels are recorded and not run; nothing else may be asked of the device in f. It returns nil where f cannot be recorded, as where
	// its kernels need memory that they have not needed before.
	Record(f func()) Recording
}

// Recording is a record of kernels with their arguments. Buffers among them must not have been freed.
type Recording interface {
	// Ready tells whether Replay can run the kernels; else they must be recorded anew.
	Ready() bool
	// Replay runs the kernels and returns true, or false where they must be recorded anew.
	Replay() bool
	Free()
}
