package main

import (
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/cuda"
	"convect/kernels/cuda/driver"
	"convect/kernels/ranks"
)

// copyBytes is the size of the array that devices copies: far more than any cache.
const copyBytes = 256 << 20

// device is what commands ask of a backend: its kernels and its bandwidth.
type device interface {
	kernels.Device
	// CopyBandwidth measures a plain copy of so many bytes: bytes read plus bytes written per second.
	CopyBandwidth(bytes int) (float64, error)
}

func devicesCommand() *command {
	f := newFlags("devices")
	threads := f.Int("threads", 0, "threads of the CPU to measure with; 0: one for each core")
	return &command{
		name: "devices", summary: "list devices, their memory and copy bandwidth", flags: f,
		text: `Lists what a case can run on: the cores of this machine, and its GPUs or why there is none to use. Of each:
name, model, threads or multiprocessors, instruction set or compute capability, memory, and the bandwidth of a
plain copy of large arrays (bytes read plus bytes written), measured now. Memory bandwidth is what bounds the
speed of a run. Of several GPUs it tells which memory each reaches without the host, as a run on several of them
(--device cuda:0-1) does, and whether with atomic operations, which NVLink has and PCI Express has not.`,
		examples: []string{"convect devices", "convect devices --threads 1"},
		exits:    []int{exitDone, exitFailed, exitUsage},
		run:      func(e *environment, _ []string) error { return e.listDevices(*threads) },
	}
}

// openDevice opens the device of an option: auto, cpu, cpu:N (N ranks that share the cores), cuda:N or a list of GPUs, slabs of the grid on each. auto is the GPU with
// the most free memory, or the CPU where there is none.
func openDevice(name string, threads int) (device, error) {
	return openOf(machineGPUs(), name, threads)
}

// openOf is openDevice on a machine with some GPUs.
func openOf(g gpus, name string, threads int) (device, error) {
	ordinal, isGPU := gpuOrdinal(name)
	if size, isRanks := cpuRanks(name); isRanks && threads >= 0 {
		return openRanks(size, threads, ranks.Options{Rows: 16, Gather: 20_000})
	}
	isList := isGPUList(name)
	switch {
	case name != "auto" && name != "cpu" && !isGPU && !isList:
		return nil, usage("--device %s: accepted are auto, cpu, cpu:N, cuda, cuda:N, and of several GPUs cuda:0-3, cuda:0,2 or cuda:all", name)
	case threads < 0:
		return nil, usage("--threads %d: accepted are 0 (one for each core) and above", threads)
	case name == "cpu":
		return cpu.New(cpu.Options{Threads: threads})
	case isList:
		return g.openList(name)
	}
	all, err := g.list()
	switch {
	case err != nil && name == "auto":
		return cpu.New(cpu.Options{Threads: threads})
	case err != nil:
		return nil, usage("--device %s: %v; accepted are auto, cpu", name, err)
	case ordinal < 0:
		return g.freest(len(all))
	case ordinal >= len(all):
		return nil, usage("--device %s: there is no such GPU; this machine has %s", name, namesOf(all))
	}
	return g.open(ordinal)
}

// gpuOrdinal reads cuda:N; cuda and auto leave the choice open, which is -1.
func gpuOrdinal(name string) (ordinal int, isGPU bool) {
	if name == "cuda" {
		return -1, true
	}
	number, found := strings.CutPrefix(name, "cuda:")
	n, err := strconv.Atoi(number)
	if !found || err != nil || n < 0 {
		return -1, false
	}
	return n, true
}

// cpuRanks reads cpu:N, a number of ranks.
func cpuRanks(name string) (size int, isRanks bool) {
	number, found := strings.CutPrefix(name, "cpu:")
	n, err := strconv.Atoi(number)
	return n, found && err == nil && n > 0
}

// openRanks opens so many ranks that share the cores, or some threads. Grids of few nodes are shared out too: an exchange between cores takes less than a coarse grid on one.
func openRanks(size, threads int, o ranks.Options) (device, error) {
	if threads == 0 {
		threads = runtime.NumCPU()
	}
	var devices []ranks.Common
	for range size {
		d, err := cpu.New(cpu.Options{Threads: max(threads/size, 1), Sharers: size})
		if err != nil {
			return nil, err
		}
		devices = append(devices, d)
	}
	return ranks.New(devices, o)
}

func openGPU(ordinal int) (*cuda.Device, error) {
	gpu, err := driver.Open(ordinal)
	if err != nil {
		return nil, err
	}
	return cuda.New(gpu)
}

// freest opens the GPU with the most free memory, of so many.
func (g *gpus) freest(size int) (*cuda.Device, error) {
	var best *cuda.Device
	var free int64
	for n := range size {
		d, err := g.open(n)
		switch {
		case err != nil && n == size-1 && best == nil:
			return nil, err
		case err != nil:
			continue
		case best != nil && d.Info().MemoryFree <= free:
			d.Close()
			continue
		case best != nil:
			best.Close()
		}
		best, free = d, d.Info().MemoryFree
	}
	return best, nil
}

func (e *environment) listDevices(threads int) error {
	names := []string{"cpu"}
	all, missing := e.gpus.list()
	for n := range all {
		names = append(names, fmt.Sprintf("cuda:%d", n))
	}
	for _, name := range names {
		dev, err := e.open(name, threads)
		if err != nil {
			return err
		}
		err = listDevice(e.out, dev)
		dev.Close()
		if err != nil {
			return err
		}
		if ordinal, isGPU := gpuOrdinal(name); isGPU {
			links, err := e.gpus.links(ordinal, len(all))
			if err != nil {
				return err
			}
			if links != "" {
				fmt.Fprintf(e.out, "  reaches      %s\n", links)
			}
		}
	}
	if missing != nil {
		fmt.Fprintf(e.out, "cuda: %v\n", missing)
	}
	return nil
}

func listDevice(w io.Writer, dev device) error {
	bandwidth, err := dev.CopyBandwidth(copyBytes)
	if err != nil {
		return err
	}
	info := dev.Info()
	fmt.Fprintf(w, "%s: %s\n", info.Name, info.Description)
	if info.Name == "cpu" {
		fmt.Fprintf(w, "  threads      %d\n", info.Threads)
		fmt.Fprintf(w, "  instructions %s (of %s)\n", info.Instruction, strings.Join(cpu.Instructions(), ", "))
	} else {
		fmt.Fprintf(w, "  processors   %d, %s\n", info.Threads, info.Instruction)
	}
	fmt.Fprintf(w, "  memory       %s, %s free\n", bytesText(float64(info.MemoryTotal)), bytesText(float64(info.MemoryFree)))
	_, err = fmt.Fprintf(w, "  copy         %.1f GB/s (%d MB)\n", bandwidth/1e9, copyBytes>>20)
	return err
}

// deviceName describes a device in one word for files.
func deviceName(i kernels.Info) string {
	of := "thread"
	if deviceFamily(i.Name) != "cpu" {
		of = "multiprocessor"
	}
	return fmt.Sprintf("%s (%s, %s, %s)", i.Name, i.Description, countText(i.Threads, of), i.Instruction)
}

// deviceFamily is a device's name but for the number of its ranks: the cores give the same bits whatever it is.
func deviceFamily(name string) string {
	if _, isRanks := cpuRanks(name); isRanks {
		return "cpu"
	}
	return name
}

// bytesText prints an amount of memory.
func bytesText(n float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1 << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= u.size {
			return fmt.Sprintf("%.1f %s", n/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.0f B", n)
}
