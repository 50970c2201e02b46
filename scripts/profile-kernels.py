#!/usr/bin/env python3
"""Times the kernels on a GPU one by one, profiles them with NVIDIA's ncu, and prints a table in Markdown:

    python3 scripts/profile-kernels.py [CUDA.TEST]          bin/cuda.test, which `make gpu-tests` makes
    python3 scripts/profile-kernels.py --times FILE --profile FILE     from what the two runs printed before

Times are medians of batches in turns with a copy of the same nodes; the profile is of one launch each. What bounds a kernel under 0.70 of
the copy is read from the profile by the rules of bound().
"""

import argparse
import csv
import os
import re
import shutil
import subprocess
import tempfile

METRICS = {
    "memory": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "l2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "issue": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "warps": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "registers": "launch__registers_per_thread",
    "time": "gpu__time_duration.sum",
}


def run(tests, folder):
    """Runs both and returns the names of the files with what they printed."""
    times, profile = os.path.join(folder, "times"), os.path.join(folder, "profile")
    bench = [tests, "-test.run", "^$", "-test.bench", "^BenchmarkGPUKernels$", "-test.benchtime"]
    with open(times, "w") as out:
        subprocess.run(bench + ["2x"], stdout=out, check=True)
    ncu = os.environ.get("NCU") or shutil.which("ncu") or "/usr/local/cuda/bin/ncu"
    subprocess.run([ncu, "--csv", "--page", "raw", "--print-units", "base", "--log-file", profile, "--clock-control", "none", "--metrics",
                    ",".join(METRICS.values())] + bench + ["1x"], stdout=subprocess.DEVNULL, check=True)
    return times, profile


def read_times(name):
    """Kernel -> [words, {element type: (microseconds, fraction)}], in order."""
    kernels = {}
    for line in open(name):
        at = line.find("| ")
        if at >= 0 and line.rstrip().endswith("|"):
            kernel, elem, words, time, fraction = [c.strip() for c in line[at:].strip().strip("|").split("|")]
            kernels.setdefault(kernel, [float(words), {}])[1][elem] = (float(time), float(fraction))
    return kernels


def read_profile(name):
    """The launches of each kernel in order, parted by fills of one block, of which one is behind the last: lists of (name, metrics)."""
    rows = list(csv.reader(line for line in open(name) if line.startswith('"')))
    column = {title: i for i, title in enumerate(rows[0])}
    groups = []
    for r in rows[2:]:
        kernel = r[column["Kernel Name"]]
        if kernel.startswith("fill_") and r[column["Grid Size"]].replace(" ", "") == "(1,1,1)":
            groups.append([])
        elif groups:
            groups[-1].append((kernel, {k: float(r[column[m]].replace(",", "")) for k, m in METRICS.items()}))
    return groups


def bound(m):
    """What bounds a kernel, of one launch's metrics in percent of the peak."""
    if m["issue"] >= 60:
        return "instructions: %.0f %% of the issue slots" % m["issue"]
    if m["l1"] >= 60:
        return "first-level cache and shared memory: %.0f %%" % m["l1"]
    if m["l2"] >= 75:
        return "second-level cache: %.0f %%" % m["l2"]
    room = "%.0f %% of the warps" % m["warps"]
    return "latency: %s, %.0f registers a thread, %.0f %% of the issue slots" % (room, m["registers"], m["issue"])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("tests", nargs="?", default="bin/cuda.test")
    p.add_argument("--times")
    p.add_argument("--profile")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        times, profile = (a.times, a.profile) if a.times else run(a.tests, folder)
        kernels, groups = read_times(times), read_profile(profile)
    print("| kernel | words | float32, µs | of copy | float64, µs | of copy | what bounds it under 0.70 |")
    print("|---|--:|--:|--:|--:|--:|---|")
    for number, (kernel, (words, cells)) in enumerate(kernels.items()):
        row, why = [], []
        for order, elem in enumerate(("float32", "float64")):
            time, fraction = cells[elem]
            row += ["%.1f" % time, "%.2f" % fraction if words else "–"]
            if words and fraction < 0.695:
                launches = groups[order * (len(kernels) + 1) + number]
                name, longest = max(launches, key=lambda l: l[1]["time"])
                several = sum(m["time"] for _, m in launches) > 1.2 * longest["time"]
                prefix = "%d launches, the longest, %s, by " % (len(launches), re.sub("_f(32|64)$", "", name)) if several else ""
                why.append("%s: %s%s" % (elem, prefix, bound(longest)))
        print("| %s | %s | %s | %s |" % (kernel, "%.4g" % words if words else "", " | ".join(row), "; ".join(why)))


if __name__ == "__main__":
    main()
