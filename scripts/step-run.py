#!/usr/bin/python3
"""Draws the run of runs/krotkiewski and writes its page: docs/benchmarks/h200/step-run.md with two PNG files and the tables behind them.

    /usr/bin/python3 scripts/step-run.py RUN FOLDER [--snapshot FILE] [--command TEXT]

RUN is a finished run directory: summary.json, series.csv, run.log, case.yaml. FOLDER gets step-run.md, step-run.png (ParaView: the temperature of
the last snapshot), step-run-nusselt.png, and step-run/ with summary.json, case.yaml and series.csv, whose rows are thinned to --rows. Every figure
of the page comes from these files. RUN may be FOLDER/step-run itself: then nothing but the page and the plot of the Nusselt number are drawn anew, unless
there is --snapshot.

    --snapshot FILE    what to draw, if not the last of RUN/snapshots: the same on a coarser grid, say, as this makes it:
                       convect run CASE --set 'grid.cells=[256, 256, 64]' --set 'initial={temperature: {file: SNAPSHOT}}' \\
                           --set time.end=1e-9 --set output.compress=true
    --command TEXT     the command of the run, for the page
    --rows N           rows of the committed series.csv, the first and last included (1000)

Needs what `sh scripts/setup.sh paraview` installs, and Debian's python3-matplotlib.
"""
import argparse
import csv
import glob
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "tools"))

WARM = 0.65  # temperature of the surface that is drawn


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("run")
    p.add_argument("folder")
    p.add_argument("--snapshot")
    p.add_argument("--command")
    p.add_argument("--rows", type=int, default=1000)
    return p.parse_args()


def read_series(path):
    """Returns the names, the line of units, and the rows as text."""
    with open(path, newline="") as f:
        rows = list(csv.reader(f))
    return rows[0], rows[1], rows[2:]


def column(names, rows, name):
    n = names.index(name)
    return [float(r[n]) if r[n] else float("nan") for r in rows]


def keep(run, folder, rows):
    """Copies what the page is made of, the table thinned; returns the folder of the copies."""
    to = os.path.join(folder, "step-run")
    if os.path.exists(to) and os.path.samefile(run, to):
        return to
    os.makedirs(to, exist_ok=True)
    for name in ("summary.json", "case.yaml", "run.log"):
        shutil.copyfile(os.path.join(run, name), os.path.join(to, name))
    names, units, all_rows = read_series(os.path.join(run, "series.csv"))
    last = len(all_rows) - 1
    wanted = min(rows, last + 1) - 1
    with open(os.path.join(to, "series.csv"), "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerows([names, units] + [all_rows[n * last // wanted] for n in range(wanted + 1)])
    # Means over steps cannot be had from a thinned table.
    means = {name: mean(column(names, all_rows[1:], name)) for name in ("cycles_pressure", "cycles_diffusion", "dt")}
    with open(os.path.join(to, "means.json"), "w") as f:
        json.dump(means, f, indent=2)
        f.write("\n")
    return to


def mean(values):
    return sum(values) / len(values)


def plot_nusselt(names, rows, summary, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    time = column(names, rows, "time")
    figure, axes = pyplot.subplots(figsize=(8, 4.2), dpi=120)
    for name, label in (("nusselt_hot", "bottom"), ("nusselt_cold", "top"), ("nusselt_volume", "volume mean")):
        axes.plot(time, column(names, rows, name), label=label, linewidth=1)
    axes.axhline(summary["nusselt_mean"], color="black", linewidth=0.8, linestyle="--",
                 label="mean of the last half, %.2f ± %.2f" % (summary["nusselt_mean"], summary["nusselt_stderr"]))
    axes.set_xlabel("time (H²/κ)")
    axes.set_ylabel("Nusselt number")
    axes.set_xlim(time[0], time[-1])
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path)


def draw(snapshot, path):
    """Draws the surface of warm fluid before two walls, with ParaView, and returns what the picture shows."""
    from readcheck import open_reader, start_display
    start_display()
    from paraview import simple
    reader = open_reader(simple, os.path.abspath(snapshot))
    reader.UpdatePipeline()
    x0, x1, y0, y1, z0, z1 = reader.GetDataInformation().GetBounds()
    view = simple.CreateRenderView()
    view.ViewSize = [1200, 760]
    view.Background = [1, 1, 1]
    view.UseColorPaletteForBackground = 0
    view.OrientationAxesVisibility = 0
    colours = simple.GetColorTransferFunction("temperature")
    shown = []
    for origin, normal in (((x0 + 1e-6, 0, 0), (1, 0, 0)), ((0, y1 - 1e-6, 0), (0, 1, 0)), ((0, 0, z0 + (z1 - z0) / 64), (0, 0, 1))):
        wall = simple.Slice(Input=reader)
        wall.SliceType.Origin, wall.SliceType.Normal = origin, normal
        shown.append(simple.Show(wall, view))
        shown[-1].Ambient, shown[-1].Diffuse = 1, 0  # a plane is not shaded
    surface = simple.Contour(Input=reader)
    surface.ContourBy, surface.Isosurfaces = ["POINTS", "temperature"], [WARM]
    shown.append(simple.Show(surface, view))
    outline = simple.Show(simple.Outline(Input=reader), view)
    outline.AmbientColor = outline.DiffuseColor = [0, 0, 0]
    for display in shown:
        simple.ColorBy(display, ("POINTS", "temperature"))
        display.LookupTable = colours
    colours.AutomaticRescaleRangeMode = "Never"
    colours.RescaleTransferFunction(0, 1)
    shown[0].SetScalarBarVisibility(view, True)
    bar = simple.GetScalarBar(colours, view)
    bar.Title, bar.ComponentTitle = "temperature", ""
    bar.TitleColor = bar.LabelColor = [0, 0, 0]
    bar.AddRangeLabels, bar.LabelFormat = 0, "%.1f"
    camera = view.GetActiveCamera()
    centre = [(x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2]
    camera.SetFocalPoint(*centre)
    camera.SetPosition(centre[0] + 4, centre[1] - 7, centre[2] + 5)
    camera.SetViewUp(0, 0, 1)
    simple.ResetCamera(view)
    camera.Zoom(1.25)
    simple.SaveScreenshot(path, view, CompressionLevel="9")
    e = reader.GetDataInformation().GetExtent()
    return "Temperature at the end in ParaView, on %d x %d x %d of the nodes: near the bottom, on two walls, and where it is %g." % (
        e[1] - e[0] + 1, e[3] - e[2] + 1, e[5] - e[4] + 1, WARM)


def write_page(data, folder, command, drawn):
    with open(os.path.join(data, "summary.json")) as f:
        s = json.load(f)
    with open(os.path.join(data, "means.json")) as f:
        means = json.load(f)
    with open(os.path.join(data, "case.yaml")) as f:
        cells = [int(n) for n in re.search(r"cells: \[([^]]*)\]", f.read()).group(1).split(",")]
    with open(os.path.join(data, "run.log")) as f:
        date = f.readline().split(" INF ")[0]
    names, _, rows = read_series(os.path.join(data, "series.csv"))
    time, wall = column(names, rows, "time"), column(names, rows, "wall_seconds")
    hot, cold = column(names, rows, "nusselt_hot"), column(names, rows, "nusselt_cold")
    figures = [("machine", s["device"]), ("date", date), ("precision", s["precision"]),
               ("nodes", "%s, %d" % (" x ".join(str(n + 1) for n in cells), s["nodes"])),
               ("steps", "%d" % s["steps"]), ("simulated time", "%.6g" % s["time"]), ("mean step", "%.4g" % means["dt"]),
               ("wall seconds of the steps and their output", "%.2f" % s["wall_seconds"]),
               ("steps a second", "%.1f" % (s["steps"] / s["wall_seconds"])),
               ("node steps a second", "%.4g" % s["node_steps_per_second"]),
               ("cycles a step: pressure, temperature", "%.2f, %.2f" % (means["cycles_pressure"], means["cycles_diffusion"])),
               ("Nusselt number at the end: mean, bottom, top", "%.3f, %.3f, %.3f" % (s["nusselt"], s["nusselt_hot"], s["nusselt_cold"])),
               ("its mean over the last half of the time", "%.3f ± %.3f" % (s["nusselt_mean"], s["nusselt_stderr"])),
               ("speed at the end: rms, largest", "%.1f, %.1f" % (s["speed_rms"], s["speed_max"]))]
    lines = ["# A run to a developed flow", "",
             "The box of Krotkiewski & Dabrowski's time steps, [runs/krotkiewski](../../../runs/krotkiewski), closed, heated from below, Ra = %g," % s["rayleigh"],
             "from disturbed conduction until the flow has long forgotten it, with the diagnostics of every step.", "",
             "    " + command, "", "| | |", "|---|---|"]
    lines += ["| %s | %s |" % row for row in figures]
    lines += ["", "![Temperature at the end](step-run.png)", "", drawn, "", "![Nusselt number over time](step-run-nusselt.png)", "",
              "Nu over time, from [series.csv](step-run/series.csv), %d rows of %d:" % (len(rows), s["steps"] + 1), "",
              "| time | step | Nu bottom | Nu top | wall seconds |", "|--:|--:|--:|--:|--:|"]
    step, tenths = column(names, rows, "step"), 12
    for n in range(tenths + 1):
        at = min(range(len(time)), key=lambda i: abs(time[i] - s["time"] * n / tenths))
        lines.append("| %.5f | %d | %.3f | %.3f | %.2f |" % (time[at], step[at], hot[at], cold[at], wall[at]))
    lines += ["", "`scripts/step-run.py` made this page, its picture and its plot from [summary.json](step-run/summary.json),",
              "[means.json](step-run/means.json) (means over all steps) and series.csv of the run directory.", ""]
    with open(os.path.join(folder, "step-run.md"), "w") as f:
        f.write("\n".join(lines))
    plot_nusselt(names, rows, s, os.path.join(folder, "step-run-nusselt.png"))


def noted(folder, name, value):
    """Keeps a text of the page beside its data, and returns the one kept where there is none anew."""
    path = os.path.join(folder, "step-run", "notes.json")
    notes = {}
    if os.path.exists(path):
        with open(path) as f:
            notes = json.load(f)
    if value is not None:
        notes[name] = value
        with open(path, "w") as f:
            json.dump(notes, f, indent=2, sort_keys=True, ensure_ascii=False)
            f.write("\n")
    return notes.get(name, "")


def main():
    args = arguments()
    data = keep(args.run, args.folder, args.rows)
    snapshots = sorted(glob.glob(os.path.join(args.run, "snapshots", "snap_*.hdf")))
    snapshot = args.snapshot or (snapshots[-1] if snapshots else None)
    drawn = None
    if snapshot:
        drawn = draw(snapshot, os.path.join(args.folder, "step-run.png"))
    write_page(data, args.folder, noted(args.folder, "command", args.command), noted(args.folder, "drawn", drawn))


main()
