package lock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// holder is a process that has a lock. Two with the same boot and space see each other.
type holder struct {
	host  string
	boot  string // of the system; "": not known
	space string // of process numbers, which a container has of its own
	pid   int
	start string // of the process, in ticks since the boot; "": not known
	since time.Time
}

// self returns this process.
func self() holder {
	h := holder{pid: os.Getpid(), since: time.Now()}
	h.host, _ = os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	h.boot = strings.TrimSpace(string(boot))
	h.space, _ = os.Readlink("/proc/self/ns/pid")
	if p, err := look(h.pid); err == nil {
		h.start = p.start
	}
	return h
}

// text is what a lock file holds.
func (h holder) text() string {
	return fmt.Sprintf("host %s\nprocess %d\nstart %s\nboot %s\nspace %s\nsince %s\n", h.host, h.pid, h.start, h.boot, h.space,
		h.since.UTC().Format(time.RFC3339))
}

// parse reads what text has written; ok tells whether it is whole.
func parse(text string) (h holder, ok bool) {
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "\n") {
			return h, false
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "host":
			h.host = value
		case "process":
			h.pid, _ = strconv.Atoi(value)
		case "start":
			h.start = value
		case "boot":
			h.boot = value
		case "space":
			h.space = value
		case "since":
			h.since, _ = time.Parse(time.RFC3339, value)
			ok = h.pid > 0
		}
	}
	return h, ok
}

// String names the process.
func (h holder) String() string {
	return fmt.Sprintf("process %d on host %s, since %s", h.pid, h.host, h.since.Local().Format(time.DateTime))
}

// isHere tells whether it can be known on this host if h still runs.
func (h holder) isHere(me holder) bool {
	return h.host == me.host && (h.boot != me.boot || h.space == me.space)
}

// isGone tells whether a process of this host runs no more, or is about to end.
func (h holder) isGone(me holder) bool {
	if !h.isHere(me) {
		return false
	}
	if h.boot != me.boot {
		return true // before the host was started anew
	}
	p, err := look(h.pid)
	if err != nil { // no such process, or no /proc
		return errors.Is(syscall.Kill(h.pid, 0), syscall.ESRCH)
	}
	return p.start != h.start || p.ending
}

// process is what the system tells of one.
type process struct {
	start  string
	ending bool
}

// look reads /proc/PID/stat (proc(5)): state is field 3, the kernel's flags field 9, the time of the start field 22.
func look(pid int) (process, error) {
	const exiting = 0x4 // PF_EXITING
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return process{}, err
	}
	_, rest, _ := strings.Cut(string(text[strings.LastIndexByte(string(text), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return process{}, errors.New("not as proc(5) says")
	}
	flags, _ := strconv.ParseUint(fields[6], 10, 64)
	return process{start: fields[19], ending: fields[0] == "Z" || fields[0] == "X" || flags&exiting != 0}, nil
}
