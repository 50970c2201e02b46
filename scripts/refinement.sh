#!/bin/sh
# Prints how the steady heat flows of runs/square, runs/cavity, runs/inversion and runs/robin converge as the grid is refined:
# sh scripts/refinement.sh [TRANSPORT [CASE]...]. Takes some minutes.
set -eu
cd "$(dirname "$0")/.."
transport=${1:-central}
[ $# -eq 0 ] || shift
chosen=" ${*:-square cavity inversion robin} "
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# nusselt CASE RAYLEIGH CELLS [--set KEY=VALUE]...
nusselt() {
	name=$1 rayleigh=$2 cells=$3
	shift 3
	bin/convect run "runs/$name/case.yaml" --out "$out" --force --set "physics.rayleigh=$rayleigh" --set "grid.cells=[$cells, $cells]" \
		--set "solver.transport=$transport" --set time.steady=1e-6 --set output.every='{steps: 1000000}' "$@" >"$out.log" 2>&1 ||
		{ cat "$out.log" >&2; exit 1; }
	sed -n 's/^ *"nusselt": \([0-9.]*\),$/\1/p' "$out/summary.json"
}

# row CASE WHAT RAYLEIGH PUBLISHED FILM [--set KEY=VALUE]...: errors in per cent on 16², 32², 64² and 128² cells, and the order between the last two. The published heat flow passes
# a film of the Biot number FILM, which makes Nu/(1 + Nu/Bi) of it, or none.
row() {
	case=$1 what=$2 rayleigh=$3 published=$4 film=$5
	shift 5
	case $chosen in *" $case "*) ;; *) return 0 ;; esac
	line="| $case$what | $rayleigh | $published |"
	coarser=
	for cells in 16 32 64 128; do
		error=$(nusselt "$case" "$rayleigh" "$cells" "$@" | awk -v p="$published" -v bi="$film" '{if (bi > 0) $1 = $1 / (1 + $1 / bi); printf "%.6f", 100 * ($1 / p - 1)}')
		line="$line $(printf '%+.3f' "$error") |"
		order=$(awk -v a="${coarser:-0}" -v b="$error" 'BEGIN {r = a / b; if (r > 0) printf "%.2f", log(r) / log(2)}')
		coarser=$error
	done
	echo "$line $order |"
}

echo "| case | Ra | heat flow published | 16² | 32² | 64² | 128² | order |"
echo "|---|---|---|---|---|---|---|---|"
row square "" 50 1.45223 0
row square "" 100 2.64592 0
row square "" 200 3.80980 0
row square "" 300 4.51635 0
row cavity "" 10 1.07908 0
row cavity "" 100 3.11135 0
row cavity "" 1000 13.6408 0
row inversion ", γ 0.25" 500 5.70724 0 --set 'physics.buoyancy=(T - 0.25)^2' --set time.end=0.3
row inversion ", γ 0.5" 1000 3.3472 0
row robin ", Bi 10, from below" 100 2.02268 10
row robin ", Bi 10, from the side" 100 2.17842 10 --set 'boundaries={left: {temperature: 1}, right: {heat_transfer: {coefficient: 10, ambient: 0}}}' --set 'initial={temperature: conduction}'
