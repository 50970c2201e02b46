package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// systemTree makes files of a system in a folder.
func systemTree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestGroupsLimitMemory(t *testing.T) {
	const v2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw"
	const v1 = "36 25 0:31 /docker/ab /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory"
	for name, c := range map[string]struct {
		files map[string]string
		want  []float64
	}{
		"none":         {map[string]string{"proc/self/cgroup": "0::/"}, nil},
		"no limit":     {map[string]string{"proc/self/mountinfo": v2, "proc/self/cgroup": "0::/a", "sys/fs/cgroup/a/memory.max": "max"}, nil},
		"nested":       {map[string]string{"proc/self/mountinfo": v2, "proc/self/cgroup": "0::/a/b", "sys/fs/cgroup/a/b/memory.max": "1000", "sys/fs/cgroup/a/b/memory.current": "300", "sys/fs/cgroup/a/b/memory.stat": "anon 7\ninactive_file 100", "sys/fs/cgroup/a/memory.max": "900", "sys/fs/cgroup/a/memory.current": "850", "sys/fs/cgroup/a/memory.high": "880"}, []float64{800, 30}},
		"own root":     {map[string]string{"proc/self/mountinfo": v2, "proc/self/cgroup": "0::/", "sys/fs/cgroup/memory.max": "500"}, []float64{500}},
		"version 1":    {map[string]string{"proc/self/mountinfo": v1, "proc/self/cgroup": "5:cpu:/x\n4:blkio,memory:/docker/ab/c", "sys/fs/cgroup/memory/c/memory.limit_in_bytes": "9223372036854771712", "sys/fs/cgroup/memory/memory.limit_in_bytes": "4096", "sys/fs/cgroup/memory/memory.usage_in_bytes": "96", "sys/fs/cgroup/memory/memory.stat": "inactive_file 1\ntotal_inactive_file 50"}, []float64{4050}},
		"used up":      {map[string]string{"proc/self/mountinfo": v2, "proc/self/cgroup": "0::/", "sys/fs/cgroup/memory.max": "500", "sys/fs/cgroup/memory.current": "600"}, []float64{-100}},
		"not readable": {map[string]string{"proc/self/mountinfo": "nonsense\n1 2 - cgroup2\n" + v2, "proc/self/cgroup": "x\n0::/../..", "sys/fs/cgroup/memory.max": "many"}, nil},
	} {
		rooms := groupRooms(systemTree(t, c.files))
		for i := range max(len(rooms), len(c.want)) {
			if i >= len(rooms) || i >= len(c.want) || rooms[i].free != c.want[i] || !strings.Contains(rooms[i].limit, "control group") {
				t.Errorf("%s: %+v, want %v", name, rooms, c.want)
				break
			}
		}
	}
}

// highWater returns the most memory that a program held while it ran, in bytes.
func highWater(t *testing.T, c *exec.Cmd) (most float64) {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			return most
		case <-time.After(5 * time.Millisecond):
		}
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Process.Pid))
		for line := range strings.Lines(string(text)) {
			var kb float64
			if n, _ := fmt.Sscanf(line, "VmHWM: %g kB", &kb); n == 1 {
				most = max(most, kb*1024)
			}
		}
	}
}

// TestResidentMemoryIsForeseen compares what a run holds at most with what check says of it.
func TestResidentMemoryIsForeseen(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a gigabyte")
	}
	dir := writeCase(t, smallCase)
	set := []string{"--set", "grid.cells=[1536, 1024]", "--set", "time={end: 2e-8, first_step: 1e-8, max_step: 1e-8}"}
	out, _ := mustRun(t, dir, append([]string{"check", "small.yaml"}, set...)...)
	at := strings.Index(out, "bytes a node, ")
	var foreseen float64
	var unit string
	if n, err := fmt.Sscanf(out[max(at, 0):], "bytes a node, %f %s on", &foreseen, &unit); n != 2 || unit != "MiB" {
		t.Fatalf("%v in\n%s", err, out)
	}
	held := highWater(t, program(t, dir, append([]string{"run", "small.yaml"}, set...)...)) / (1 << 20)
	if held == 0 {
		t.Skip("the system does not tell")
	}
	if held < 500 || foreseen/held < 0.8 || foreseen/held > 1.2 {
		t.Errorf("%.0f MiB are foreseen, %.0f held", foreseen, held)
	}
}

// TestLimitOfAddressSpace runs what fits into ulimit -v and refuses what does not, before Go itself ends the program.
func TestLimitOfAddressSpace(t *testing.T) {
	dir := writeCase(t, smallCase)
	for cells, want := range map[string]int{"[64, 32]": exitDone, "[4096, 2048]": exitFailed} {
		c := program(t, dir, "run", "small.yaml", "--force", "--set", "grid.cells="+cells)
		limited := exec.Command("sh", append([]string{"-c", `ulimit -v 2000000 && exec "$0" "$@"`}, c.Args...)...)
		limited.Dir, limited.Env = c.Dir, c.Env
		out, _ := limited.CombinedOutput()
		if got := limited.ProcessState.ExitCode(); got != want {
			t.Errorf("%s cells: exit code %d\n%s", cells, got, out)
		}
		if want == exitFailed && (!strings.Contains(string(out), "are free within the limit of address space (ulimit -v, 1.9 GiB)") || strings.Contains(string(out), "goroutine")) {
			t.Errorf("%s cells: %s", cells, out)
		}
	}
}
