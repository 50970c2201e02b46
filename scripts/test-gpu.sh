#!/bin/sh
# Tests the program and its kernels on this machine's GPU, with no more than the binaries that `make gpu-tests` puts into a folder
# and the driver:
#   sh scripts/test-gpu.sh [FOLDER [STAGE]...]
# FOLDER (bin) holds convect, convect.test, driver.test, cuda.test and the laboratory's lab-*.test; the cases lie in runs beside it or in it, or where RUNS says. Stages:
#   conformance        the driver, and every kernel against the reference
#   restart            checkpoints from one backend to the other, killed runs
#   validate           computed against published values, in mixed precision; validate-quick without the slow ones
#   validate-float64, validate-float32, validate-27    the same in other precisions, with 27 points
#   memcheck racecheck one case in five of the conformance under compute-sanitizer, if it is there
# Without a stage: conformance, restart, validate, memcheck, racecheck. A stage that fails does not keep the next from running.
set -u
folder=$(cd "${1:-bin}" && pwd) || exit 2
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- conformance restart validate memcheck racecheck
runs=${RUNS:-}
for beside in "$folder/runs" "$folder/../runs"; do
	[ -n "$runs" ] || [ ! -d "$beside" ] || runs=$beside
done

validate() { "$folder/convect" validate --runs "$runs" --device cuda "$@"; }

# sanitize TOOL: API errors are left out since tests provoke some.
sanitize() {
	if ! command -v compute-sanitizer >/dev/null 2>&1; then
		echo "there is no compute-sanitizer: $1 is left out"
		return 0
	fi
	TEST_EVERY=5 compute-sanitizer --tool "$1" --report-api-errors no --error-exitcode 9 \
		"$folder/cuda.test" -test.run '^TestGPUConformance$' -test.short -test.timeout 60m
}

stage() {
	case $1 in
	conformance)
		"$folder/driver.test" -test.run GPU || return
		"$folder/cuda.test" -test.run GPU -test.timeout 60m || return
		for test in "$folder"/lab-*.test; do
			"$test" -test.run '^TestConformance$/^GPU$' -test.timeout 60m || return
		done
		;;
	restart) "$folder/convect.test" -test.run '^TestGPU' -test.timeout 60m ;;
	validate) validate ;;
	validate-quick) validate --quick ;;
	validate-float64) validate --set solver.precision=float64 ;;
	validate-float32) validate --set solver.precision=float32 ;;
	validate-27) validate --set solver.stencil=27 ;;
	memcheck | racecheck) sanitize "$1" ;;
	*) echo "there is no stage $1" >&2 && return 2 ;;
	esac
}

devices=$("$folder/convect" devices)
echo "$devices"
echo "$devices" | grep -q '^cuda:[0-9]' || exit 1
failed=
for name; do
	begin=$(date +%s)
	printf '\n=== %s\n' "$name"
	if stage "$name"; then
		result=passed
	else
		result=FAILED failed="$failed $name"
	fi
	printf '=== %s %s in %d s\n' "$name" "$result" $(($(date +%s) - begin))
done
[ -z "$failed" ] || { printf '\nfailed:%s\n' "$failed"; exit 1; }
