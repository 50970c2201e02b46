#!/bin/sh
# Installs what is missing, builds bin/convect and runs the three-dimensional case runs/cube into cube.out.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh
make --no-print-directory build
exec bin/convect run runs/cube/case.yaml --out cube.out --force
