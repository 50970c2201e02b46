#!/bin/sh
# Runs a command that builds with the tag cuda, as: sh scripts/cuda.sh go build -tags cuda ./...
# gorgonia.org/cu links with -lcuda. What is built does not need that library to start (kernels/cuda/driver/trampolines.c), but there
# must be one, or the stub that comes with CUDA's headers, to link.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
toolkit=$(sh "$root/scripts/nvcc.sh" --toolkit 2>/dev/null || true)
# Other flags would compile all of C again: they are added where they are needed.
case $toolkit in
'' | /usr | /usr/local/cuda) ;;
*) export CGO_CPPFLAGS="-I$toolkit/include${CGO_CPPFLAGS:+ $CGO_CPPFLAGS}" ;;
esac
if grep -qs '^#define CUDA_VERSION 1[3-9]' "${toolkit:-/usr/local/cuda}/include/cuda.h"; then # it changed functions
	export CGO_CPPFLAGS="-I$root/kernels/cuda/driver/compat${CGO_CPPFLAGS:+ $CGO_CPPFLAGS}"
fi
found=
for library in ${toolkit:+"$toolkit/lib64/libcuda.so"} /usr/lib/*/libcuda.so /usr/lib/libcuda.so /usr/local/cuda/lib64/libcuda.so; do
	[ ! -e "$library" ] || found=$library
done
if [ -z "$found" ]; then
	for folder in ${toolkit:+"$toolkit/lib64/stubs"} /usr/lib/*/stubs /usr/local/cuda/lib64/stubs; do
		[ ! -e "$folder/libcuda.so" ] || export CGO_LDFLAGS="${CGO_LDFLAGS:--O2 -g} -L$folder"
	done
fi
exec "$@"
