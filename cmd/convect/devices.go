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
speed of a run.`,
		examples: []string{"convect devices", "convect devices --threads 1"},
		exits:    []int{exitDone, exitFailed, exitUsage},
		run:      func(e *environment, _ []string) error { return e.listDevices(*threads) },
	}
}

// openDevice opens the device of an option: auto, cpu, cpu:N (N ranks that share the cores) or cuda:N. auto is the GPU with the most free memory, or the CPU where
// there is none.
func openDevice(name string, threads int) (device, error) {
	ordinal, isGPU := gpuOrdinal(name)
	if size, isRanks := cpuRanks(name); isRanks && threads >= 0 {
		return openRanks(size, threads, ranks.Options{Rows: 16, Gather: 20_000})
	}
	switch {
	case name != "auto" && name != "cpu" && !isGPU:
		return nil, usage("--device %s: accepted are auto, cpu, cpu:N, cuda and cuda:N", name)
	case threads < 0:
		return nil, usage("--threads %d: accepted are 0 (one for each core) and above", threads)
	case name == "cpu" || name == "auto" && driver.Available() != nil:
		return cpu.New(cpu.Options{Threads: threads})
	}
	if err := driver.Available(); err != nil {
		return nil, usage("--device %s: %v; accepted are auto, cpu", name, err)
	}
	if ordinal < 0 {
		return freestGPU()
	}
	return openGPU(ordinal)
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
		d, err := cpu.New(cpu.Options{Threads: max(threads/size, 1)})
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

// freestGPU opens the GPU with the most free memory.
func freestGPU() (*cuda.Device, error) {
	all, err := driver.Devices()
	if err != nil {
		return nil, err
	}
	var best *cuda.Device
	var free int64
	for n := range all {
		d, err := openGPU(n)
		switch {
		case err != nil && n == len(all)-1 && best == nil:
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
	all, missing := driver.Devices()
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
	of := "threads"
	if deviceFamily(i.Name) != "cpu" {
		of = "multiprocessors"
	}
	return fmt.Sprintf("%s (%s, %d %s, %s)", i.Name, i.Description, i.Threads, of, i.Instruction)
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
