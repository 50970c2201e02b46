#!/usr/bin/python3
"""Check that xarray opens the snapshots of runs, with both of its engines, and that the recipes of docs/python.md run.

    /usr/bin/python3 tools/pythoncheck.py DIR...          every snapshot, slice and average of these runs
    /usr/bin/python3 tools/pythoncheck.py --recipes PAGE  each block of Python of a page, in the present folder

Values are compared, to the bit, with what bin/convect reads of the same file (convect export). Exit code: 0 as expected, 1 not.
Needs Debian's python3-xarray, python3-h5netcdf, python3-netcdf4 and python3-dask.
"""
import contextlib
import glob
import io
import os
import re
import subprocess
import sys
import tempfile
import traceback

import numpy
import xarray

ENGINES = ["h5netcdf", "netcdf4"]
BINARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bin", "convect")
failures = []


def expect(holds, text):
    if not holds:
        failures.append(text)
        print("FAIL " + text)


def exported(path):
    """Returns the columns that convect writes of a snapshot, by name."""
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "all.csv")
        subprocess.run([BINARY, "export", path, "-o", table], check=True, stdout=subprocess.DEVNULL)
        with open(table) as file:
            names = file.readline().strip().split(",")
        return dict(zip(names, numpy.loadtxt(table, delimiter=",", skiprows=2, ndmin=2).T))


def check_file(path, engine, columns):
    """Compares a file with the columns of it; returns the number of compared arrays."""
    compared = 0
    with xarray.open_dataset(path, engine=engine) as ds:
        what = "%s (%s)" % (path, engine)
        expect(ds.attrs.get("Conventions", "").startswith("CF-"), what + ": no conventions")
        expect(ds.time.dtype == numpy.float64 and ds.time.ndim == 0, what + ": the time is %s" % ds.time)
        for axis in "xyz":
            expect(ds[axis].dims == (axis,) and "units" in ds[axis].attrs, "%s: %s has no axis of its own or no units" % (what, axis))
            if axis in columns:
                expect(set(columns[axis]) == set(ds[axis].values), "%s: coordinates along %s differ" % (what, axis))
        fields = [name for name in ds.data_vars if ds[name].dims[:3] == ("z", "y", "x")]
        expect(len(fields) > 0, what + ": no fields")
        for name in fields:
            field = ds[name]
            expect("units" in field.attrs and "long_name" in field.attrs and "time" in field.coords, "%s: %s lacks attributes" % (what, name))
            parts = {name: field}
            if "component" in field.dims:
                parts = {"%s_%s" % (name, c): field.sel(component=c) for c in "xyz"}
            for column, part in parts.items():
                values = part.values.ravel()
                if column not in columns:  # y in 2-D
                    expect(column.endswith("_y") and not values.any(), "%s: no column %s" % (what, column))
                    continue
                expect(numpy.array_equal(values, columns[column].astype(values.dtype)), "%s: %s differs" % (what, column))
                compared += 1
    return compared


def check_run(folder):
    """Checks all files of a run, and each folder of them as one dataset."""
    compared = 0
    files = {}
    for pattern in ["snapshots", "slices/*/snapshots", "averages/*/snapshots"]:
        for path in sorted(glob.glob(os.path.join(folder, pattern, "*.hdf"))):
            files.setdefault(os.path.dirname(path), []).append(path)
    expect(len(files) > 0, folder + ": no snapshots")
    for place, paths in files.items():
        for path in [paths[0], paths[-1]] if len(paths) > 2 else paths:
            columns = exported(path)
            for engine in ENGINES:
                compared += check_file(path, engine, columns)
        for engine in ENGINES:
            with xarray.open_mfdataset(place + "/*.hdf", engine=engine, concat_dim="time", combine="nested", data_vars="minimal" if "averages" in place else "all") as ds:
                ds = ds.sortby("time")
                expect(ds.time.size == len(paths), "%s (%s): %d times of %d files" % (place, engine, ds.time.size, len(paths)))
                expect(bool((numpy.diff(ds.time.values) > 0).all()), "%s (%s): times do not increase" % (place, engine))
    expect(compared > 0, folder + ": nothing was compared")
    print("%s: %d arrays compared in %d folders" % (folder, compared, len(files)))


def run_recipes(page):
    """Runs the blocks of Python of a page, each by itself."""
    text = open(page).read()
    recipes = re.findall(r"^## (.*?)$.*?^```python\n(.*?)^```", text, re.M | re.S)
    expect(len(recipes) >= 5, "%s has %d recipes" % (page, len(recipes)))
    for title, code in recipes:
        said, wrong = io.StringIO(), ""
        with contextlib.redirect_stdout(said):
            try:
                exec(compile(code, "%s: %s" % (page, title), "exec"), {})
            except Exception:
                wrong = traceback.format_exc()
        expect(wrong == "", "%s: %s:\n%s" % (page, title, wrong))
        expect(said.getvalue().strip() != "", "%s: %s prints nothing" % (page, title))
        print("%s: %s\n%s" % (page, title, said.getvalue()))


if sys.argv[1:2] == ["--recipes"]:
    run_recipes(sys.argv[2])
else:
    for run in sys.argv[1:]:
        check_run(run)
sys.exit(1 if failures else 0)
