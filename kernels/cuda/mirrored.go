package cuda

import (
	"math"

	"convect/kernels"
)

// mirrorPasses are the passes by which a block transforms pairs of mirrored lines: how often a thread begins each, and how many numbers it has then.
type mirrorPasses struct {
	count, numbers []int
	shared         int // bytes of a block: what the first pass leaves of the periods, the turns, and where lines begin and their numbers are
}

func mirrorPassesOf(radices []int, axis, points, pairs int, e kernels.Elem) (m mirrorPasses) {
	first, run := radices[0], radices[len(radices)-1]
	apart, kept := points/first, first/2+1
	m.count, m.numbers = []int{(apart/2 + 1) * pairs}, []int{first}
	for _, r := range radices[1:] {
		count := kept * apart / r * pairs
		if r > waveMost {
			count *= over(r/2, waveSome) // threads of a column
		}
		m.count, m.numbers = append(m.count, count), append(m.numbers, r)
	}
	turns := apart/2*(first/2) + 1
	for n, length := 1, apart; n < len(radices)-1; n++ {
		turns += length
		length /= radices[n]
	}
	result := apart/run*(run|1) | 1
	m.shared = (kept*result*pairs+turns)*2*e.Size() + (2*pairs+points/2+1)*4
	return m
}

// Times of fast_mirrored, which rank numbers of pairs and threads as an H200 does to 6 percent in the mean (docs/notebook.md): a pass that a thread begins
// and a number in it, and what a block adds that has a multiprocessor for itself.
const (
	mirrorBegin  = 25
	mirrorNumber = 1
	mirrorAlone  = 0.5
)

// Threads for which a multiprocessor has registers, as fast_mirrored is bounded.
const (
	mirrorThreadsSingle = 3*waveThreads + waveThreads/8
	mirrorThreadsDouble = 2 * waveThreads
)

// mirrorSaturated is the number of rounds of blocks from which on a last one that is not whole makes no difference.
const mirrorSaturated = 4

// mirror chooses the pairs of lines and the threads of a block for which so many lines take the least time, as expected from how often passes begin, how many threads a
// multiprocessor then has, and how many blocks, which do not wait for each other. Where a multiprocessor has one block, that may have all threads; where lines are few, blocks have
// few. It returns false where shared memory has no room for one pair.
func (d *Device) mirror(w *waves, axis, points, lines int, e kernels.Elem) bool {
	room, resident := d.info.SharedBytes()+reservedBytes, mirrorThreadsSingle
	if e == kernels.Float64 {
		resident = mirrorThreadsDouble
	}
	least := math.Inf(1)
	for pairs := 16; pairs >= 1; pairs /= 2 {
		if pairs < 4 && w.pairs > 0 && over(lines, 2*4) >= d.info.Multiprocessors {
			break // only where no more have room, or where each has its multiprocessor
		}
		m := mirrorPassesOf(w.radices, axis, points, pairs, e)
		whole, most := over(lines, 2*pairs), waveThreads
		if room/(m.shared+reservedBytes) == 1 || whole <= d.info.Multiprocessors {
			most = waveBlocks(e) * waveThreads
		}
		for threads := 128; threads <= most; threads += 32 {
			blocks := min(room/(m.shared+reservedBytes), resident/threads)
			if blocks == 0 {
				continue
			}
			time := 0
			for n, count := range m.count {
				time += over(count, threads) * (mirrorBegin + mirrorNumber*m.numbers[n])
			}
			if axis == kernels.X {
				time += over((points/2+1)*pairs, threads) // what goes to memory by shared memory
			}
			round := func(blocks int) float64 {
				return float64(time*max(blocks*threads, waveBlocks(e)*waveThreads)) * (1 + mirrorAlone/float64(blocks))
			}
			held := blocks * d.info.Multiprocessors
			cost := float64(whole) / float64(held) * round(blocks)
			if whole < mirrorSaturated*held {
				cost = float64(whole/held) * round(blocks)
				if rest := over(whole%held, d.info.Multiprocessors); rest > 0 {
					cost += min(round(blocks), round(rest))
				}
			}
			if axis == kernels.Y && pairs < 1<<mirrorAcross {
				cost *= 2 // lines that are neighbours in memory are not side by side
			}
			if cost < least {
				least = cost
				w.pairs, w.threads, w.shared = pairs, threads, m.shared
			}
		}
	}
	return w.pairs > 0
}
