#!/bin/sh
# Prints how the steady Nusselt numbers of runs/square and runs/cavity converge as the grid is refined:
# sh scripts/refinement.sh [TRANSPORT]. Takes some minutes.
set -eu
cd "$(dirname "$0")/.."
transport=${1:-central}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# nusselt CASE RAYLEIGH CELLS
nusselt() {
	bin/convect run "runs/$1/case.yaml" --out "$out" --force --set "physics.rayleigh=$2" --set "grid.cells=[$3, $3]" \
		--set "solver.transport=$transport" --set time.steady=1e-6 --set output.every='{steps: 1000000}' >"$out.log" 2>&1 ||
		{ cat "$out.log" >&2; exit 1; }
	sed -n 's/^ *"nusselt": \([0-9.]*\),$/\1/p' "$out/summary.json"
}

# row CASE RAYLEIGH PUBLISHED: errors in per cent on 16², 32², 64² and 128² cells, and the order between the last two.
row() {
	line="| $1 | $2 | $3 |"
	coarser=
	for cells in 16 32 64 128; do
		error=$(nusselt "$1" "$2" "$cells" | awk -v p="$3" '{printf "%.6f", 100 * ($1 / p - 1)}')
		line="$line $(printf '%+.3f' "$error") |"
		order=$(awk -v a="${coarser:-0}" -v b="$error" 'BEGIN {r = a / b; if (r > 0) printf "%.2f", log(r) / log(2)}')
		coarser=$error
	done
	echo "$line $order |"
}

echo "| case | Ra | Nu published | 16² | 32² | 64² | 128² | order |"
echo "|---|---|---|---|---|---|---|---|"
row square 50 1.45223
row square 100 2.64592
row square 200 3.80980
row square 300 4.51635
row cavity 10 1.07908
row cavity 100 3.11135
row cavity 1000 13.6408
