package main

import (
	"fmt"
	"io"
	"strings"

	"convect/kernels"
	"convect/kernels/cpu"
)

// copyBytes is the size of the array that devices copies: far more than any cache.
const copyBytes = 256 << 20

func devicesCommand() *command {
	f := newFlags("devices")
	threads := f.Int("threads", 0, "threads to measure with; 0: one for each core")
	return &command{
		name: "devices", summary: "list devices, their memory and copy bandwidth", flags: f,
		text: `Lists what a case can run on: name, model, threads, instruction set, memory, and the bandwidth of a plain
copy of large arrays (bytes read plus bytes written), measured now. Memory bandwidth is what bounds the speed of a run.`,
		examples: []string{"convect devices", "convect devices --threads 1"},
		exits:    []int{exitDone, exitFailed, exitUsage},
		run: func(e *environment, _ []string) error {
			dev, err := openDevice("cpu", *threads)
			if err != nil {
				return err
			}
			defer dev.Close()
			return listDevice(e.out, dev)
		},
	}
}

// openDevice opens the device of an option: auto, cpu or cuda:N.
func openDevice(name string, threads int) (*cpu.Device, error) {
	switch {
	case name != "auto" && name != "cpu" && !strings.HasPrefix(name, "cuda"):
		return nil, usage("--device %s: accepted are auto, cpu", name)
	case strings.HasPrefix(name, "cuda"):
		return nil, usage("--device %s: this binary is built without CUDA; accepted are auto, cpu", name)
	case threads < 0:
		return nil, usage("--threads %d: accepted are 0 (one for each core) and above", threads)
	}
	return cpu.New(cpu.Options{Threads: threads})
}

func listDevice(w io.Writer, dev *cpu.Device) error {
	bandwidth, err := dev.CopyBandwidth(copyBytes)
	if err != nil {
		return err
	}
	info := dev.Info()
	fmt.Fprintf(w, "%s: %s\n", info.Name, info.Description)
	fmt.Fprintf(w, "  threads      %d\n", info.Threads)
	fmt.Fprintf(w, "  instructions %s (of %s)\n", info.Instruction, strings.Join(cpu.Instructions(), ", "))
	fmt.Fprintf(w, "  memory       %s, %s free\n", bytesText(float64(info.MemoryTotal)), bytesText(float64(info.MemoryFree)))
	_, err = fmt.Fprintf(w, "  copy         %.1f GB/s (%d MB)\n", bandwidth/1e9, copyBytes>>20)
	return err
}

// deviceName describes a device in one word for files.
func deviceName(i kernels.Info) string {
	return fmt.Sprintf("%s (%s, %d threads, %s)", i.Name, i.Description, i.Threads, i.Instruction)
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
