package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"convect/kernels/cpu"
	"convect/kernels/link"
)

// share finds this rank's part of the cores of its machine: it shares those that it may run on with the ranks that may run on the same ones.
func (p *processes) share() error {
	p.cores = onlineCores()
	var set unix.CPUSet
	unix.SchedGetaffinity(0, &set) // where it fails the set is empty, and counts as one core
	p.bound = max(set.Count(), 1)
	hasAVX2 := slices.Contains(cpu.Instructions(), "avx2")
	all, err := p.gathered(fmt.Sprintf("%s %x %t", p.world.Hosts[p.world.Rank()], set, hasAVX2))
	alike := 0
	for _, other := range all {
		if other == all[p.world.Rank()] {
			alike++
		}
		if hasAVX2 && strings.HasSuffix(other, "false") { // its bits would be others
			p.least = "baseline"
		}
	}
	p.threads = max(p.bound/max(alike, 1), 1)
	return err
}

// gathered returns a text of every rank.
func (p *processes) gathered(own string) ([]string, error) {
	const room = 1024
	bytes, err := link.GatherAll(p.world, append([]byte(own), make([]byte, room)...)[:room], link.Alike(p.world, room))
	var all []string
	for ; len(bytes) > 0; bytes = bytes[room:] {
		text, _, _ := strings.Cut(string(bytes[:room]), "\x00")
		all = append(all, text)
	}
	return all, err
}

// onlineCores returns the number of cores of this machine, whoever may use them; 0: not known.
func onlineCores() (n int) {
	text, _ := os.ReadFile("/sys/devices/system/cpu/online") // as 0-3,8
	for part := range strings.SplitSeq(strings.TrimSpace(string(text)), ",") {
		first, last, isRange := strings.Cut(part, "-")
		a, err := strconv.Atoi(first)
		b := a
		if isRange {
			b, _ = strconv.Atoi(last)
		}
		if err == nil {
			n += b - a + 1
		}
	}
	return n
}
