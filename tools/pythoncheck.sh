#!/bin/sh
# Checks with Python's own readers what bin/convect writes.
#
#   sh tools/pythoncheck.sh          runs the recipes of docs/python.md in a temporary folder, and a case in 3-D, and checks their files
#   sh tools/pythoncheck.sh DIR...   checks the snapshots of finished runs
#
# Needs bin/convect (make build), python3-xarray, python3-h5netcdf, python3-netcdf4 and python3-dask. Exit code 0: all is as expected.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
check() { /usr/bin/python3 "$root/tools/pythoncheck.py" "$@"; }
if [ $# -gt 0 ]; then
	check "$@"
	exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# block LANGUAGE prints the first block of a language of the page.
block() { awk -v begin="\`\`\`$1" '$0 == begin { inside = 1; next } /^```/ { if (inside) exit } inside' "$root/docs/python.md"; }
cd "$work"
block yaml >square.yaml
block sh >commands.sh
PATH="$root/bin:$PATH" sh -e commands.sh
cat >box.yaml <<END
grid: {cells: [6, 5, 4], size: [200, 150, 100], grading: {z: {cluster: both, ratio: 3}}}
physics:
  dimensional: {permeability: 1e-12, viscosity: 1e-3, density: 1000, expansivity: 2e-4, temperature_difference: 50,
    height: 100, conductivity: 4, heat_capacity: 4000, gravity: 9.81, porosity: 0.1, rock_density: 2600, rock_heat_capacity: 800,
    solute_difference: 1, solute_diffusivity: 1e-9, haline_contraction: 0.1}
  solute: {}
boundaries: {bottom: {temperature: 50, concentration: 1}, top: {temperature: 0}, front: periodic, back: periodic}
time: {end: 60 yr}
output:
  every: {time: 20 yr}
  slices: [{name: upright, y: 30}, {name: wall, x: 0, every: {steps: 5}}]
  averages: [{name: all, fluctuations: true, every: {time: 20 yr}}, {name: layers, over: [time, x, y], fields: [temperature]}]
END
"$root/bin/convect" run box.yaml --set output.precision=float64 --set output.compress=true
check square.out box.out
check --recipes "$root/docs/python.md"
