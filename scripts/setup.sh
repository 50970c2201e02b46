#!/bin/sh
# Installs what is missing to build and test convect on Debian or Ubuntu, asking nothing:
#   sh scripts/setup.sh            a C compiler, HDF5 and make
#   sh scripts/setup.sh pictures   those, and what turns PDF and SVG into pixels, for the tests of `convect plot`
#   sh scripts/setup.sh paraview   those, and ParaView for `make readcheck`
#   sh scripts/setup.sh python     those, and xarray with its engines for `make pythoncheck`
#   sh scripts/setup.sh peers      those, and hypre with MPI for `make bench-peers`
#   sh scripts/setup.sh ranks      those, and Open MPI and MPICH for the tests of runs on processes
#   sh scripts/setup.sh ccache     those, and ccache for `.ci/run`
#   sh scripts/setup.sh soak       those, and strace for `make soak`
#   sh scripts/setup.sh browser    those, and Chromium for the tests of the live page
#   sh scripts/setup.sh release    what cuda does, and static libraries for `make release`
#   sh scripts/setup.sh roots      those, debootstrap and lintian for `make releasecheck`
#   sh scripts/setup.sh cuda       those, and CUDA's headers and nvcc for `make build-cuda`: Debian 12's, where there is none from 11.8 to 13
# Installs nothing that is there already. Elsewhere it says what is needed.
set -eu

compiler=${CC:-gcc}
folder=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compiles tells whether a C program builds and links: compiles INCLUDE [FLAG]...
compiles() {
	include=$1
	shift
	printf '#include <%s>\nint main(void) { return 0; }\n' "$include" >"$work/try.c"
	# The flags are lists of words.
	# shellcheck disable=SC2086
	"$compiler" ${CGO_CFLAGS:-} "$work/try.c" -o "$work/try" ${CGO_LDFLAGS:-} "$@" >/dev/null 2>&1
}

hdf5_compiles() {
	machine=$("$compiler" -print-multiarch 2>/dev/null || true)
	compiles hdf5.h -I/usr/include/hdf5/serial "-L/usr/lib/$machine/hdf5/serial" -lhdf5 -lhdf5_hl
}

paraview_runs() {
	command -v xvfb-run >/dev/null 2>&1 && /usr/bin/python3 -c 'import paraview' >/dev/null 2>&1
}

xarray_runs() { /usr/bin/python3 -c 'import xarray, h5netcdf, netCDF4, dask' >/dev/null 2>&1; }

hypre_compiles() {
	command -v mpirun >/dev/null 2>&1 && (compiler=mpicc && compiles HYPRE_struct_ls.h -I/usr/include/hypre -lHYPRE)
}

launchers_run() { command -v mpirun.openmpi >/dev/null 2>&1 && command -v mpirun.mpich >/dev/null 2>&1; }

browser_runs() {
	command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1
}

# HDF5 with what it needs, linked into a program
static_links() {
	machine=$("$compiler" -print-multiarch 2>/dev/null || true)
	(compiler=$folder/static.sh && compiles hdf5.h -I/usr/include/hdf5/serial "-L/usr/lib/$machine/hdf5/serial" -lhdf5)
}

wants_cuda() { [ "${1:-}" = cuda ] || [ "${1:-}" = release ]; }

nvcc_runs() { sh "$folder/nvcc.sh" >/dev/null 2>&1; }

cuda_compiles() {
	machine=$("$compiler" -print-multiarch 2>/dev/null || true)
	toolkit=$(sh "$folder/nvcc.sh" --toolkit 2>/dev/null || true)
	# A library, or the stub that comes with the headers.
	compiles cuda.h ${toolkit:+"-I$toolkit/include" "-L$toolkit/lib64/stubs"} -I/usr/local/cuda/include -L/usr/local/cuda/lib64 \
		"-L/usr/lib/$machine/stubs" -L/usr/local/cuda/lib64/stubs -lcuda
}

# missing prints the packages that are needed and not there.
missing() {
	compiles stdlib.h || echo gcc libc6-dev
	hdf5_compiles || echo libhdf5-dev
	command -v make >/dev/null 2>&1 || echo make
	if [ "${1:-}" = pictures ]; then
		command -v pdftoppm >/dev/null 2>&1 || echo poppler-utils
		command -v rsvg-convert >/dev/null 2>&1 || echo librsvg2-bin
	fi
	if [ "${1:-}" = paraview ] && ! paraview_runs; then
		echo paraview python3-paraview xvfb libgl1-mesa-dri
	fi
	if [ "${1:-}" = python ] && ! xarray_runs; then
		echo python3-xarray python3-h5netcdf python3-netcdf4 python3-dask
	fi
	if [ "${1:-}" = peers ] && ! hypre_compiles; then
		echo libhypre-dev openmpi-bin libopenmpi-dev
	fi
	if [ "${1:-}" = ranks ]; then
		launchers_run || echo openmpi-bin mpich
		command -v ip >/dev/null 2>&1 || echo iproute2
	fi
	if [ "${1:-}" = ccache ]; then
		command -v ccache >/dev/null 2>&1 || echo ccache
	fi
	if [ "${1:-}" = soak ] && ! command -v strace >/dev/null 2>&1; then
		echo strace
	fi
	if [ "${1:-}" = browser ] && ! browser_runs; then
		echo chromium
	fi
	if [ "${1:-}" = release ]; then
		static_links || echo libaec-dev zlib1g-dev
		command -v dpkg-deb >/dev/null 2>&1 || echo dpkg
	fi
	if [ "${1:-}" = roots ]; then
		command -v debootstrap >/dev/null 2>&1 || echo debootstrap
		command -v lintian >/dev/null 2>&1 || echo lintian
		command -v gpg >/dev/null 2>&1 || echo gpg
	fi
	if wants_cuda "$@" && ! { nvcc_runs && cuda_compiles; }; then
		echo nvidia-cuda-toolkit nvidia-cuda-dev
	fi
}

# refuse stops with what is needed: refuse REASON PACKAGES
refuse() {
	cat >&2 <<-END
	convect: $1.
	It needs these packages (Debian's names); install them, then run this again:

	    $2

	HDF5 elsewhere than in /usr is found through CGO_CFLAGS=-I… and CGO_LDFLAGS=-L….
	END
	exit 1
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

# CUDA is in components of Debian that are seldom asked for. Another file leaves the machine's own list alone.
offer_cuda() {
	# apt-cache show succeeds for a package that others only mention.
	LC_ALL=C apt-cache policy nvidia-cuda-dev 2>/dev/null | grep -q 'Candidate: [^(]' && return
	cat >"$work/sources" <<-END
	Types: deb
	URIs: http://deb.debian.org/debian
	Suites: bookworm
	Components: contrib non-free
	Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
	END
	as_root install -m 644 "$work/sources" /etc/apt/sources.list.d/convect-cuda.sources
}

if ! command -v go >/dev/null 2>&1; then
	echo "convect: there is no 'go' in PATH. Install Go 1.26 or later: https://go.dev/doc/install" >&2
	exit 1
fi
packages=$(missing "$@" | tr '\n' ' ')
packages=${packages% }
[ -n "$packages" ] || exit 0

command -v apt-get >/dev/null 2>&1 || refuse "there is no apt-get here to install what is missing" "$packages"
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null 2>&1 || refuse "only root can install what is missing, and there is no sudo" "$packages"
	# Without a terminal sudo could not ask for a password.
	sudo -n true 2>/dev/null || [ -t 0 ] || refuse "sudo would ask for a password" "$packages"
fi
! wants_cuda "$@" || grep -q '^VERSION_CODENAME=bookworm' /etc/os-release || nvcc_runs ||
	refuse "there is no nvcc from 11.8 to 13 with cuda.h in PATH, in NVCC or under /usr/local/cuda, and only Debian 12 has one to install" "$packages"
! wants_cuda "$@" || offer_cuda
echo "Installing $packages"
# shellcheck disable=SC2086
if ! { as_root apt-get update -qq &&
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $packages; } </dev/null >"$work/log" 2>&1; then
	tail -n 20 "$work/log" >&2
	refuse "apt-get could not install what is missing" "$packages"
fi
left=$(missing "$@" | tr '\n' ' ')
[ -z "$left" ] || refuse "what apt-get installed does not suffice" "$left"
