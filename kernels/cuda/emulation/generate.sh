#!/bin/sh
# Lists the kernel files in families.h.
set -eu
export LC_ALL=C
{
	printf '/* All kernels of one type. Made by `go generate`. */\n#include "../launch.h"\n\nnamespace {\n'
	for file in ../*.cu; do
		[ ! -e "$file" ] || printf '#include "%s"\n' "$file"
	done
	echo '}  // namespace'
} >families.h
