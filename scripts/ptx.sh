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
# nvcc orders some instructions by where things lie in its memory: it sees the same folder, environment and addresses every time.
work=/tmp/convect-ptx
mkdir "$work" || { echo "convect: $work is there: is another one at work?" >&2; exit 1; }
trap 'rm -rf "$work"' EXIT
mkdir "$work/cuda"
cp ./*.cu ./*.cuh ./*.h "$work/cuda"
cp -r ../call ../cpu "$work"
still="setarch $(uname -m) -R"
$still true 2>/dev/null || still= # some containers forbid it

flags=$(cat ptx/FLAGS)

# compile FAMILY REAL TYPE: the PTX, and whether it assembles
compile() {
	# The options are a list of words.
	# shellcheck disable=SC2086
	(cd "$work/cuda" && env -i "PATH=$PATH" $still "$nvcc" ${host:+-ccbin "$host"} $flags "-DREAL=$2" "-DTYPE=$3" "$1.cu" -o "$work/$1_$3.raw")
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
