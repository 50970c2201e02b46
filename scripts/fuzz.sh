#!/bin/sh
# Runs every fuzz test of the module for a while each: sh scripts/fuzz.sh [TIME]
set -eu
cd "$(dirname "$0")/.."
time=${1:-1m}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# overtime passes over the failure of a run whose time ended in the middle of an input: it names no input. All else ends the script.
overtime() {
	if grep -q 'context deadline exceeded' "$log" && ! grep -q 'Failing input\|panic\|fatal' "$log"; then
		return 0
	fi
	cat "$log"
	exit 1
}

found=0
for package in $(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u); do
	for name in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*testing\.F).*/\1/p' "$package"/*_test.go | sort); do
		found=$((found + 1))
		echo "== $name in $package for $time"
		# Go tries for up to a minute to shorten each input that reaches something new.
		go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 20x "$package" >"$log" 2>&1 || overtime
		grep -v 'baseline coverage' "$log" | tail -n 3
	done
done
echo "$found fuzz tests found nothing"
[ "$found" -gt 0 ]
