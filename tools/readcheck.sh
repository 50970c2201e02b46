#!/bin/sh
# Checks with ParaView's own readers what bin/convect writes.
#
#   sh tools/readcheck.sh          runs small cases in a temporary folder and checks their files
#   sh tools/readcheck.sh DIR...   checks the snapshots of finished runs
#
# Needs bin/convect (make build), paraview and python3-paraview. Exit code 0: ParaView reads everything as expected.
set -eu
cd "$(dirname "$0")/.."
failed=0

# read_file FILE [expectation]... passes where ParaView reads the file as expected. A reader that hangs is killed.
read_file() {
	timeout -s KILL 120 /usr/bin/python3 tools/readcheck.py "$@"
}

check() {
	read_file "$@" || failed=1
}

# refused CODE FILE [expectation]... passes where the check ends with that code: neither well, nor by a crash of ParaView.
refused() {
	want=$1
	shift
	code=0
	read_file "$@" >"$work/refused.log" 2>&1 || code=$?
	if [ "$code" != "$want" ]; then
		cat "$work/refused.log"
		echo "FAILED $1: exit code $code where $want is due"
		failed=1
	fi
}

# finished DIR checks the snapshots of any run.
finished() {
	set -- "$1" "$1"/snapshots/snap_*.hdf
	dir=$1
	shift
	check "$dir/snapshots.xmf" --steps $#
	if [ -e "$dir/snapshots.hdf.series" ]; then
		check "$dir/snapshots.hdf.series" --steps $#
		check "$1"
	fi
}

# box writes a 3-D case that is periodic along y, and plane a 2-D one in SI units that is periodic along x: 100 m high,
# diffusive time 1e10 s.
box() {
	cat <<-END
	title: Box for the reader check
	grid: {cells: [6, 4, 5], size: [3, 2, 1]}
	physics: {rayleigh: 100}
	boundaries:
	  bottom: {temperature: 1, flow: closed}
	  top: {temperature: 0, flow: closed}
	  left: {heat_flux: 0, flow: closed}
	  right: {heat_flux: 0, flow: closed}
	  front: periodic
	  back: periodic
	initial: {temperature: conduction, perturbation: {noise: 0.1, seed: 1}}
	time: {end: 0.02}
	output: {every: {time: 0.01}}
	END
}

plane() {
	cat <<-END
	title: Plane for the reader check
	grid: {cells: [8, 6], size: [200, 100]}
	physics:
	  dimensional: {permeability: 1e-12, viscosity: 1e-3, density: 1000, expansivity: 2e-4, temperature_difference: 50,
	    height: 100, conductivity: 4, heat_capacity: 4000, gravity: 9.81}
	  heat_capacity_ratio: 0.1
	boundaries:
	  bottom: {temperature: 50, flow: closed}
	  top: {temperature: 0, flow: closed}
	  sides: periodic
	time: {end: 2e+8}
	output: {every: {time: 1e+8}}
	END
}

# graded writes a 3-D case with cells that double in width upwards, from 1 to 4.
graded() {
	cat <<-END
	title: Graded box for the reader check
	grid: {cells: [4, 2, 3], size: [4, 2, 7], grading: {z: {cluster: low, ratio: 4}}}
	physics: {rayleigh: 1}
	boundaries:
	  bottom: {temperature: 1}
	  top: {temperature: 0}
	initial: {temperature: 1 - z/7}
	time: {end: 0.02}
	output: {every: {time: 0.01}}
	END
}

small_runs() {
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	box >"$work/box.yaml"
	plane >"$work/plane.yaml"
	bin/convect run "$work/box.yaml" --out "$work/box.out"
	bin/convect run "$work/box.yaml" --out "$work/packed.out" --set output.compress=true --set output.precision=float64 \
		--set 'output.fields=[velocity]'
	bin/convect run "$work/plane.yaml" --out "$work/plane.out"
	graded >"$work/graded.yaml"
	bin/convect run "$work/graded.yaml" --out "$work/graded.out"
	bin/convect run "$work/graded.yaml" --out "$work/graded-plane.out" --set 'grid.cells=[4, 3]' --set 'grid.size=[4, 7]'

	all=temperature,pressure,velocity:3
	set -- --dims 7,5,6 --bounds 0,3,0,2,0,1 --spacing 0.5,0.5,0.2 --periodic y
	check "$work/box.out/snapshots.xmf" "$@" --times 0,0.01,0.02 --arrays $all --range temperature,-0.2,1.2
	check "$work/box.out/snapshots.hdf.series" "$@" --times 0,0.01,0.02 --arrays $all --range temperature,-0.2,1.2
	check "$work/box.out/snapshots/snap_000000.hdf" "$@" --arrays $all --range temperature,-0.2,1.2
	bin/convect run "$work/box.yaml" --out "$work/cells.out" --set 'physics.permeability=[1, 2, 3]' \
		--set 'output.fields=[temperature, permeability, heat_flux, divergence]' --set 'output.slices=[{name: upright, y: 0.7}]'
	check "$work/cells.out/snapshots.xmf" "$@" --times 0,0.01,0.02 --arrays temperature,heat_flux:3,divergence --cells permeability:3
	check "$work/cells.out/snapshots.hdf.series" "$@" --times 0,0.01,0.02 --arrays temperature,heat_flux:3,divergence
	check "$work/cells.out/slices/upright/snapshots.xmf" --dims 7,1,6 --bounds 0,3,0.7,0.7,0,1 --times 0,0.01,0.02 --arrays $all
	for kind in vti vtr; do
		bin/convect export "$work/cells.out" -o "$work/cells.$kind"
		check "$work/cells.$kind" --dims 7,5,6 --bounds 0,3,0,2,0,1 --arrays temperature,heat_flux:3,divergence --cells permeability:3
	done
	check "$work/packed.out/snapshots.xmf" "$@" --times 0,0.01,0.02 --arrays velocity:3
	check "$work/packed.out/snapshots.hdf.series" "$@" --times 0,0.01,0.02 --arrays velocity:3
	check "$work/plane.out/snapshots.xmf" --dims 9,1,7 --bounds 0,200,0,0,0,100 --times 0,1e8,2e8 --arrays $all \
		--range temperature,-1e-3,50.001 --periodic x
	check "$work/graded.out/snapshots.xmf" --dims 5,3,4 --coordinates x,0,1,2,3,4 --coordinates y,0,1,2 --coordinates z,0,1,3,7 \
		--times 0,0.01,0.02 --arrays $all --range temperature,-1e-6,1.000001
	check "$work/graded-plane.out/snapshots.xmf" --dims 5,1,4 --coordinates x,0,1,2,3,4 --coordinates z,0,1,3,7 \
		--times 0,0.01,0.02 --arrays $all
	if command -v mpirun.openmpi >/dev/null 2>&1; then
		mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none -n 2 bin/convect run "$work/box.yaml" --out "$work/parts.out" --file-per-rank \
			--set 'grid.cells=[30, 32, 24]' --set 'grid.size=[3, 2, 1]'
		test -e "$work/parts.out/snapshots/snap_000000.hdf.1" || failed=1
		set -- --dims 31,33,25 --bounds 0,3,0,2,0,1 --periodic y --arrays $all --range temperature,-0.2,1.2
		check "$work/parts.out/snapshots.xmf" "$@" --times 0,0.01,0.02
		check "$work/parts.out/snapshots.hdf.series" "$@" --times 0,0.01,0.02
	fi
	refused 1 "$work/graded.out/snapshots.xmf" --coordinates z,0,2,4,7
	refused 2 "$work/graded.out/snapshots/snap_000000.hdf"
	# The check can fail, and ParaView refuses a flat .hdf without a crash.
	refused 1 "$work/box.out/snapshots.xmf" --times 0,0.01,0.03
	refused 1 "$work/box.out/snapshots.xmf" --dims 6,5,7
	refused 2 "$work/plane.out/snapshots/snap_000000.hdf"
}

if [ $# = 0 ]; then
	small_runs
else
	for run in "$@"; do
		finished "$run"
	done
fi
[ "$failed" = 0 ] && echo 'ParaView reads everything as expected.'
exit "$failed"
