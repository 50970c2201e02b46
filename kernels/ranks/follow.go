package ranks

import (
	"encoding/binary"
	"errors"
	"reflect"
	"slices"

	"convect/kernels"
	"convect/kernels/link"
)

// errLost tells that a rank is not told any more.
var errLost = errors.New("ranks: the link to rank 0 is broken")

// Follow does on another rank than 0 what its Lead is told, with the device that Join has made, until the Lead is closed. It fails where the link does. A failure of a
// kernel, which rank 0 may not have, is told to failed, once; nil: nobody. Devices that queue kernels are asked for one where they are waited for.
func Follow(d *Device, failed func(error)) error {
	r := &reader{device: d, buffers: map[uint64]*Buffer{}, operators: map[uint64]*kernels.Elliptic{}, records: map[uint64]*recording{}, stranger: &Buffer{}, next: firstBuffer}
	for {
		what, err := r.listen()
		if err != nil {
			return err
		}
		if what == tellEnd {
			return d.Close()
		}
		if err := r.obey(what); err != nil {
			return err
		}
		if failed == nil {
			continue
		}
		err = d.why()
		if err == nil && (!d.queued || slices.Contains(waited, what)) {
			err = d.Sync()
		}
		if err != nil {
			failed(err)
			failed = nil
		}
	}
}

// waited is what devices have done all for that was queued before.
var waited = []uint64{tellDownload, tellDownloadBox, tellDownloadBox32, tellScalars, tellTask}

// listen takes what rank 0 tells next.
func (r *reader) listen() (what uint64, err error) {
	if r.room == nil {
		r.room = make([]byte, frame)
	}
	if err := link.SpreadSome(r.device.link, r.room, func(b []byte) int { return int(binary.LittleEndian.Uint32(b)) }); err != nil {
		return tellEnd, errors.Join(errLost, err)
	}
	r.bytes = r.room[4:binary.LittleEndian.Uint32(r.room)]
	return r.number(), nil
}

// obey does what is told.
func (r *reader) obey(what uint64) error {
	d := r.device
	switch what {
	case tellAlloc, tellAllocBox:
		r.buffers[r.next] = r.alloc(what)
		r.next++
	case tellFree:
		b := r.buffer()
		d.Free(b)
	case tellUpload, tellUploadInts:
		r.upload(what)
	case tellUploadBox, tellDownloadBox, tellDownloadBox32:
		r.ofBox(what)
	case tellDownload:
		b, n := r.buffer(), int(r.number())
		d.Download(make([]float64, n), b)
	case tellScalars:
		d.Scalars()
	case tellTask:
		r.task()
	case tellFailure:
		d.kernel = ""
		d.fail("rank 0 has been told what makes no sense")
	case tellRecord:
		return r.record()
	case tellReplay:
		r.replay(r.records[r.number()])
	case tellForget:
		n := r.number()
		r.records[n].Free()
		delete(r.records, n)
	default:
		followed[what-tellKernel](d, r)
	}
	return nil
}

// follow returns what reads the arguments of a kernel and runs it.
func follow[A any](f func(kernels.Device, A)) func(*Device, *reader) {
	return func(d *Device, r *reader) {
		var a A
		r.value(reflect.ValueOf(&a).Elem())
		f(d, a)
	}
}

// alloc allocates as rank 0 does: nil where rank 0 has none either. That there is no memory for the slab is kept as a failure, since rank 0 may have some.
func (r *reader) alloc(what uint64) *Buffer {
	var e kernels.Elem
	var n int
	var box kernels.Box
	var b kernels.Buffer
	r.value(reflect.ValueOf(&e).Elem())
	if what == tellAlloc {
		r.value(reflect.ValueOf(&n).Elem())
		b, _ = r.device.Alloc(e, n)
	} else {
		r.value(reflect.ValueOf(&box).Elem())
		var err error
		if b, err = r.device.AllocBox(e, box); b != nil && err != nil && r.device.ok() {
			r.device.kernel = ""
			r.device.fail("%w", err)
		}
	}
	own, _ := b.(*Buffer)
	return own
}

// upload takes values of the host.
func (r *reader) upload(what uint64) {
	d, dst, n := r.device, r.buffer(), int(r.number())
	floats, ints := []float64(nil), []int32(nil)
	var bytes []byte
	if what == tellUpload {
		floats = make([]float64, n)
		bytes = bytesOf(floats)
	} else {
		ints = make([]int32, n)
		bytes = bytesOf(ints)
	}
	if n > 0 { // also after a failure of this rank, which the others may not know of yet
		if err := link.Spread(d.link, bytes); err != nil {
			d.fail("%w", err)
		}
	}
	if what == tellUpload {
		d.Upload(dst, floats)
	} else {
		d.UploadInts(dst, ints)
	}
}

// ofBox takes or gives values of nodes.
func (r *reader) ofBox(what uint64) {
	b, box := r.buffer(), kernels.Box{}
	r.value(reflect.ValueOf(&box).Elem())
	switch what {
	case tellUploadBox:
		r.device.UploadBox(b, box, nil)
	case tellDownloadBox:
		r.device.DownloadBox(nil, b, box)
	default:
		r.device.DownloadBox32(nil, b, box)
	}
}
