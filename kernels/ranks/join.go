package ranks

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"convect/kernels"
	"convect/kernels/link"
)

// joined is what a rank on a link keeps.
type joined struct {
	all     []int                // ranks
	hosts   []string             // by rank; nil: not known
	in, out [][]byte             // room of exchanges, by rank
	threads int                  // of all ranks
	memory  [2]int64             // of all machines: total, and free when the ranks were joined
	way     kernels.Communicator // between the devices; nil: through the host
	noWay   string               // why there is none
}

// Join makes one device of those of all ranks on a link, of which own is this rank's; it is closed with it. hosts name what the ranks have their memory on, machines or GPUs,
// of which ranks share those that are the same; nil: one for all.
func Join(own Common, l link.Link, hosts []string, o Options) (*Device, error) {
	o, err := o.whole()
	if err != nil {
		return nil, err
	}
	d := newDevice(l.Size(), o)
	d.link = l
	_, d.queued = own.(kernels.Queuer)
	d.add(l.Rank(), own)
	info := own.Info()
	numbers := []float64{float64(info.Threads), float64(info.MemoryTotal), float64(info.MemoryFree)}
	bytes, err := link.GatherAll(l, bytesOf(numbers), link.Alike(l, 8*len(numbers)))
	if err != nil {
		return nil, fmt.Errorf("ranks: %w", err)
	}
	all := make([]float64, len(numbers)*d.size)
	copy(bytesOf(all), bytes)
	seen := map[string]bool{}
	d.joined.hosts = hosts
	for r := range d.size {
		d.joined.all = append(d.joined.all, r)
		of, host := all[r*len(numbers):], ""
		if hosts != nil {
			host = hosts[r]
		}
		d.joined.threads += int(of[0])
		if !seen[host] {
			d.joined.memory[0] += int64(of[1])
			d.joined.memory[1] += int64(of[2])
		}
		seen[host] = true
	}
	if d.queued {
		err = d.communicate()
	}
	return d, err
}

// communicate lets devices that queue kernels send blocks to each other by themselves, if all can.
func (d *Device) communicate() error {
	own, ok := d.any().device.(kernels.Communicant)
	why := "the devices do not send messages"
	var id []byte
	if ok {
		made, err := own.NewCommunicator()
		if ok = err == nil; !ok {
			why = err.Error()
		}
		id = made
	}
	if reason, err := d.agree(ok, why); err != nil || reason != "" {
		d.joined.noWay = reason
		return err
	}
	if err := link.Spread(d.link, id); err != nil { // of those that all have made that of rank 0
		return fmt.Errorf("ranks: %w", err)
	}
	way, err := own.Communicate(id, d.link.Rank(), d.size)
	if err != nil {
		why = err.Error()
	}
	reason, failed := d.agree(err == nil, why)
	if d.joined.noWay = reason; failed != nil || reason != "" {
		if way != nil {
			way.Close()
		}
		return failed
	}
	d.joined.way = way
	return nil
}

// reasonRoom is the longest reason that ranks tell each other.
const reasonRoom = 256

// agree returns "" if something is true on all ranks, or the reason of the first where it is not.
func (d *Device) agree(ok bool, why string) (string, error) {
	own := make([]byte, reasonRoom)
	if !ok {
		copy(own, why)
	}
	all, err := link.GatherAll(d.link, own, link.Alike(d.link, reasonRoom))
	if err != nil {
		return "", fmt.Errorf("ranks: %w", err)
	}
	for r := range d.size {
		if text := strings.TrimRight(string(all[r*reasonRoom:][:reasonRoom]), "\x00"); text != "" {
			return text, nil
		}
	}
	return "", nil
}

// Way tells by what devices of several processes exchange blocks, or, through the host, why: known only where they queue kernels.
func (d *Device) Way() (name, noWay string) {
	if d.joined.way != nil {
		return d.joined.way.Name(), ""
	}
	return "", d.joined.noWay
}

// info describes all ranks together.
func (j *joined) info(own kernels.Info, size int, queued bool) kernels.Info {
	own.Threads, own.MemoryTotal, own.MemoryFree = j.threads, j.memory[0], j.memory[1]
	switch {
	case size > 1 && queued:
		own.Name = fmt.Sprintf("%s and %d more", own.Name, size-1)
	case size > 1:
		own.Name = fmt.Sprintf("%s:%d", own.Name, size)
	}
	return own
}

// joinedScalars gives rank 0 the slots that have changed since it had them last.
func (d *Device) joinedScalars() ([]float64, error) {
	own := d.any()
	local, err := own.device.Scalars()
	if err != nil {
		d.fail("%w", err)
	}
	if err := d.Sync(); err != nil {
		return nil, err
	}
	room, least := 0, []byte{}
	for _, n := range d.fresh {
		if state := d.states[n]; state.split {
			room += 8 * (2 + state.most)
			least = appendPart(least, d.partOfSlot(n, state, local))
		}
	}
	if room > 0 {
		if d.link.Rank() > 0 {
			d.pass([]link.Block{{Rank: 0, Bytes: least}}, nil)
		} else {
			d.takeSlots(least, room)
		}
	}
	for n, state := range d.states {
		if !state.split {
			d.slots[n] = local[n]
		}
	}
	d.fresh = d.fresh[:0]
	return d.slots[:], d.why()
}

// partOfSlot returns what this rank has of a slot: sums of rows, or the largest value.
func (d *Device) partOfSlot(n int, state slotState, local []float64) []float64 {
	own := d.any()
	switch {
	case own.number < state.from[0] || own.number >= state.from[1]:
		return nil
	case state.way == largest:
		return local[n : n+1]
	}
	return own.sums(n, local)
}

func appendPart(bytes []byte, v []float64) []byte {
	bytes = binary.NativeEndian.AppendUint64(bytes, uint64(len(v)))
	return append(bytes, bytesOf(v)...)
}

// takeSlots makes slots of the parts of all ranks, each in so much room.
func (d *Device) takeSlots(own []byte, room int) {
	parts, receive := [][]byte{own}, []link.Block(nil)
	for r := 1; r < d.size; r++ {
		b := make([]byte, room)
		parts, receive = append(parts, b), append(receive, link.Block{Rank: r, Bytes: b})
	}
	if d.pass(nil, receive); !d.ok() {
		return
	}
	for _, n := range d.fresh {
		state := d.states[n]
		if !state.split {
			continue
		}
		var all []float64
		most := 0.0
		for r, bytes := range parts {
			count := int(binary.NativeEndian.Uint64(bytes))
			if count > 1+state.most {
				d.set(errors.Join(d.why(), fmt.Errorf("ranks: rank %d sends %d parts of a sum", r, count)))
				return
			}
			v := make([]float64, count)
			copy(bytesOf(v), bytes[8:])
			parts[r] = bytes[8+8*count:]
			for _, x := range v {
				most = math.Max(most, x)
			}
			all = append(all, v...)
		}
		if d.slots[n] = most; state.way == addUp {
			d.slots[n] = kernels.TreeSum(all)
		}
	}
}
