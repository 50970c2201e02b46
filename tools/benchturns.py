#!/usr/bin/python3
"""Runs a benchmark by two programs in turns, as before and after a change, and compares the time of every row.

    /usr/bin/python3 tools/benchturns.py OLD NEW NAME [--turns 5] [-- OPTION...]

OPTIONs are those of convect bench, as --device cuda:0 --precision all. Rows are compared whose labels are the same, as far as both programs
have them; of several of one program that is the first. Of each turn the ratio of new to old is taken, of the first column of a row that is a
measured time, or else of the inverse of a rate. Printed are its median, its least and its largest, then the least time of new over the least
of old, which other work on the machine changes less, and at the end how many rows there were. A failing benchmark ends this one.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

TIMES = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}


def times(program, name, options):
    """Runs a benchmark; returns the table, the labels and the seconds of each row, or the inverse of the rate where it has no time."""
    with tempfile.TemporaryDirectory() as out:
        run = subprocess.run([program, "bench", name, "--out", out, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if run.returncode:
            sys.exit(f"{program} bench {name} ended with {run.returncode}\n{run.stderr}")
        tables = json.loads((pathlib.Path(out) / f"{name}.json").read_text())["tables"]
    rows = []
    for table in tables:
        labels = [c["key"] for c in table["columns"] if c["origin"] == "label"]
        measured = [c for c in table["columns"] if c["origin"] == "measured"]
        timed = [c for c in measured if c.get("unit") in TIMES] or [c for c in measured if c.get("unit", "").endswith("/s")]
        for row in table["rows"]:
            column = next((c for c in timed if row.get(c["key"])), None)
            if column:
                value = row[column["key"]]
                rows.append((table["key"], {key: str(row.get(key, "")) for key in labels}, value * TIMES[column["unit"]] if column["unit"] in TIMES else 1 / value))
    return rows


def common(old, new):
    """Returns the seconds of both by table and labels that both have."""
    known = {}
    for rows in old, new:
        for table, labels, _ in rows:
            known.setdefault(table, []).append(labels.keys())
    found = []
    for rows in old, new:
        named = {}
        for table, labels, seconds in rows:
            named.setdefault((table, *(v for k, v in labels.items() if all(k in keys for keys in known[table]))), seconds)
        found.append(named)
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("old")
    p.add_argument("new")
    p.add_argument("name")
    p.add_argument("--turns", type=int, default=5)
    own, options = (sys.argv[1 : sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1 :]) if "--" in sys.argv else (sys.argv[1:], [])
    o = p.parse_args(own)
    ratios, labels = {}, [set(), set()]
    for turn in range(o.turns):
        order = [o.old, o.new][:: 1 if turn % 2 == 0 else -1]
        found = {program: times(program, o.name, options) for program in order}
        old, new = common(found[o.old], found[o.new])
        labels = [labels[0] | old.keys(), labels[1] | new.keys()]
        for row in old.keys() & new.keys():
            ratios.setdefault(row, []).append((old[row], new[row]))
    for row, turns in sorted(ratios.items()):
        r = [new / old for old, new in turns]
        least = min(new for _, new in turns) / min(old for old, _ in turns)
        print(f"{statistics.median(r):.3f} ({min(r):.3f} to {max(r):.3f})  least {least:.3f}  {' · '.join(row)}")
    print(f"{o.name}: {len(ratios)} rows in {o.turns} turns; by one alone: {len(labels[0] - labels[1])} of old, {len(labels[1] - labels[0])} of new")


if __name__ == "__main__":
    main()
