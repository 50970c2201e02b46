package cuda

import (
	"errors"

	"convect/kernels"
	"convect/kernels/call"
	"convect/kernels/cuda/driver"
)

// communicator sends blocks to GPUs of other processes. Blocks for a rank are packed one after the other in memory of this GPU, and taken out of it where they come.
type communicator struct {
	d   *Device
	way driver.Communicator
}

// NewCommunicator implements [kernels.Communicant].
func (d *Device) NewCommunicator() ([]byte, error) {
	if c, ok := d.gpu.(driver.Communicant); ok {
		return c.NewCommunicator()
	}
	return nil, errors.New("this GPU does not send messages to others")
}

// Communicate implements [kernels.Communicant].
func (d *Device) Communicate(id []byte, rank, size int) (kernels.Communicator, error) {
	c, ok := d.gpu.(driver.Communicant)
	if !ok {
		return nil, errors.New("this GPU does not send messages to others")
	}
	way, err := c.Communicate(id, rank, size)
	if err != nil {
		return nil, err
	}
	d.keeps = true // ranks replay records without asking each other
	return &communicator{d, way}, nil
}

// Name implements [kernels.Communicator].
func (m *communicator) Name() string { return m.way.Name() }

// Exchange implements [kernels.Communicator].
func (m *communicator) Exchange(own []kernels.Copy, send, receive []kernels.Parcel) {
	d := m.d
	c := call.New(&d.failure, "CopyBlocks")
	blocks := d.copies(&c, own)
	packed, out := d.parcels(&c, &d.outgoing, send, packTo)
	taken, in := d.parcels(&c, &d.incoming, receive, packFrom)
	d.copyBlocks(&c, append(blocks, packed...))
	if c.OK() && len(out)+len(in) > 0 && !d.grew {
		d.leading.close() // messages are sent with the graph, and what follows must come after them
		d.keep(c.Kernel, m.way.Exchange(out, in))
	}
	d.copyBlocks(&c, taken)
}

// parcels returns the blocks of words of parcels, of which one end is packed in a room, and where the parcels are there.
func (d *Device) parcels(c *call.Call, r *room, all []kernels.Parcel, end packedEnd) (blocks []call.Block, messages []driver.Message) {
	bytes := 0
	for n := range all {
		size := all[n].Bytes()
		messages = append(messages, driver.Message{Rank: all[n].Rank, Bytes: size, Address: uintptr(bytes)})
		bytes += (size + wideBytes - 1) / wideBytes * wideBytes
	}
	if bytes == 0 {
		return nil, nil
	}
	at := d.reserve(c, r, bytes)
	for n := range messages {
		messages[n].Address += at
		blocks = append(blocks, d.packing(c, all[n].Blocks, messages[n].Address, messages[n].Bytes, end)...)
	}
	return blocks, messages
}

// Close implements [kernels.Communicator].
func (m *communicator) Close() error { return m.way.Close(m.d.failure.Err != nil) }
