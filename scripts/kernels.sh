#!/bin/sh
# Compiles the kernels of kernels/cuda for float and double into kernels/cuda/modules/built, and those of lab into lab/modules/built, with any nvcc from
# 11.8 to 13:
#   sh scripts/kernels.sh                  those whose sources, headers, flags or nvcc have changed, as many at once as there are cores
#   sh scripts/kernels.sh check            none: it fails if one is to be compiled
#   sh scripts/kernels.sh module REAL/FAMILY   one of them, as f32/cycle
# NVCC and NVCC_CCBIN, if set, are nvcc and its host compiler. ARCHITECTURES ("80 90") lists the compute capabilities that get
# machine code; all others get PTX, which the driver compiles. JOBS is the number of compilers at once. KERNELS, kernels/cuda or lab, is the one folder
# of which this is done; without it, it is both.
set -eu
export LC_ALL=C
script=$(cd "$(dirname "$0")" && pwd)/kernels.sh
if [ -z "${KERNELS:-}" ]; then
	if [ "${1:-}" = module ]; then # which one of them has
		KERNELS=kernels/cuda
		[ -z "$(find "${script%/*}/../lab" -name "${2#*/}.cu")" ] || KERNELS=lab
		export KERNELS
	else
		KERNELS=kernels/cuda sh "$script" "$@"
		KERNELS=lab
		export KERNELS
	fi
fi
nvcc=$(sh "${script%/*}/nvcc.sh")
cd "${script%/*}/../$KERNELS"
common=$(echo "$KERNELS" | sed 's|[^/]*|..|g')/kernels/cuda # as the headers of both are found
built=modules/built
index="$built/INDEX, if missing run make build-cuda"

build=$("$nvcc" --version | sed -n 's/.*release \(.*\)/\1/p' | tr '\n' ' ')
host=${NVCC_CCBIN:-}
case $build in
11.*) [ -n "$host" ] || host=$(command -v g++-11 || true) ;; # nvcc 11.8 takes no later g++
esac
# PTX of the oldest architecture from compute capability 7.0 on that nvcc knows.
oldest=$("$nvcc" --list-gpu-arch | sed -n 's/^compute_//p' | sort -n | awk '$1 >= 70 { print; exit }')
codes=compute_$oldest
for architecture in ${ARCHITECTURES:-80 90}; do
	codes="$codes,sm_$architecture"
done
flags="-I $common -std=c++17 -fmad=false -Xcompiler -Wall -Xfatbin -compress-all -Xptxas -v"

# generated FAMILY: what a family is compiled for. Architectures get machine code from PTX of compute capability 9.0 if they know it, whose kernels wait for those before
# them (launch.h); else from 8.0 where the family multiplies on tensor cores, which PTX knows from there on, and there is PTX of that too; else from the oldest.
generated() {
	middle=
	if grep -q '^#include "tensor.cuh"' "$(file_of "$1")"; then middle=80; fi
	old=compute_$oldest new=${middle:+compute_80} newest=
	for architecture in ${ARCHITECTURES:-80 90}; do
		if [ "$architecture" -ge 90 ]; then
			newest=${newest:+$newest,}sm_$architecture
		elif [ -n "$middle" ] && [ "$architecture" -ge 80 ]; then
			new=$new,sm_$architecture
		else
			old=$old,sm_$architecture
		fi
	done
	echo "-gencode arch=compute_$oldest,code=[$old]${new:+ -gencode arch=compute_80,code=[$new]}${newest:+ -gencode arch=compute_90,code=[$newest]}"
}

# sources: the file of every family
sources() {
	for file in *.cu */*.cu; do
		case $file in
		\*.cu | emulation/*) ;;
		*) echo "$file" ;;
		esac
	done
}

# file_of FAMILY: where its source is
file_of() { sources | grep "^\(.*/\)*$1\.cu\$"; }

# recipe FAMILY: what a module is made with; `inputs`, sums of what it is made of, lies beside it
recipe() { echo "# nvcc $build ${host:+with $host }$(generated "$1") $flags"; }

# fresh MODULE: whether it is there, and what it was made of is as it was
fresh() {
	note=$built/notes/$1.inputs
	[ -e "$built/$1.fatbin" ] && [ -e "$note" ] && [ "$(head -n 1 "$note")" = "$(recipe "${1#*/}")" ] &&
		tail -n +2 "$note" | sha256sum --check --status 2>/dev/null
}

# module MODULE: compiles it, and notes its kernels as ptxas tells them for each architecture
module() {
	family=${1#*/}
	work=$built/notes/$1
	case $1 in
	f32/*) types="-DREAL=float -DTYPE=f32" ;;
	f64/*) types="-DREAL=double -DTYPE=f64" ;;
	*) echo "convect: a module is f32/FAMILY or f64/FAMILY, not $1" >&2 && return 2 ;;
	esac
	rm -f "$work.inputs"
	# The options are lists of words.
	# shellcheck disable=SC2086
	if ! "$nvcc" ${host:+-ccbin "$host"} $(generated "$family") $flags $types -fatbin -MD -MF "$work.d" "$(file_of "$family")" -o "$work.new" >"$work.log" 2>&1; then
		cat "$work.log" >&2
		return 1
	fi
	grep -v '^ptxas info\|bytes stack frame' "$work.log" >&2 || true # warnings
	sed -n "s/.*Compiling entry function '\(.*\)' for 'sm_.*/\1/p" "$work.log" | sort | uniq -c >"$work.kernels"
	# Headers of the system belong to nvcc and its host compiler.
	inputs=$(tr -s ' \\\n' '\n' <"$work.d" | sed '1,/^:$/d' | grep -v '^/' | sort -u)
	mv "$work.new" "$built/$1.fatbin"
	{
		recipe "$family"
		# Names of files have no spaces.
		# shellcheck disable=SC2086
		sha256sum $inputs
	} >"$work.new"
	mv "$work.new" "$work.inputs"
}

# spilled MODULE: the kernels that keep registers in memory
spilled() {
	awk -v module="$1" '
		/Compiling entry function/ { split($0, part, "\047"); kernel = part[2] " for " part[4] }
		/bytes spill stores/ && !/ 0 bytes spill stores, 0 bytes spill loads/ { sub(/^ */, ""); print module ": " kernel ": " $0 }
	' "$built/notes/$1.log"
}

# all: every module; a file that defines FLOAT_ALONE_f32 has none of double
all() {
	for family in $(sources | sed 's|.*/||; s|\.cu$||' | sort); do
		echo "f32/$family"
		grep -q '^#define FLOAT_ALONE_f32' "$(file_of "$family")" || echo "f64/$family"
	done
}

stale() {
	for module in $(all); do
		fresh "$module" || echo "$module"
	done
}

# listing: what the modules were compiled for, and in which module each kernel is
listing() {
	echo "compute_$oldest for $codes by nvcc $build"
	for module in $(all); do
		sed "s|^ *[0-9]* \(.*\)|\1 $module.fatbin|" "$built/notes/$module.kernels"
	done
}

# complete: every kernel was compiled for every architecture, and is in one module
complete() {
	number=$(echo "${ARCHITECTURES:-80 90}" | wc -w)
	for module in $(all); do
		awk -v module="$module" -v number="$number" '$1 != number { print module ": " $2 " is compiled for " $1 " of " number " architectures"; bad = 1 }
			END { exit bad || NR == 0 }' "$built/notes/$module.kernels" >&2 || return 1
	done
	twice=$(listing | tail -n +2 | cut -d ' ' -f 1 | sort | uniq -d)
	[ -z "$twice" ] || { echo "convect: two modules have $twice" >&2; return 1; }
}

case ${1:-} in
module)
	mkdir -p "$built/f32" "$built/f64" "$built/notes/f32" "$built/notes/f64"
	module "$2"
	exit
	;;
check)
	stale=$(stale)
	if [ -n "$stale" ] || ! listing | cmp -s - "$index"; then
		echo "convect: the built kernels are not those of the sources; run make build-cuda:" $stale >&2
		exit 1
	fi
	exit
	;;
esac
mkdir -p "$built/f32" "$built/f64" "$built/notes/f32" "$built/notes/f64"
exec 9>"$built/notes/lock"
flock 9 # another may be at work
stale=$(stale)
if [ -n "$stale" ]; then
	echo "nvcc ${build%%,*} compiles $(echo "$stale" | wc -l) of $(all | wc -l) modules for $codes"
	rm -f "$index"
	echo "$stale" | ARCHITECTURES=${ARCHITECTURES:-80 90} xargs -n 1 -P "${JOBS:-$(nproc)}" sh "$script" module 9>&-
fi
for file in "$built"/f??/*.fatbin; do # those whose source is gone
	name=${file#"$built/"}
	all | grep -qx "${name%.fatbin}" || rm -f "$file"
done
complete
for module in $(all); do
	spilled "$module"
done >"$built/notes/spilled"
[ -z "$stale" ] || echo "$(wc -l <"$built/notes/spilled") kernels keep registers in memory: $KERNELS/$built/notes/spilled"
listing >"$built/notes/listing"
cmp -s "$built/notes/listing" "$index" || cp "$built/notes/listing" "$index"
