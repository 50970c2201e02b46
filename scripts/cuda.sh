#!/bin/sh
# Runs a command that builds with the tag cuda, as: sh scripts/cuda.sh go build -tags cuda ./...
# gorgonia.org/cu links with -lcuda. What is built does not need that library to start (kernels/cuda/trampolines.c), but there
# must be one, or the stub that comes with CUDA's headers, to link.
set -eu
found=
for library in /usr/lib/*/libcuda.so /usr/lib/libcuda.so /usr/local/cuda/lib64/libcuda.so; do
	[ ! -e "$library" ] || found=$library
done
if [ -z "$found" ]; then
	for folder in /usr/lib/*/stubs /usr/local/cuda/lib64/stubs; do
		[ ! -e "$folder/libcuda.so" ] || export CGO_LDFLAGS="${CGO_LDFLAGS:--O2 -g} -L$folder"
	done
fi
exec "$@"
