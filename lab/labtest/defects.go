package labtest

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/devicetest"
)

// defectVariable names the defect that the child process of FindsDefects has.
const defectVariable = "LABTEST_DEFECT"

// FindsDefects checks that the suite finds nothing on the reference as a device, and each of the defects that it may have: named "KERNEL/what is wrong".
// It must be all of a test.
func FindsDefects(t *testing.T, g devicetest.Guest, defects []string, reference func(d *cpu.Device, defect string) kernels.Device) {
	run := func(every int, defect string) {
		devicetest.RunGuest(every, t, g, func() kernels.Device { return reference(open(t, cpu.Options{Threads: 1}), defect) })
	}
	if defect := os.Getenv(defectVariable); defect != "" {
		run(1, defect)
		return
	}
	run(5, "")
	for _, defect := range defects {
		kernel, _, _ := strings.Cut(defect, "/")
		child := exec.Command(os.Args[0], "-test.failfast", "-test.run=^"+t.Name()+"$/^"+kernel+"$")
		child.Env = append(os.Environ(), defectVariable+"="+defect, "TEST_EVERY=1") // the one case that shows it may not be drawn
		out, err := child.CombinedOutput()
		var failed *exec.ExitError
		if !errors.As(err, &failed) || !strings.Contains(string(out), "--- FAIL: "+t.Name()+"/"+kernel) {
			t.Errorf("the suite passes a device that %s (error %v):\n%s", defect, err, out)
		}
	}
}
