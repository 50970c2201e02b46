#!/bin/sh
# Lists in kernels/cuda/driver/entries.h the functions of NVIDIA's driver that gorgonia.org/cu and kernels/cuda/driver call:
#   sh scripts/trampolines.sh
# Needs cuda.h and a libcuda.so to link (sh scripts/setup.sh cuda).
set -eu
cd "$(dirname "$0")/../kernels/cuda/driver"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

${CC:-gcc} -I/usr/local/cuda/include -c gpu.c -o "$work/gpu.o"
library=$(go list -tags cuda -export -f '{{.Export}}' gorgonia.org/cu)
# nm knows no objects of Go, and says so. What the archive defines itself is no function of the driver.
nm "$work/gpu.o" "$library" >"$work/symbols" 2>/dev/null || true
{
	sed -n 's/^ *U \(cu[A-Z].*\)/\1/p' "$work/symbols"
	# The headers of CUDA 12 and 13 have these symbols for functions that are called.
	printf '%s\n' cuDeviceGetUuid_v2 cuEventElapsedTime_v2 cuGraphAddKernelNode_v2 cuStreamWaitValue32_v2 cuStreamWriteValue32_v2
} | LC_ALL=C sort -u >"$work/called"
{
	sed -n 's/^[0-9a-f]* T \(cu[A-Z].*\)/\1/p' "$work/symbols"
	echo cuInit # written by hand
} | LC_ALL=C sort -u >"$work/defined"
{
	echo '/* Made by scripts/trampolines.sh. */'
	LC_ALL=C comm -23 "$work/called" "$work/defined" | sed 's/.*/ENTRY(&)/'
} >"$work/entries.h"
[ "$(wc -l <"$work/entries.h")" -gt 100 ] || { echo "convect: nm found next to no functions" >&2; exit 1; }
mv "$work/entries.h" entries.h
