#!/usr/bin/python3
"""Checks that two programs compute the same bits on this machine's processor, as before and after a change that promises so.

    go build -o /tmp/old ./cmd/convect        in a checkout of the commit before
    /usr/bin/python3 tools/samebits.py /tmp/old bin/convect [CASE]...

Runs 16 small cases with both and compares series.csv, less the column of wall seconds, and every array of every
checkpoint; columns and numbers that one of the programs alone has are named and left out. Needs python3-h5py. Exit code 0: all bits are the same.
"""
import pathlib
import subprocess
import sys
import tempfile

import h5py

FLAT = "grid: {cells: [28, 20], size: [1.4, 1]}"
BOX = "grid: {cells: [16, 12, 10], size: [1.6, 1.2, 1]}"
WALLS = "boundaries: {bottom: {temperature: 1}, top: {temperature: 0}}"


def case(grid, physics, walls=WALLS, solver="", time="end: 0.05", transport="tvd"):
    """Returns the text of a case."""
    return f"""{grid}
physics: {{{physics}}}
{walls}
initial: {{perturbation: {{noise: 0.02, seed: 3}}}}
time: {{{time}, max_step: 5e-4}}
output: {{every: {{steps: 40}}}}
checkpoint: {{every: {{steps: 30}}, keep: 100}}
solver: {{transport: {transport}{solver}}}
"""


CASES = {
    "flat": case(FLAT, "rayleigh: 200"),
    "flat-float32": case(FLAT, "rayleigh: 200", solver=", precision: float32"),
    "flat-27-points": case(FLAT, "rayleigh: 200", solver=", stencil: 27, precision: float64"),
    "box": case(BOX, "rayleigh: 200", time="end: 0.02"),
    "box-float64": case(BOX, "rayleigh: 200", solver=", precision: float64", time="end: 0.02", transport="weno5"),
    "box-float32": case(BOX, "rayleigh: 200", solver=", precision: float32", time="end: 0.02", transport="central"),
    "box-27-points": case(BOX, "rayleigh: 200", solver=", stencil: 27", time="end: 0.02"),
    "graded": case("grid: {cells: [28, 20], size: [1.4, 1], grading: {z: {ratio: 6, cluster: both}, x: {ratio: 2, cluster: low}}}", "rayleigh: 200"),
    "periodic": case(BOX, "rayleigh: 200", WALLS[:-1] + ", left: periodic, right: periodic, front: periodic, back: periodic}", time="end: 0.02"),
    "open": case(FLAT, "rayleigh: 150", "boundaries: {bottom: {heat_flux: 1}, top: {temperature: 0, flow: open}}"),
    "patches": case(FLAT, "rayleigh: 150", """boundaries:
  bottom: {temperature: 0}
  top: {temperature: 0}
  patches: [{wall: bottom, x: [0.3, 0.8], temperature: 1}, {wall: top, x: [1, 1.4], flow: open}]"""),
    "lognormal": case(BOX, "rayleigh: 300, permeability: {lognormal: {variance: 1, correlation: 0.2, seed: 5}}", time="end: 0.02"),
    "layers": case(FLAT, "rayleigh: 300, permeability: {layers: [{top: 0.35, value: 1}, {top: 1, value: 0.2}]}, heat_capacity_ratio: 0.7"),
    "viscosity": case(BOX, 'rayleigh: 100, viscosity: "exp(-T)", heat_source: "0.5*x"', time="end: 0.02"),
    "walls-in-time": case(FLAT, "rayleigh: 100", 'boundaries: {bottom: {temperature: "1+0.2*sin(300*t)"}, top: {temperature: "t < 0.02 ? 0 : 0.3"}}'),
    "steady": case(FLAT, "rayleigh: 60", solver=", precision: float64", time="end: 2, steady: 1e-4"),
}


def columns(folder):
    """Returns the columns of series.csv by name, the last one left out."""
    lines = [line.split(",")[:-1] for line in (folder / "series.csv").read_text().splitlines()]
    return {name: [line[n] for line in lines[1:]] for n, name in enumerate(lines[0])}


def arrays(path):
    """Returns the bytes of all datasets of a checkpoint but the text of the case."""
    found = {}

    def note(name, item):
        if isinstance(item, h5py.Dataset) and not name.startswith("convect/"):
            found[name] = item[()].tobytes()

    with h5py.File(path) as file:
        file.visititems(note)
    return found


def difference(old, new):
    """Returns what differs between two run directories, "" where nothing does, and what only one of them has."""
    only = set()

    def differing(a, b):
        only.update(a.keys() ^ b.keys())
        return next((key for key in a.keys() & b.keys() if a[key] != b[key]), "")

    if column := differing(columns(old), columns(new)):
        return f"series.csv: {column}", only
    names = sorted(p.name for p in old.glob("checkpoints/*.h5"))
    if not names or names != sorted(p.name for p in new.glob("checkpoints/*.h5")):
        return "the checkpoints", only
    for name in names:
        if key := differing(arrays(old / "checkpoints" / name), arrays(new / "checkpoints" / name)):
            return f"{name}: {key}", only
    return "", only


def main(old, new, *wanted):
    failed = 0
    for name in wanted or CASES:
        with tempfile.TemporaryDirectory() as work:
            work = pathlib.Path(work)
            (work / "case.yaml").write_text(CASES[name])
            for program, out in (old, "old"), (new, "new"):
                ended = subprocess.run([program, "run", work / "case.yaml", "--out", work / out, "--device", "cpu", "--threads", "2"],
                                       capture_output=True, text=True)
                if ended.returncode:
                    sys.exit(f"{name}: {program} ended with {ended.returncode}\n{ended.stderr}")
            what, only = difference(work / "old", work / "new")
            beside = f"; in one alone: {' '.join(sorted(only))}" if only else ""
            print(f"{name}: {'DIFFERENT: ' + what if what else 'the same'}, {len(columns(work / 'old')['step']) - 1} rows{beside}", flush=True)
            failed += what != ""
    print(f"{failed} of {len(wanted or CASES)} cases differ")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 3 or any(name not in CASES for name in sys.argv[3:]):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
