#!/bin/sh
# Fails where a program needs more to start than a Linux with glibc 2.35 (Ubuntu 22.04) has:
#   sh scripts/symbols.sh PROGRAM   prints the oldest glibc that it runs with, as 2.34
set -eu
export LC_ALL=C
limit=2.35
readelf -dW "$1" >/dev/null
others=$(readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p' | grep -vx 'libc\.so\.6\|libm\.so\.6\|libpthread\.so\.0\|libdl\.so\.2\|ld-linux-x86-64\.so\.2' || true)
if [ -n "$others" ]; then
	echo "convect: $1 does not start without" $others >&2
	exit 1
fi
asked=$(objdump -T "$1" | sed -n 's/.*(\{0,1\}GLIBC_\([0-9.]*\))\{0,1\} *\([^ ]*\)$/\1 \2/p' | sort -V)
[ -n "$asked" ] || { echo "convect: objdump finds no symbol of glibc in $1" >&2; exit 1; }
newer=$(echo "$asked" | while read -r version symbol; do
	[ "$(printf '%s\n' "$version" "$limit" | sort -V | tail -n 1)" = "$limit" ] || echo "$symbol@GLIBC_$version"
done)
if [ -n "$newer" ]; then
	echo "convect: $1 asks for symbols newer than glibc $limit; build it on Debian 12, or with an older glibc:" $newer >&2
	exit 1
fi
echo "$asked" | tail -n 1 | cut -d ' ' -f 1
