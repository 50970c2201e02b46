package emulation

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"convect/kernels/cuda/driver"
	"convect/kernels/link"
)

// parties are those who send each other messages, by the number in their id: GPUs of this process alone.
var parties struct {
	guard sync.Mutex
	all   []*party
}

// party are the ends of its links, once the first has joined.
type party struct{ links []link.Link }

// NewCommunicator begins a party.
func (d *GPU) NewCommunicator() ([]byte, error) {
	if !d.options.Messages {
		return nil, errors.New("emulated GPUs send no messages")
	}
	parties.guard.Lock()
	defer parties.guard.Unlock()
	parties.all = append(parties.all, &party{})
	return binary.LittleEndian.AppendUint64(nil, uint64(len(parties.all)-1)), nil
}

// Communicate joins one.
func (d *GPU) Communicate(id []byte, rank, size int) (driver.Communicator, error) {
	parties.guard.Lock()
	defer parties.guard.Unlock()
	n := binary.LittleEndian.Uint64(id)
	if n >= uint64(len(parties.all)) {
		return nil, fmt.Errorf("there is no party %d", n)
	}
	p := parties.all[n]
	if p.links == nil {
		p.links = link.Local(size)
	}
	return &communicator{d, p.links[rank]}, nil
}

// communicator is a GPU among others.
type communicator struct {
	gpu  *GPU
	link link.Link
}

// Name is that of what there is in place of a library.
func (c *communicator) Name() string { return "messages of the emulation" }

// Exchange sends bytes and waits for others, or records that.
func (c *communicator) Exchange(send, receive []driver.Message) error {
	for _, m := range append(append([]driver.Message(nil), send...), receive...) {
		if err := c.gpu.memory.holds("exchange", m.Address, m.Bytes); err != nil {
			return err
		}
	}
	return c.gpu.do(func() error {
		out, in := blocksOf(send), blocksOf(receive)
		for n, m := range send {
			move(uintptr(unsafe.Pointer(unsafe.SliceData(out[n].Bytes))), m.Address, m.Bytes)
		}
		if err := c.link.Exchange(out, in); err != nil {
			return err
		}
		for n, m := range receive {
			move(m.Address, uintptr(unsafe.Pointer(unsafe.SliceData(in[n].Bytes))), m.Bytes)
		}
		return nil
	})
}

// blocksOf returns room for messages.
func blocksOf(all []driver.Message) (blocks []link.Block) {
	for _, m := range all {
		blocks = append(blocks, link.Block{Rank: m.Rank, Bytes: make([]byte, m.Bytes)})
	}
	return blocks
}

// Close leaves; who waits for this GPU is not let down, since it has sent all.
func (c *communicator) Close(lost bool) error {
	if lost {
		link.Break(c.link)
	}
	return nil
}
