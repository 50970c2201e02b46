#!/bin/sh
# Links a program with HDF5, and the libraries that HDF5 needs, inside it, in place of the C compiler:
#   go build -ldflags="-extld=$PWD/scripts/static.sh" ./cmd/convect
# What is compiled stays as it is: only the last step differs. CC is the compiler (gcc).
set -eu
for argument; do
	shift
	case $argument in
	-lhdf5 | -lhdf5_hl) set -- "$@" -Wl,-Bstatic -lhdf5_hl -lhdf5 -lsz -laec -lz -Wl,-Bdynamic ;;
	*) set -- "$@" "$argument" ;;
	esac
done
exec "${CC:-gcc}" "$@"
