package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"convect/cmd/convect/casefile"
	"convect/kernels/cuda"
	"convect/kernels/cuda/driver"
	"convect/kernels/ranks"
)

// gpus are the GPUs of this machine.
type gpus struct {
	list   func() ([]driver.Info, error)
	open   func(ordinal int) (*cuda.Device, error)
	linked func(from, to int) (driver.Link, error)
	shares ranks.Options // of a run on several
}

// gpuShares are the options of ranks that are GPUs. An exchange takes some 10 µs, so that small grids are solved on each; ghosts serve the four sweeps of hard problems.
var gpuShares = ranks.Options{Ghosts: 6, Rows: 32, Gather: 600_000}

// fewNodes are those of a GPU below which several may be no faster than one: two H200s are slower with 4 million each, and faster with 17 (docs/gpu.md).
const fewNodes = 8e6

// machineGPUs returns the GPUs that NVIDIA's driver knows of.
func machineGPUs() gpus { return gpus{driver.Devices, openGPU, driver.Linked, gpuShares} }

// isGPUList tells whether an option names GPUs by a list, as cuda:0-3, cuda:0,2 or cuda:all.
func isGPUList(name string) bool {
	list, found := strings.CutPrefix(name, "cuda:")
	return found && (list == "all" || strings.ContainsAny(list, ",-"))
}

// named returns the GPUs of a list, in its order; each must be there, and be named once.
func (g *gpus) named(name string) (ordinals []int, err error) {
	all, err := g.list()
	if err != nil {
		return nil, usage("--device %s: %v; accepted are auto, cpu", name, err)
	}
	list := strings.TrimPrefix(name, "cuda:")
	if list == "all" {
		list = fmt.Sprintf("0-%d", len(all)-1)
	}
	for part := range strings.SplitSeq(list, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		first, err := strconv.Atoi(low)
		last, err2 := strconv.Atoi(high)
		if err != nil || err2 != nil || first < 0 || first > last {
			return nil, usage("--device %s: %q is no GPU and no range of them; accepted are cuda:0-3, cuda:0,2 and cuda:all, say", name, part)
		}
		for n := first; n <= last; n++ {
			switch {
			case n >= len(all):
				return nil, usage("--device %s: there is no cuda:%d; this machine has %s", name, n, namesOf(all))
			case slices.Contains(ordinals, n):
				return nil, usage("--device %s: cuda:%d is named twice", name, n)
			}
			ordinals = append(ordinals, n)
		}
	}
	return ordinals, nil
}

// namesOf lists GPUs with their models.
func namesOf(all []driver.Info) string {
	var names []string
	for _, i := range all {
		names = append(names, fmt.Sprintf("%s (%s)", i.Name, i.Description))
	}
	return strings.Join(names, ", ")
}

// openList opens the GPUs of a list as one device: one GPU is itself.
func (g *gpus) openList(name string) (device, error) {
	ordinals, err := g.named(name)
	if err != nil {
		return nil, err
	}
	if len(ordinals) == 1 {
		return g.open(ordinals[0])
	}
	var all []ranks.Common
	for _, n := range ordinals {
		d, err := g.open(n)
		if err != nil {
			for _, opened := range all {
				opened.Close()
			}
			return nil, err
		}
		all = append(all, d)
	}
	d, err := ranks.New(all, g.shares)
	if err != nil {
		for _, opened := range all {
			opened.Close()
		}
		return nil, err
	}
	return d.Whole().(device), nil
}

// forCase returns the device of an option with no more GPUs than a case has slabs for, and why where it names more.
func (g *gpus) forCase(name string, c *casefile.Case) (fewer, why string, err error) {
	if !isGPUList(name) {
		return name, "", nil
	}
	ordinals, err := g.named(name)
	if err != nil {
		return "", "", err
	}
	size, reason := slabsOf(c, len(ordinals), g.shares)
	var notes []string
	if size < len(ordinals) {
		notes = append(notes, fmt.Sprintf("%s: it runs on %d of %d GPUs", reason, size, len(ordinals)))
	}
	if each := c.Nodes() / float64(size); size > 1 && each < fewNodes {
		notes = append(notes, fmt.Sprintf("%.2g million nodes for each of %d GPUs are few: one GPU may be as fast (docs/gpu.md)", each/1e6, size))
	}
	fewer = "cuda"
	for n, ordinal := range ordinals[:size] {
		fewer += fmt.Sprintf("%c%d", ":,"[min(n, 1)], ordinal)
	}
	return fewer, strings.Join(notes, "; "), nil
}

// links says which other GPUs, of so many, one reaches, and how; "" where there are no others.
func (g *gpus) links(from, size int) (string, error) {
	var text []string
	for to := range size {
		if to == from {
			continue
		}
		l, err := g.linked(from, to)
		if err != nil {
			return "", err
		}
		switch {
		case l.Reached && l.Atomics:
			text = append(text, fmt.Sprintf("cuda:%d (atomics too, as over NVLink)", to))
		case l.Reached:
			text = append(text, fmt.Sprintf("cuda:%d", to))
		}
	}
	switch {
	case size < 2:
		return "", nil
	case text == nil:
		return "no other GPU's memory: what they exchange passes through the host", nil
	}
	return "the memory of " + strings.Join(text, ", "), nil
}
