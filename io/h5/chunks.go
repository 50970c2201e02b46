package h5

// #include "h5.h"
import "C"

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"unsafe"

	"github.com/klauspost/compress/zlib"
	"golang.org/x/sync/errgroup"
)

// deflateLevel is the level of deflate, measured in BenchmarkCompressed.
const deflateLevel = 1

// chunkDims returns the lengths of a chunk: at most 16×64×64 along the first three
// axes and all of any further one, so that components stay together; 256×256 for
// two axes and 65536 for one, which is as many values.
func chunkDims(dims []int) []int {
	limits := [][]int{1: {1 << 16}, 2: {256, 256}}
	limit := []int{16, 64, 64}
	if len(dims) < len(limits) {
		limit = limits[len(dims)]
	}
	chunk := append([]int{}, dims...)
	for i, most := range limit {
		chunk[i] = min(chunk[i], most)
	}
	return chunk
}

// chunking cuts an array of values of size bytes into chunks.
type chunking struct {
	dims, chunk []int
	size        int
}

// count returns the number of chunks.
func (c chunking) count() int {
	n := 1
	for i, d := range c.dims {
		n *= (d + c.chunk[i] - 1) / c.chunk[i]
	}
	return n
}

// origin returns the first indices of chunk k; the last axis runs fastest.
func (c chunking) origin(k int) []int {
	origin := make([]int, len(c.dims))
	for i := len(c.dims) - 1; i >= 0; i-- {
		n := (c.dims[i] + c.chunk[i] - 1) / c.chunk[i]
		origin[i] = k % n * c.chunk[i]
		k /= n
	}
	return origin
}

// gather copies the chunk at origin out of values, zero where it reaches beyond.
func (c chunking) gather(chunk, values []byte, origin []int) {
	clear(chunk)
	c.gatherAxis(0, chunk, values, origin)
}

func (c chunking) gatherAxis(axis int, chunk, values []byte, origin []int) {
	from, n := origin[axis], min(c.chunk[axis], c.dims[axis]-origin[axis])
	from *= len(values) / c.dims[axis]
	if axis == len(c.dims)-1 {
		copy(chunk, values[from:from+n*c.size])
		return
	}
	inner, outer := len(chunk)/c.chunk[axis], len(values)/c.dims[axis]
	for i := range n {
		c.gatherAxis(axis+1, chunk[i*inner:(i+1)*inner], values[from+i*outer:from+(i+1)*outer], origin)
	}
}

// shuffle puts the first bytes of all values first, then the second, and so on:
// HDF5's filter 2.
func shuffle(out, values []byte, size int) {
	n := len(values) / size
	for b := range size {
		plane := out[b*n : (b+1)*n]
		for i := range plane {
			plane[i] = values[i*size+b]
		}
	}
}

// packer holds what one worker needs to pack chunks.
type packer struct {
	plain, shuffled []byte
	deflate         *zlib.Writer
}

func newPacker(bytes int) (*packer, error) {
	deflate, err := zlib.NewWriterLevel(io.Discard, deflateLevel)
	return &packer{make([]byte, bytes), make([]byte, bytes), deflate}, err
}

// pack returns chunk k of values as HDF5 stores it.
func (p *packer) pack(c chunking, values []byte, k int) ([]byte, error) {
	c.gather(p.plain, values, c.origin(k))
	shuffle(p.shuffled, p.plain, c.size)
	var packed bytes.Buffer
	p.deflate.Reset(&packed)
	if _, err := p.deflate.Write(p.shuffled); err != nil {
		return nil, fmt.Errorf("deflate: %w", err)
	}
	if err := p.deflate.Close(); err != nil {
		return nil, fmt.Errorf("deflate: %w", err)
	}
	return packed.Bytes(), nil
}

// writeChunked writes a dataset in compressed chunks. Workers pack a batch of them
// at a time, which is then written in order, so that equal data gives equal files
// whatever the number of processors.
func (w *Writer) writeChunked(path string, dims []int, values []byte, memory int) error {
	c := chunking{dims: dims, chunk: chunkDims(dims), size: len(values) / length(dims)}
	what := "dataset " + path
	var id C.hid_t
	var closeDataset func() error
	err := w.try(what, func() error {
		dataset, err := w.createDataset(path, dims, c.chunk, memory)
		if err != nil {
			return err
		}
		id, closeDataset = C.hid_t(dataset.ID()), dataset.Close
		return nil
	})
	if err != nil {
		return err
	}
	batch, err := newBatch(c, values)
	if err != nil {
		return w.try(what, func() error { return err })
	}
	for first := 0; first < c.count(); first += len(batch.packed) {
		packErr := batch.pack(first)
		err := w.try(what, func() error {
			if packErr != nil {
				return packErr
			}
			return batch.write(id, first)
		})
		if err != nil {
			return err
		}
	}
	return w.try(what, func() error {
		if closeDataset() != nil {
			return lastError()
		}
		return nil
	})
}

// batch is a run of chunks that are packed at the same time.
type batch struct {
	chunking
	values  []byte
	packers []*packer
	packed  [][]byte
}

func newBatch(c chunking, values []byte) (*batch, error) {
	const perWorker = 8
	b := &batch{chunking: c, values: values}
	for range runtime.GOMAXPROCS(0) {
		p, err := newPacker(length(c.chunk) * c.size)
		if err != nil {
			return nil, err
		}
		b.packers = append(b.packers, p)
	}
	b.packed = make([][]byte, perWorker*len(b.packers))
	return b, nil
}

// pack packs the chunks from first on.
func (b *batch) pack(first int) error {
	var workers errgroup.Group
	n := min(len(b.packed), b.count()-first)
	for i, p := range b.packers {
		workers.Go(func() (err error) {
			for k := i; k < n && err == nil; k += len(b.packers) {
				b.packed[k], err = p.pack(b.chunking, b.values, first+k)
			}
			return err
		})
	}
	return workers.Wait()
}

// write writes the packed chunks from first on to a dataset.
func (b *batch) write(dataset C.hid_t, first int) error {
	n := min(len(b.packed), b.count()-first)
	origin := make([]C.hsize_t, len(b.dims))
	for k, packed := range b.packed[:n] {
		for i, o := range b.origin(first + k) {
			origin[i] = C.hsize_t(o)
		}
		if C.h5_write_chunk(dataset, &origin[0], unsafe.Pointer(&packed[0]), C.size_t(len(packed))) < 0 {
			return lastError()
		}
	}
	return nil
}
