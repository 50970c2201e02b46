#!/bin/sh
# Draws docs/figures/CASE.png anew from a run of each case that shows one: sh scripts/figures.sh [CASE]... sweeps are those of docs/howto.md (they need pdftoppm).
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- square dispersion anisotropic cube cavity inversion robin dissolution dispersive-convection doublet elder henry aquifer geothermal sweeps
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# of_howto writes a case of docs/howto.md: of_howto NAME
of_howto() { awk -v name="# $1" '/^```/ { inside = 0 } inside; $0 == name { inside = 1 }' docs/howto.md >"$work/$1"; }

sweeps() {
	of_howto salt.yaml
	of_howto co2.yaml
	bin/convect sweep runs/square/case.yaml --out "$work/square.sweep" --vary physics.rayleigh=50,60,80,100,150,200,250,300 --results nusselt,psi_max
	bin/convect sweep "$work/salt.yaml" --out "$work/salt.sweep" --vary physics.rayleigh=90..150:7 --continue physics.rayleigh --back --results nusselt
	bin/convect sweep "$work/co2.yaml" --out "$work/co2.sweep" --vary initial.concentration_perturbation.seed=1..5 --results concentration.sherwood_high,speed_rms
	bin/convect plot "$work"/co2.sweep/seed=? --columns sherwood_high --band --range 0,40 --dots 80 -o docs/figures/co2-band.png
	bin/convect plot "$work/square.sweep/rayleigh=100" --contours streamfunction:11 --range 0,1 --dots 80 -o docs/figures/square-plot.png
	pdftoppm -r 80 -png -singlefile "$work/square.sweep/results.pdf" docs/figures/square-sweep
	pdftoppm -r 80 -png -singlefile "$work/salt.sweep/results.pdf" docs/figures/salt-branch
}

for name in "$@"; do
	if [ "$name" = sweeps ]; then
		sweeps
		continue
	fi
	bin/convect run "runs/$name/case.yaml" --out "$work/$name"
	picture=$work/$name/temperature.png
	[ -e "$picture" ] || picture=$work/$name/concentration.png
	cp "$picture" "docs/figures/$name.png"
done
