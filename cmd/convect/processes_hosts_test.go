package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"convect/kernels/devicetest"
	"convect/kernels/ranks"
)

// hosts are two hosts with names of their own, which see each other over a network alone. They share the files of this machine, and its processors.
type hosts struct {
	name    [2]string
	address [2]string
	shell   string // in the place of ssh
	dark    string // a folder that the second does not see; "": it sees all
}

// madeHosts counts them.
var madeHosts int

// newHosts makes two hosts that last as long as the test: name spaces of networks, joined by a cable.
func newHosts(t *testing.T) *hosts {
	t.Helper()
	h := &hosts{shell: filepath.Join(t.TempDir(), "shell")}
	must := func(words ...string) {
		t.Helper()
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Skipf("two hosts cannot be made here: %s: %v\n%s", strings.Join(words, " "), err, out)
		}
	}
	for n := range 2 {
		h.name[n], h.address[n] = fmt.Sprintf("convect%d-%d", os.Getpid(), madeHosts), fmt.Sprintf("10.213.%d.%d", (os.Getpid()+madeHosts/2)%250, n+1)
		madeHosts++
		must("ip", "netns", "add", h.name[n])
		t.Cleanup(func() { exec.Command("ip", "netns", "del", h.name[n]).Run() })
	}
	must("ip", "link", "add", "eth0", "netns", h.name[0], "type", "veth", "peer", "name", "eth0", "netns", h.name[1])
	for n := range 2 {
		must("ip", "-n", h.name[n], "address", "add", h.address[n]+"/24", "dev", "eth0")
		for _, device := range []string{"eth0", "lo"} {
			must("ip", "-n", h.name[n], "link", "set", device, "up")
		}
	}
	must("unshare", "--uts", "--mount", "true")
	return h
}

// cable joins the hosts, or parts them.
func (h *hosts) cable(t *testing.T, to string) {
	t.Helper()
	if out, err := exec.Command("ip", "-n", h.name[1], "link", "set", "eth0", to).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// mpirun prepares a command line in a folder, with a process of a launcher on each host.
func (h *hosts) mpirun(t *testing.T, launcher, dir string, args ...string) *exec.Cmd {
	t.Helper()
	mask := ""
	if h.dark != "" {
		mask = "mount -t tmpfs none '" + h.dark + "'; "
	}
	text := fmt.Sprintf("#!/bin/sh\nwhile [ \"${1#-}\" != \"$1\" ]; do shift; done\nshift\nexec ip netns exec %s unshare --uts --mount sh -c \"hostname %s; %sexec sh -c '$*'\"\n", h.name[1], h.name[1], mask)
	if err := os.WriteFile(h.shell, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	c := mpirun(t, launcher, 2, dir, args...)
	at := c.Args[3:] // what follows the launcher, -n and the number
	words := []string{"-launcher", "ssh", "-launcher-exec", h.shell, "-iface", "eth0", "-hosts", h.address[0] + "," + h.address[1]}
	if launcher == "mpirun.openmpi" {
		net := h.address[0][:strings.LastIndexByte(h.address[0], '.')] + ".0/24"
		words = []string{"--mca", "plm_rsh_agent", h.shell, "--mca", "oob_tcp_if_include", net, "--mca", "btl_tcp_if_include", net, "--mca", "btl", "tcp,self",
			"--host", h.address[0] + ":1," + h.address[1] + ":1"}
	}
	whole := append([]string{"netns", "exec", h.name[0], "unshare", "--uts", "sh", "-c", "hostname " + h.name[0] + `; exec "$@"`, "sh", c.Path, "-n", "2"}, words...)
	own := exec.Command("ip", append(whole, at...)...)
	own.Dir, own.Env = c.Dir, c.Env
	return own
}

// A run on two hosts has the bits of a run on one process, whichever library carries it, and where the second host sees the run directory or does not.
func TestProcessesHosts(t *testing.T) {
	devicetest.Long(t)
	withRanks(t, ranks.Options{Rows: 2, Gather: -1})
	dir := writeCase(t, slabText(t, "salt"))
	mustRun(t, dir, "run", "small.yaml", "--out", "one.out")
	for _, launcher := range []string{"mpirun.openmpi", "mpirun.mpich"} {
		for _, dark := range []bool{false, true} {
			h := newHosts(t)
			out := filepath.Join(dir, fmt.Sprint(launcher, dark))
			if err := os.Mkdir(out, 0o777); err != nil {
				t.Fatal(err)
			}
			if dark {
				h.dark = out
			}
			text, err := h.mpirun(t, launcher, dir, "run", "small.yaml", "--out", filepath.Join(out, "two.out")).CombinedOutput()
			if err != nil || !strings.Contains(string(text), "2 ranks on 2 hosts") {
				t.Fatalf("%s: %v\n%s", launcher, err, text)
			}
			if got := strings.Contains(string(text), "rank 0 writes all files: rank 1 on "+h.name[1]+": "); got != dark {
				t.Errorf("%s: it is told that rank 0 writes all files: %v\n%s", launcher, got, text)
			}
			sameEnd(t, directory(filepath.Join(dir, "one.out")), directory(filepath.Join(out, "two.out")))
			sameSnapshots(t, directory(filepath.Join(dir, "one.out")), directory(filepath.Join(out, "two.out")))
		}
	}
}

// A host that is lost ends the run with exit code 1 on the other, which names it and the newest checkpoint; from there it goes on, to the same bits.
func TestProcessesHostLost(t *testing.T) {
	devicetest.Long(t)
	t.Setenv(testPatience, "2s")
	dir, d := slowSlabs(t)
	end := []string{"--set", "time.end=0.03", "--set", "time.max_step=0.0001", "--set", "time.first_step=0.0001"}
	args := append([]string{"run", "small.yaml", "--resume"}, end...)
	h := newHosts(t)
	c := h.mpirun(t, "mpirun.openmpi", dir, args...)
	errs := &strings.Builder{}
	c.Stdout, c.Stderr = errs, errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitForRows(t, d, 12)
	h.cable(t, "down")
	waitUntil(t, "the log names the host", func() bool {
		log, err := os.ReadFile(d.path(logName))
		return err == nil && strings.Contains(string(log), "rank 1 on "+h.name[1]+" has given no sign of life for 2s") && strings.Contains(string(log), "the last whole checkpoint is ")
	})
	h.cable(t, "up") // so that the launcher can end its part there
	if code := endOf(t, c); code != exitFailed {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	mustOnProcesses(t, "mpirun.openmpi", 2, dir, args...)
	mustRun(t, dir, append([]string{"run", "small.yaml", "--out", "one.out"}, end...)...)
	sameEnd(t, directory(filepath.Join(dir, "one.out")), d)
}
