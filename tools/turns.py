#!/usr/bin/python3
"""Times the steps of ordinary cases by two programs in turns, as before and after a change.

    go build -o /tmp/old ./cmd/convect        in a checkout of the commit before
    /usr/bin/python3 tools/turns.py /tmp/old bin/convect [--device cpu] [--threads 2] [--turns 5] [--seconds 4] [--large] [CASE]...

In each turn both programs run each case for so many seconds, first one, then the other, and in the next turn the other way round. Of each turn the
median wall time of the steps that both made is taken, the first ten left out. Printed are the medians of the old and the new program over the turns in
milliseconds, the median ratio new over old, its least and largest, and whether the Nusselt number of the last common step is the same text.
--large takes the grids for a GPU (160 x 160 x 80 cells for 64 x 64 x 48).
"""
import argparse
import csv
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

SMALL, LARGE = "[64, 64, 48]", "[160, 160, 80]"
WALLS = "bottom: {temperature: 1}, top: {temperature: 0}"
CASES = {
    "closed": {},
    "float64": {"solver": "precision: float64"},
    "float32": {"solver": "precision: float32"},
    "27-points": {"solver": "stencil: 27"},
    "weno5": {"solver": "transport: weno5"},
    "graded": {"grading": "grading: {z: {ratio: 4, cluster: both}}"},
    "periodic": {"walls": WALLS + ", left: periodic, right: periodic, front: periodic, back: periodic"},
    "open-top": {"walls": "bottom: {temperature: 1}, top: {temperature: 0, flow: open}"},
    "layers": {"physics": ", permeability: {layers: [{top: 0.4, value: 1}, {top: 0.5, value: 0.01}, {top: 1, value: 0.5}]}"},
    "lognormal": {"physics": ", permeability: {lognormal: {variance: 1, correlation: 0.2, seed: 5}}"},
    "viscosity": {"physics": ', viscosity: "exp(-T)"'},
    "awkward": {"cells": "[50, 70, 42]", "large": "[150, 170, 84]"},
    "plane": {"cells": "[256, 128]", "large": "[1024, 512]", "size": "[2, 1]"},
}


def case(name, large):
    """Returns the text of a case."""
    c = CASES[name]
    cells = c.get("large", LARGE) if large else c.get("cells", SMALL)
    grading = ", " + c["grading"] if "grading" in c else ""
    return f"""grid: {{cells: {cells}, size: {c.get("size", "[1, 1, 1]")}{grading}}}
physics: {{rayleigh: 500{c.get("physics", "")}}}
boundaries: {{{c.get("walls", WALLS)}}}
initial: {{perturbation: {{noise: 0.02, seed: 3}}}}
time: {{end: 100}}
solver: {{{c.get("solver", "")}}}
checkpoint: {{every: 10h}}
"""


def steps(program, text, options):
    """Runs a case; returns the wall seconds of each step and the Nusselt numbers."""
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        (work / "case.yaml").write_text(text)
        command = [program, "run", work / "case.yaml", "--out", work / "out", "--device", options.device, "--threads", str(options.threads)]
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        series = work / "out" / "series.csv"
        while run.poll() is None and not (series.exists() and series.stat().st_size > 0):
            time.sleep(0.05)
        time.sleep(options.seconds)
        run.send_signal(signal.SIGINT)  # it ends after a step, with all rows
        if run.wait() != 130:
            sys.exit(f"{program} ended with {run.returncode}\n{text}\n{run.stderr.read()}")
        with open(work / "out" / "series.csv", newline="") as file:
            rows = list(csv.DictReader(file))[1:]
    wall = list(rows[0])[-1]
    nusselt = next(key for key in rows[0] if key.startswith("nusselt"))
    at = [float(row[wall]) for row in rows if row["step"].isdigit()]
    return [b - a for a, b in zip(at, at[1:])], [row[nusselt] for row in rows[1:]]


def compare(name, options):
    """Prints the line of one case."""
    olds, news, ratios, same = [], [], [], True
    text = case(name, options.large)
    for turn in range(options.turns):
        order = [options.old, options.new][:: 1 if turn % 2 == 0 else -1]
        runs = {program: steps(program, text, options) for program in order}
        (old, of), (new, nf) = runs[options.old], runs[options.new]
        count = min(len(old), len(new))
        if count < 12:
            sys.exit(f"{name}: {count} steps are too few; give more --seconds")
        same = same and of[count - 1] == nf[count - 1]
        a, b = statistics.median(old[10:count]), statistics.median(new[10:count])
        olds.append(a)
        news.append(b)
        ratios.append(b / a)
    print(f"{name:10} old {1e3 * statistics.median(olds):9.3f} ms  new {1e3 * statistics.median(news):9.3f} ms  new/old {statistics.median(ratios):.3f} "
          f"({min(ratios):.3f} to {max(ratios):.3f})  {count} steps, Nu {'the same' if same else 'DIFFERS'}", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("old")
    p.add_argument("new")
    p.add_argument("cases", nargs="*", metavar="CASE", help=" ".join(CASES))
    p.add_argument("--device", default="cpu")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--turns", type=int, default=5)
    p.add_argument("--seconds", type=int, default=4)
    p.add_argument("--large", action="store_true")
    options = p.parse_intermixed_args()
    if unknown := set(options.cases) - set(CASES):
        p.error(f"no such case: {' '.join(unknown)}; there are {' '.join(CASES)}")
    for name in options.cases or CASES:
        compare(name, options)


if __name__ == "__main__":
    main()
