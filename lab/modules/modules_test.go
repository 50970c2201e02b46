//go:build cuda

package modules_test

import (
	"testing"

	"convect/kernels/cuda/emulation"
	product "convect/kernels/cuda/modules"
	_ "convect/lab/emulated" // what the laboratory's kernels are
	"convect/lab/modules"
)

// The modules have the laboratory's kernels of the emulation, in which the conformance suite runs every launch, and no others.
func TestModulesHaveTheKernelsThatAreLaunched(t *testing.T) {
	built, others := modules.Built().Kernels(), product.Built().Kernels()
	for _, kernel := range emulation.Kernels() {
		if others[kernel] == "" && built[kernel] == "" {
			t.Errorf("no module has %s", kernel)
		}
		if others[kernel] != "" && built[kernel] != "" {
			t.Errorf("both the product and the laboratory have %s", kernel)
		}
		delete(built, kernel)
	}
	for kernel := range built {
		t.Errorf("%s is compiled, and the emulation does not know it", kernel)
	}
}
