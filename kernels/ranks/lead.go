package ranks

import (
	"encoding/binary"
	"reflect"

	"convect/kernels"
	"convect/kernels/link"
)

// Lead is the device of rank 0 on a link: whatever it is told it tells the other ranks, which [Follow], and does its own part. So the program runs on rank 0 alone, and
// values of the host, decisions and files are there alone. It implements [kernels.Device].
type Lead struct {
	*Device
	out    writer
	next   uint64 // the number of the next array
	tape   uint64 // the number of the last record
	last   error  // the failure when it was closed
	closed bool
}

var (
	_ kernels.Device = (*Lead)(nil)
	_ kernels.Sharer = (*Lead)(nil)
)

// NewLead leads the other ranks of the link with the device that Join has made on rank 0.
func NewLead(d *Device) *Lead {
	return &Lead{Device: d, out: writer{device: d, operators: map[*kernels.Elliptic]uint64{}}, next: firstBuffer}
}

// frame is the most bytes that ranks are told at a time; values of the host come after it.
const frame = 16 << 10

// What ranks are told besides kernels, whose numbers follow.
const (
	tellEnd = iota
	tellAlloc
	tellAllocBox
	tellFree
	tellUpload
	tellUploadInts
	tellUploadBox
	tellDownload
	tellDownloadBox
	tellDownloadBox32
	tellScalars
	tellTask
	tellFailure
	tellRecord
	tellRecorded
	tellReplay
	tellForget
	tellKernel
)

// begin begins what ranks are told.
func (l *Lead) begin(what uint64) {
	l.out.bytes = append(l.out.bytes[:0], 0, 0, 0, 0)
	l.out.number(what)
}

// send tells it.
func (l *Lead) send() {
	if len(l.out.bytes) > frame {
		panic("ranks: the arguments of a kernel are longer than a frame")
	}
	binary.LittleEndian.PutUint32(l.out.bytes, uint32(len(l.out.bytes)))
	if err := link.Spread(l.link, l.out.bytes); err != nil {
		l.kernel = ""
		l.fail("%w", err)
	}
}

// lead tells the ranks to run a kernel, and runs it.
func lead[A any](l *Lead, number uint64, a A, f func(kernels.Device, A)) {
	l.begin(tellKernel + number)
	l.out.value(reflect.ValueOf(&a).Elem())
	l.send()
	f(l.Device, a)
}

// Whole returns the device with all that it can do.
func (l *Lead) Whole() kernels.Device {
	if l.queued {
		return leadQueued{l}
	}
	return l
}

// leadQueued is a Lead of GPUs, with what [Queued] has.
type leadQueued struct{ *Lead }

// named gives an array its number, nil where there is none.
func (l *Lead) named(b kernels.Buffer, err error) (kernels.Buffer, error) {
	if own, ok := b.(*Buffer); ok && own != nil {
		own.number = l.next
	}
	l.next++ // the others have it all the same
	return b, err
}

// Alloc returns n zeroed elements.
func (l *Lead) Alloc(e kernels.Elem, n int) (kernels.Buffer, error) {
	l.begin(tellAlloc)
	l.out.value(reflect.ValueOf(e))
	l.out.value(reflect.ValueOf(n))
	l.send()
	return l.named(l.Device.Alloc(e, n))
}

// AllocBox returns a zeroed array of nodes.
func (l *Lead) AllocBox(e kernels.Elem, box kernels.Box) (kernels.Buffer, error) {
	l.begin(tellAllocBox)
	l.out.value(reflect.ValueOf(e))
	l.out.value(reflect.ValueOf(box))
	l.send()
	return l.named(l.Device.AllocBox(e, box))
}

// Free releases a buffer.
func (l *Lead) Free(b kernels.Buffer) {
	l.begin(tellFree)
	l.out.buffer(b)
	l.send()
	l.Device.Free(b)
}

// Upload copies host values into the first elements.
func (l *Lead) Upload(dst kernels.Buffer, src []float64) {
	l.values(tellUpload, dst, len(src), bytesOf(src))
	l.Device.Upload(dst, src)
}

// UploadInts copies host values into the first elements.
func (l *Lead) UploadInts(dst kernels.Buffer, src []int32) {
	l.values(tellUploadInts, dst, len(src), bytesOf(src))
	l.Device.UploadInts(dst, src)
}

// values tells of values for an array.
func (l *Lead) values(what uint64, dst kernels.Buffer, n int, bytes []byte) {
	l.begin(what)
	l.out.buffer(dst)
	l.out.number(uint64(n))
	l.send()
	if n > 0 {
		if err := link.Spread(l.link, bytes); err != nil {
			l.fail("%w", err)
		}
	}
}

// UploadBox copies [z][y][x] values of the nodes into an array, or into a part of one.
func (l *Lead) UploadBox(dst kernels.Buffer, box kernels.Box, src []float64) {
	if l.tellOf(tellUploadBox, dst, box, len(src)) {
		l.Device.UploadBox(dst, box, src)
	}
}

// tellOf tells of an array and a box, unless there are not as many values as nodes: then all ranks fail.
func (l *Lead) tellOf(what uint64, b kernels.Buffer, box kernels.Box, values int) bool {
	if values != box.Nodes() {
		l.begin(tellFailure)
		l.send()
		l.kernel = map[uint64]string{tellUploadBox: "UploadBox: ", tellDownloadBox: "DownloadBox: ", tellDownloadBox32: "DownloadBox: "}[what]
		l.fail("%d values for %d nodes", values, box.Nodes())
		return false
	}
	l.begin(what)
	l.out.buffer(b)
	l.out.value(reflect.ValueOf(box))
	l.send()
	return true
}

// Download copies the first elements to the host.
func (l *Lead) Download(dst []float64, src kernels.Buffer) error {
	l.begin(tellDownload)
	l.out.buffer(src)
	l.out.number(uint64(len(dst)))
	l.send()
	return l.Device.Download(dst, src)
}

// DownloadBox copies the nodes to the host as [z][y][x].
func (l *Lead) DownloadBox(dst []float64, src kernels.Buffer, box kernels.Box) error {
	if !l.tellOf(tellDownloadBox, src, box, len(dst)) {
		return l.Sync()
	}
	return l.Device.DownloadBox(dst, src, box)
}

// DownloadBox32 is DownloadBox with values rounded to float32.
func (l *Lead) DownloadBox32(dst []float32, src kernels.Buffer, box kernels.Box) error {
	if !l.tellOf(tellDownloadBox32, src, box, len(dst)) {
		return l.Sync()
	}
	return l.Device.DownloadBox32(dst, src, box)
}

// Scalars returns the slots.
func (l *Lead) Scalars() ([]float64, error) {
	l.begin(tellScalars)
	l.send()
	return l.Device.Scalars()
}

// CopyBandwidth measures a plain copy on rank 0, and takes it for that of each.
func (l *Lead) CopyBandwidth(bytes int) (float64, error) {
	rate, err := l.Device.CopyBandwidth(bytes / l.size)
	return rate * float64(l.size), err
}

// Close ends the other ranks' [Follow], and closes the device.
func (l *Lead) Close() error {
	l.begin(tellEnd)
	l.send()
	l.last, l.closed = l.Device.Sync(), true
	return l.Device.Close()
}

// Failed returns the first failure, of a device that has been closed the one before.
func (l *Lead) Failed() error {
	if l.last != nil || l.closed {
		return l.last
	}
	return l.Device.Sync()
}
