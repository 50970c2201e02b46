#!/bin/sh
# Profiles the kernels of conjugate gradients on columns (bench pcg) with NVIDIA's ncu and prints a table in Markdown:
#   sh scripts/profile-pcg.sh [CONVECT.TEST]   bin/convect.test, which `make gpu-tests` makes
# NCU, if set, is ncu. Every kernel is launched twice for each precision and order of memory and profiled the second time, once for every group of counters
# and each time from empty caches.
set -eu
tests=${1:-$(dirname "$0")/../bin/convect.test}
ncu=${NCU:-$(command -v ncu || echo /usr/local/cuda/bin/ncu)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

metrics=gpu__time_duration.sum
metrics=$metrics,smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct # bytes asked for, of those that came
metrics=$metrics,l1tex__t_sector_hit_rate.pct,lts__t_sector_hit_rate.pct
metrics=$metrics,dram__throughput.avg.pct_of_peak_sustained_elapsed,dram__bytes_read.sum,dram__bytes_write.sum
"$ncu" --csv --page raw --print-units base --log-file "$work/ncu.csv" --clock-control none --metrics "$metrics" \
	--kernel-name 'regex:^(column_(apply|solve|search|descend)|matrix_(apply|solve))_' --filter-mode per-launch-config --launch-skip 1 --launch-count 1 \
	"$tests" -test.run '^$' -test.bench '^BenchmarkColumnKernels$' -test.benchtime 1x >"$work/out" 2>&1 || {
	cat "$work/out" "$work/ncu.csv" >&2
	exit 1
}

echo '| kernel | blocks | time, µs | load efficiency, % | first-level hits, % | second-level hits, % | memory, % of peak | read, MB | written, MB |'
echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|'
# Fields are in quotes; numbers may have commas.
awk -F '","' '
/^"ID"/ { for (n = 1; n <= NF; n++) { name = $n; gsub(/"/, "", name); at[name] = n } named = 1; next }
!named || $1 !~ /^"[0-9]/ { next }
function value(key, v) { v = $at[key]; gsub(/[",]/, "", v); return v }
function blocks(s, n) { gsub(/[()" ]/, "", s); split(s, n, ","); return n[1] * n[2] * n[3] }
{
	kernel = $at["Kernel Name"]
	printf "%s | %d | %.1f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n", "| " kernel, blocks($at["Grid Size"]), value("gpu__time_duration.sum") / 1e3,
		value("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"), value("l1tex__t_sector_hit_rate.pct"),
		value("lts__t_sector_hit_rate.pct"), value("dram__throughput.avg.pct_of_peak_sustained_elapsed"),
		value("dram__bytes_read.sum") / 1e6, value("dram__bytes_write.sum") / 1e6
}' "$work/ncu.csv" | sort -s -t '|' -k 2,2
