#!/bin/sh
# Runs the tests of the C kernels, and those of the CUDA kernels in emulation, under AddressSanitizer, which finds reads and
# writes outside of what was allocated, and those of several GPUs, which are given kernels at a time, under Go's race detector:
#   sh scripts/sanitize.sh [TEST FLAGS]
# The sanitizer is in the C code alone: that is where the memory of fields is allocated and used. Leaks are not looked for.
set -eu
cd "$(dirname "$0")/.."
go test -count=1 -race -short -run 'TestGPUConformance|TestGPUsRecord' "$@" ./kernels/ranks
# Checks are calls: in line they make the vectorised kernels slow to compile.
sanitize="-g1 -fsanitize=address --param asan-instrumentation-with-call-threshold=0"
# Kernels with instructions that this processor lacks cannot be run, and are not compiled.
grep -qw avx512f /proc/cpuinfo 2>/dev/null || sanitize="$sanitize -DCV_WITHOUT_AVX512"
export CGO_CFLAGS="${CGO_CFLAGS:-} $sanitize"
export CGO_CXXFLAGS="${CGO_CXXFLAGS:-} $sanitize"
export CGO_LDFLAGS="${CGO_LDFLAGS:-} -fsanitize=address"
export ASAN_OPTIONS=detect_leaks=0
# One case in seven, which TEST_SEED says: all are slow under the sanitizer. Of the laboratory those that run every kernel.
export TEST_EVERY="${TEST_EVERY:-7}"
go test -count=1 -short "$@" ./kernels/cpu ./kernels/cuda/...
go test -count=1 -short -run 'Conformance|SameBits' "$@" ./lab/...
