#!/bin/sh
# Prints the nvcc that compiles the kernels for GPUs, or says why there is none:
#   sh scripts/nvcc.sh
#   sh scripts/nvcc.sh --toolkit   the folder above its own, with include and lib64, if it has these
# It is NVCC if that is set, else the nvcc in PATH (Debian's package), else NVIDIA's toolkit under /usr/local.
set -eu

# release NVCC: the version, as 11.8
release() { "$1" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\.[0-9]*\),.*/\1/p'; }

# suits RELEASE: whether it is one of 11.8 to 13
suits() {
	case $1 in
	11.8 | 12.* | 13.*) true ;;
	*) false ;;
	esac
}

seen=
toolkit=${1:-}
set -- nvcc /usr/local/cuda/bin/nvcc /usr/local/cuda-[0-9]*/bin/nvcc
[ -z "${NVCC:-}" ] || set -- "$NVCC"
for nvcc; do
	nvcc=$(command -v "$nvcc") || continue
	release=$(release "$nvcc")
	if suits "$release"; then
		[ -n "$toolkit" ] || { echo "$nvcc" && exit; }
		above=$(readlink -f "$nvcc")
		above=${above%/bin/nvcc}
		[ ! -e "$above/include/cuda.h" ] || echo "$above"
		exit
	fi
	seen="$seen, $nvcc is ${release:-no nvcc}"
done
echo "convect: there is no nvcc from 11.8 to 13 in PATH or under /usr/local/cuda$seen. NVCC may name it; sh scripts/setup.sh cuda" >&2
exit 1
