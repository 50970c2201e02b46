package main

import (
	"cmp"
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
	if err != nil {
		return err
	}
	return p.takeGPUs()
}

// takeGPUs gives each rank a GPU of its machine for itself, in the order of the ranks: the first that none before it has. A launcher may show each rank others.
func (p *processes) takeGPUs() error {
	own := p.world.Hosts[p.world.Rank()]
	mine, err := p.gpus.list()
	if err != nil {
		mine = nil // no driver is no GPU
	}
	for _, i := range mine {
		own += " " + cmp.Or(i.UUID, i.Name)
	}
	all, err := p.gathered(own)
	p.taken, p.own = make([]string, len(all)), -1
	for rank, text := range all {
		host, seen, _ := strings.Cut(text, " ")
		for n, gpu := range strings.Fields(seen) {
			if place := host + " " + gpu; !slices.Contains(p.taken, place) {
				p.taken[rank] = place
				if rank == p.world.Rank() {
					p.own = n
				}
				break
			}
		}
	}
	return err
}

// onGPUs tells whether ranks run on GPUs, as an option says, each on one of its own, and what is to know where some might have.
func (p *processes) onGPUs(option string) (yes bool, aside string, err error) {
	without := slices.Index(p.taken, "")
	some := slices.ContainsFunc(p.taken, func(place string) bool { return place != "" })
	switch {
	case option == "cpu" || option == "auto" && !some:
		return false, "", nil
	case option != "auto" && option != "cuda":
		return false, "", usage("--device %s: on processes of MPI accepted are cuda (each its own GPU of its machine), cpu (its cores) and auto", option)
	case without < 0:
		return true, "", nil
	}
	host := p.world.Hosts[without]
	ranks, gpus := 0, 0
	for n, h := range p.world.Hosts {
		if h == host {
			ranks++
			if p.taken[n] != "" {
				gpus++
			}
		}
	}
	lack := fmt.Sprintf("%s has %s for %s", host, countText(gpus, "GPU"), countText(ranks, "rank"))
	if option == "auto" {
		return false, "; on cores, since " + lack + ": start as many ranks as there are GPUs to use them", nil
	}
	return false, "", usage("--device cuda: %s; start as many ranks on each machine as it has GPUs", lack)
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
