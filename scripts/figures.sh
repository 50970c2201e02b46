#!/bin/sh
# Draws docs/figures/CASE.png anew from a run of each case that shows one: sh scripts/figures.sh [CASE]...
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- square dispersion anisotropic cube cavity inversion robin dissolution dispersive-convection elder henry aquifer geothermal
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in "$@"; do
	bin/convect run "runs/$name/case.yaml" --out "$work/$name"
	picture=$work/$name/temperature.png
	[ -e "$picture" ] || picture=$work/$name/concentration.png
	cp "$picture" "docs/figures/$name.png"
done
