#!/bin/sh
# Runs every fuzz test of the module for a while each: sh scripts/fuzz.sh [TIME]
set -eu
cd "$(dirname "$0")/.."
time=${1:-1m}
found=0
for package in $(go list ./...); do
	for name in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		found=$((found + 1))
		echo "== $name in $package for $time"
		# Go tries for up to a minute to shorten each input that reaches something new, and fails if the time is over meanwhile.
		go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 20x "$package"
	done
done
echo "$found fuzz tests found nothing"
[ "$found" -gt 0 ]
