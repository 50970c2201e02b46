#!/bin/sh
# Runs every benchmark of `convect bench`, all precisions, into docs/benchmarks (JSON, Markdown, plots), and writes
# docs/benchmarks/report.html (not committed), one page of all:
#   sh scripts/benchmarks.sh               full sizes: half an hour, 10 GB
#   sh scripts/benchmarks.sh small         sizes that take seconds each
#   sh scripts/benchmarks.sh full NAME...  some of them; the others stay as they are
# PREFIX, if set, is put before each command, as PREFIX='nice -n -10'.
set -eu
cd "$(dirname "$0")/.."
size=${1:-full}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $(bin/convect bench --list)

# options NAME: what differs from the benchmark's own sizes
options() {
	case "$size/$1" in
	small/jacobi) echo --repeat 7 --precision float32 ;;
	small/poisson2d) echo --size 2048 --budget 40ms --precision float32 ;;
	small/stencil) echo --repeat 5 --budget 300ms ;;
	small/multigrid) echo --size 129 --repeat 3 --budget 150ms ;;
	small/step) echo --size 129x129x33 --repeat 5 ;;
	small/cases) echo --size 65 ;;
	small/pcg) echo --size 192x192x96 --repeat 5 ;;
	small/hierarchical) echo --size 512 --repeat 5 ;;
	full/poisson2d) echo --budget 6s ;;
	full/multigrid) echo --budget 20s ;;
	full/step) echo --size 513x513x129 --budget 60s ;;
	esac
}

for name; do
	# The options are a list of words.
	# shellcheck disable=SC2046,SC2086
	${PREFIX:-} bin/convect bench "$name" --precision all $(options "$name") --out docs/benchmarks
done

bin/convect bench report --out docs/benchmarks
