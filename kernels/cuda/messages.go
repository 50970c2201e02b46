package cuda

import (
	"convect/kernels"
	"convect/kernels/call"
)

// load is what goes from one device to another in one meeting: blocks of words.
type load []call.Block

// loadsOf shares blocks out among meetings, so many for each. It knows where both ends of a block lie, so that the device that gives and the one that takes do alike.
func loadsOf(blocks []call.Block, most int) (all []load) {
	var l load
	for _, b := range aligned(blocks) {
		if l = append(l, b); len(l) == most {
			all, l = append(all, l), nil
		}
	}
	if len(l) > 0 {
		all = append(all, l)
	}
	return all
}

// nth returns the load of a meeting, none after the last.
func nth(loads []load, meeting int) load {
	if meeting < len(loads) {
		return loads[meeting]
	}
	return nil
}

// parts returns in how many parts a load goes.
func (l load) parts() int64 {
	bytes := int64(0)
	for _, b := range l {
		bytes += wordBytes * b.N[0] * b.N[1] * b.N[2]
	}
	return min((bytes+meetPartBytes-1)/meetPartBytes, meetParts)
}

// add adds the next message.
func (k *batch) add(l load) {
	elements, parts := int64(0), l.parts()
	for _, b := range l {
		elements += k.put(b, wide(&b))
	}
	n := k.messages
	if n > 0 {
		elements, parts = elements+k.Elements[n-1], parts+k.Parts[n-1]
	}
	k.Elements[n], k.Parts[n] = elements, parts
	k.messages++
}

// copies returns what a device does in one meeting after the other until all is copied. All devices make as many: the device that gives to most of them says how many blocks
// go to one at a time.
func (m *meeting) copies(device int, of func(taker, owner int) []kernels.Copy) (all []call.Copies) {
	d, size := m.devices[device], len(m.devices)
	c := call.New(&d.failure, "CopyBlocks")
	blocks, busiest := make([][][]call.Block, size), 1 // by taker and owner
	for taker := range size {
		blocks[taker] = make([][]call.Block, size)
	}
	for owner := range size {
		takers := 0
		for taker := range size {
			if b := d.copies(&c, of(taker, owner)); len(b) > 0 {
				blocks[taker][owner] = b
				takers++
			}
		}
		busiest = max(busiest, takers)
	}
	loads, meetings := make([][][]load, size), 1
	for taker := range size {
		for owner := range size {
			l := loadsOf(blocks[taker][owner], len(call.Copies{}.Blocks)/busiest)
			loads[taker] = append(loads[taker], l)
			meetings = max(meetings, len(l))
		}
	}
	for n := range meetings {
		k := batch{Copies: call.Copies{Size: int64(size), Own: int64(device), Flags: m.flags[device], Clock: uintptr(m.clock)}}
		copy(k.Others[:], m.flags)
		for other := range size {
			if other != device {
				k.add(nth(loads[other][device], n))
				k.Takes[other] = nth(loads[device][other], n).parts()
			}
		}
		k.add(nth(loads[device][device], n))
		all = append(all, k.Copies)
	}
	return all
}
