#!/bin/sh
# Compiles the kernels of kernels/cuda for float and double to PTX, into kernels/cuda/ptx, with nvcc 11.8:
#   sh scripts/ptx.sh [FAMILY]...   all, or those of some files
# NVCC and NVCC_CCBIN, if set, are nvcc and its host compiler. Equal sources give equal PTX, wherever they lie.
set -eu
cd "$(dirname "$0")/../kernels/cuda"
nvcc=${NVCC:-nvcc}
version=$("$nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
if [ "$version" != 11.8 ]; then
	echo "convect: the PTX is made by nvcc 11.8; '$nvcc' is ${version:-not there}. Debian 12 has it: sh scripts/setup.sh cuda" >&2
	exit 1
fi
# nvcc 11.8 takes no g++ later than 11.
host=${NVCC_CCBIN:-$(command -v g++-11 || true)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compile FAMILY REAL TYPE: the PTX, and whether it assembles
compile() {
	# The options are a list of words.
	# shellcheck disable=SC2046
	"$nvcc" ${host:+-ccbin "$host"} $(cat ptx/FLAGS) "-DREAL=$2" "-DTYPE=$3" "$1.cu" -o "$work/$1_$3.raw"
	# Names local to a file hold a hash of its path.
	sed 's/_INTERNAL_[0-9a-f]\{8\}_/_INTERNAL_00000000_/g' "$work/$1_$3.raw" >"$work/$1_$3.ptx"
	ptxas -arch=sm_70 --warn-on-spills "$work/$1_$3.ptx" -o "$work/$1_$3.cubin"
}

[ $# -gt 0 ] || set -- *.cu
for family in "$@"; do
	family=${family%.cu}
	compile "$family" float f32 &
	compile "$family" double f64
	wait $!
done
if [ $# -ge "$(find . -maxdepth 1 -name '*.cu' | wc -l)" ]; then
	rm -f ptx/*.ptx # also those whose source is gone
fi
mv "$work"/*.ptx ptx/
go test -count=1 ./ptx -args -update
