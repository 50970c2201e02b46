package cpu

// #include "cpu.h"
import "C"

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// instructionNames are the instruction sets in the order of cv_table.
func instructionNames() []string { return []string{"baseline", "avx2", "avx512"} }

// Instructions returns the instruction sets that this machine supports, of "baseline" (what the compiler may assume on
// the architecture: SSE2 on amd64), "avx2" and "avx512". The last two give the same bits, the first others by rounding.
func Instructions() []string {
	return slices.DeleteFunc(instructionNames(), func(name string) bool {
		return C.cv_supported(C.int(slices.Index(instructionNames(), name))) == 0
	})
}

// fastest returns the instruction set measured to be fastest on the 7-point sweep (docs/decisions.md).
func fastest() string {
	if slices.Contains(Instructions(), "avx2") {
		return "avx2"
	}
	return "baseline"
}

// widest is the same for kernels with 27 points (but sweeps with constant coefficients) and the passes of a cycle, which compute more for
// what they read. Its bits are those of fastest.
func widest() string {
	if fastest() == "avx2" && slices.Contains(Instructions(), "avx512") {
		return "avx512"
	}
	return fastest()
}

// tables returns the kernels of an instruction set, by kernels.Elem.
func tables(name string) ([2]*C.cv_kernel, error) {
	level, err := instructionLevel(name)
	return [2]*C.cv_kernel{C.cv_table(C.int(level), 0), C.cv_table(C.int(level), 1)}, err
}

// instructionLevel returns the number of an instruction set in cv_table.
func instructionLevel(name string) (int, error) {
	if !slices.Contains(Instructions(), name) {
		return 0, fmt.Errorf("cpu: instruction set %q is not one of this machine's: %s", name,
			strings.Join(Instructions(), ", "))
	}
	return slices.Index(instructionNames(), name), nil
}

// modelName returns the processor's name as Linux tells it, or the architecture.
func modelName() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if key, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
