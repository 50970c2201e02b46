package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"convect/kernels"
)

// room is the memory that this process may still take, and what limits it.
type room struct {
	free  float64
	limit string // in words; "" where it is the machine itself
}

// words says how much is free and why no more.
func (r room) words() string {
	if r.limit == "" {
		return bytesText(r.free) + " are free"
	}
	return bytesText(r.free) + " are free within " + r.limit
}

// reserve is the address space that stacks of threads to come and parts of the Go heap that are not in use take beside what is resident.
const reserve = 128 << 20

// roomOn returns what is free on a device: on the host the least of what the machine, control groups and limits of the process leave.
func roomOn(i kernels.Info) room {
	r := room{free: float64(i.MemoryFree)}
	if i.Name != "cpu" {
		return r
	}
	debug.FreeOSMemory() // what a trial has left
	for _, other := range append(groupRooms("/"), processRooms()...) {
		if other.free < r.free {
			r = other
		}
	}
	r.free = math.Max(r.free, 0)
	return r
}

// processRooms returns what ulimit -v and ulimit -d leave.
func processRooms() []room {
	var all []room
	size, data := processSizes()
	for _, l := range []struct {
		resource int
		used     float64
		words    string
	}{{syscall.RLIMIT_AS, size, "the limit of address space"}, {syscall.RLIMIT_DATA, data, "the limit of data"}} {
		var limit syscall.Rlimit
		if syscall.Getrlimit(l.resource, &limit) == nil && limit.Cur < math.MaxInt64 {
			option := map[int]string{syscall.RLIMIT_AS: "-v", syscall.RLIMIT_DATA: "-d"}[l.resource]
			all = append(all, room{float64(limit.Cur) - l.used - reserve, fmt.Sprintf("%s (ulimit %s, %s)", l.words, option, bytesText(float64(limit.Cur)))})
		}
	}
	return all
}

// processSizes returns the bytes of address space and of data that this process has, 0 where the system does not tell.
func processSizes() (size, data float64) {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmSize: %g kB", &kb); n == 1 {
			size = kb * 1024
		}
		if n, _ := fmt.Sscanf(line, "VmData: %g kB", &kb); n == 1 {
			data = kb * 1024
		}
	}
	return size, data
}

// groupFiles are the names of what a memory controller says: version 1 or 2 of control groups.
type groupFiles struct {
	limits   []string
	used     string
	inactive string // key of memory.stat: files that the system gives up first
}

// groupRooms returns what the control groups of this process leave, each group and those above it. root is that of the file system.
func groupRooms(root string) []room {
	var all []room
	mounts, _ := os.ReadFile(filepath.Join(root, "proc/self/mountinfo"))
	for line := range strings.Lines(string(mounts)) {
		before, after, found := strings.Cut(line, " - ")
		own, kind := strings.Fields(before), strings.Fields(after)
		if !found || len(own) < 5 || len(kind) < 3 {
			continue
		}
		files := groupFiles{[]string{"memory.max", "memory.high"}, "memory.current", "inactive_file"}
		controller := ""
		switch {
		case kind[0] == "cgroup2":
		case kind[0] == "cgroup" && hasWord(kind[2], "memory"):
			files = groupFiles{[]string{"memory.limit_in_bytes"}, "memory.usage_in_bytes", "total_inactive_file"}
			controller = "memory"
		default:
			continue
		}
		within := groupPath(root, controller)
		within = path.Clean("/" + strings.TrimPrefix(within, strings.TrimSuffix(own[3], "/")))
		for {
			if r, limited := files.room(filepath.Join(root, own[4], within)); limited {
				all = append(all, r)
			}
			if within == "/" {
				break
			}
			within = path.Dir(within)
		}
	}
	return all
}

func hasWord(list, word string) bool {
	return strings.Contains(","+list+",", ","+word+",")
}

// groupPath returns the path of this process's group in the hierarchy of a controller, "" for version 2.
func groupPath(root, controller string) string {
	text, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) == 3 && (controller == "" && parts[1] == "" || controller != "" && hasWord(parts[1], controller)) {
			return parts[2]
		}
	}
	return "/"
}

// room returns what a group leaves, if it is limited.
func (f groupFiles) room(folder string) (room, bool) {
	limit := math.Inf(1)
	for _, name := range f.limits {
		if v, ok := readNumber(filepath.Join(folder, name)); ok {
			limit = math.Min(limit, v)
		}
	}
	const unlimited = 1 << 60 // version 1 has a number for it
	if limit >= unlimited {
		return room{}, false
	}
	used, _ := readNumber(filepath.Join(folder, f.used))
	used = math.Max(0, used-f.readInactive(filepath.Join(folder, "memory.stat")))
	return room{limit - used, fmt.Sprintf("the memory limit of its control group (%s)", bytesText(limit))}, true
}

func (f groupFiles) readInactive(file string) float64 {
	text, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer text.Close()
	for lines := bufio.NewScanner(text); lines.Scan(); {
		if number, ok := strings.CutPrefix(lines.Text(), f.inactive+" "); ok {
			v, _ := strconv.ParseFloat(number, 64)
			return v
		}
	}
	return 0
}

func readNumber(file string) (float64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	return v, err == nil
}
