//go:build cuda

package modules_test

import (
	"os/exec"
	"strings"
	"testing"

	"convect/kernels/cuda/emulation"
	"convect/kernels/cuda/modules"
)

// The modules have the kernels of the emulation, in which the conformance suite runs every launch, and no others.
func TestModulesHaveTheKernelsThatAreLaunched(t *testing.T) {
	set := modules.Built()
	built, launched := set.Kernels(), 0
	for _, kernel := range emulation.Kernels() {
		launched++
		if built[kernel] == "" {
			t.Errorf("no module has %s", kernel)
		} else if image := set.Image(built[kernel]); !strings.HasPrefix(image, "\x50\xed\x55\xba") {
			t.Errorf("%s of %s begins with %x, not as a fat binary", built[kernel], kernel, image[:min(4, len(image))])
		}
		delete(built, kernel)
	}
	if launched < 100 {
		t.Errorf("the emulation has only %d kernels", launched)
	}
	for kernel := range built {
		t.Errorf("%s is compiled, and the emulation does not know it", kernel)
	}
}

// The modules were made of the sources as they are.
func TestModulesAreCurrent(t *testing.T) {
	if out, err := exec.Command("sh", "../../../scripts/kernels.sh", "check").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
