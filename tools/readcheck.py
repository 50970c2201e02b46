#!/usr/bin/python3
"""Check that ParaView reads the snapshots of a run, without a display.

    timeout -s KILL 120 /usr/bin/python3 tools/readcheck.py FILE [options]

FILE is what a user would open: snapshots.xmf, snapshots.hdf.series, or one snap_*.hdf. Every time step is read
whole; the steps, times, geometry, arrays and ranges are printed and compared with what is expected:

    --steps N                 number of time steps
    --times T0,T1,...         their times (relative tolerance 1e-9)
    --dims NX,NY,NZ           points along x, y, z (NY = 1 in 2-D)
    --bounds X0,X1,...,Z1     of the domain
    --spacing DX,DY,DZ        of a uniform grid
    --coordinates z,Z0,Z1,... points of a graded grid along an axis; may be repeated
    --arrays NAME[:N],...     point arrays, with N components (default 1); no others may be there
    --cells NAME[:N],...      the same of cell arrays; left out: none
    --range NAME,LO,HI        all values of an array lie in [LO, HI]; may be repeated
    --periodic x,y            first and last plane of these axes hold the same values
    --png FILE                draw the temperature (or the first array) at the last time; needs Xvfb or a display

Values that are not finite, arrays of the wrong length, times that do not increase and any error text from the
reader are failures too. Exit code: 0 read whole and as expected, 1 not as expected, 2 not readable, 3 no ParaView
here. ParaView may abort or hang on a bad file: hence timeout -s KILL.

Needs Debian's or Ubuntu's paraview and python3-paraview (5.11), and xvfb with libgl1-mesa-dri for --png.
"""
import argparse
import ctypes
import os
import re
import subprocess
import sys
import tempfile


def numbers(text):
    return [float(v) for v in text.split(",")]


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("file")
    p.add_argument("--steps", type=int)
    p.add_argument("--times", type=numbers)
    p.add_argument("--dims", type=numbers)
    p.add_argument("--bounds", type=numbers)
    p.add_argument("--spacing", type=numbers)
    p.add_argument("--coordinates", action="append", default=[])
    p.add_argument("--arrays")
    p.add_argument("--cells", default="")
    p.add_argument("--range", action="append", default=[])
    p.add_argument("--periodic", default="")
    p.add_argument("--png")
    return p.parse_args()


class ReaderMessages:
    """Catches what C++ code writes to stderr, where ParaView reports errors of its readers."""

    def __init__(self):
        self.stderr = os.dup(2)
        self.file = tempfile.TemporaryFile()
        os.dup2(self.file.fileno(), 2)

    def errors(self):
        sys.stderr.flush()
        self.file.seek(0)
        text = re.sub(r"\x1b\[[0-9;]*m", "", self.file.read().decode(errors="replace"))
        return [line.strip() for line in text.splitlines() if re.search(r"ERR\||FATL|HDF5-DIAG|Traceback|Error", line)]


class Check:
    """Collects failures and ends the process."""

    def __init__(self, path, messages):
        self.path, self.messages, self.failures = path, messages, []

    def expect(self, holds, text):
        if not holds:
            self.failures.append(text)

    def end(self, code=0):
        errors = self.messages.errors()
        for line in errors[:8]:
            self.failures.append("the reader says: " + line[:300])
        for line in self.failures:
            print("FAIL " + line)
        if self.failures and code == 0:
            code = 1
        print("%s %s" % ("ok" if code == 0 else "FAILED", self.path), flush=True)
        os._exit(code)  # ParaView may crash in its own clean-up without a display; the result is known by now


def close(a, b, tolerance=1e-9):
    return len(a) == len(b) and all(abs(x - y) <= tolerance * max(abs(x), abs(y), 1e-300) or x == y for x, y in zip(a, b))


def start_display():
    """Starts an X server unless there is one: Debian's ParaView draws through GLX only.

    -noreset: VTK closes its connection and opens another, between which a resetting server would go away.
    The server is told by the kernel to end with this process.
    """
    if os.environ.get("DISPLAY"):
        return
    os.environ["LIBGL_ALWAYS_SOFTWARE"] = "1"
    read, write = os.pipe()
    subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"],
                     pass_fds=[write], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                     preexec_fn=lambda: ctypes.CDLL(None).prctl(1, 15, 0, 0, 0))
    os.close(write)
    number = os.read(read, 16).decode().strip()
    if not number:
        raise OSError("Xvfb did not start")
    os.environ["DISPLAY"] = ":" + number


def open_reader(simple, path):
    if path.endswith((".hdf", ".hdf.series")):
        return simple.VTKHDFReader(FileName=path)
    return simple.OpenDataFile(path)


def data_sets(root):
    """Lists the leaves of what a reader returns."""
    if root is None:
        return []
    if not root.IsA("vtkCompositeDataSet"):
        return [root]
    leaves, it = [], root.NewIterator()
    it.InitTraversal()
    while not it.IsDoneWithTraversal():
        leaves.append(it.GetCurrentDataObject())
        it.GoToNextItem()
    return leaves


def check_geometry(check, args, when, data):
    bounds = data.GetBounds()
    text = "bounds " + ",".join("%.6g" % b for b in bounds)
    if args.bounds:
        check.expect(close(bounds, args.bounds, 1e-6), "%s: bounds %s, expected %s" % (when, bounds, args.bounds))
    dims = data.GetDimensions() if hasattr(data, "GetDimensions") else None
    if args.dims:
        check.expect(dims and close(dims, args.dims), "%s: dims %s, expected %s" % (when, dims, args.dims))
    spacing = data.GetSpacing() if data.IsA("vtkImageData") else None
    if args.spacing:
        check.expect(spacing and close(spacing, args.spacing, 1e-6), "%s: spacing %s, expected %s" % (when, spacing, args.spacing))
    for option in args.coordinates:
        axis, _, want = option.partition(",")
        have = coordinates(data, axis)
        check.expect(have and close(have, numbers(want), 1e-6), "%s: %s at %s, expected %s" % (when, axis, have, want))
    print("%s: %s dims %s spacing %s %s" % (when, data.GetClassName(), dims, spacing, text))


def coordinates(data, axis):
    """Returns the points of a rectilinear grid along an axis."""
    if not data.IsA("vtkRectilinearGrid"):
        return None
    values = {"x": data.GetXCoordinates, "y": data.GetYCoordinates, "z": data.GetZCoordinates}[axis]()
    return [values.GetTuple1(i) for i in range(values.GetNumberOfTuples())]


def components(text):
    """Returns the numbers of components of a list of arrays, by name."""
    return {name: int(n or 1) for name, _, n in (a.partition(":") for a in text.split(",") if a)}


def check_arrays(check, args, when, data, to_numpy, np):
    points, found = data.GetPointData(), {}
    for i in range(points.GetNumberOfArrays()):
        array = points.GetArray(i)
        name, n = array.GetName(), array.GetNumberOfTuples()
        check.expect(n == data.GetNumberOfPoints(), "%s: %s has %d values for %d points" % (when, name, n, data.GetNumberOfPoints()))
        v = to_numpy(array).reshape(n, -1)
        check.expect(v.size > 0 and bool(np.isfinite(v).all()), "%s: %s holds values that are not finite" % (when, name))
        found[name] = v
        ends = "  ".join("%.6g .. %.6g" % (v[:, c].min(), v[:, c].max()) for c in range(v.shape[1]))
        print("    %-14s %s  %s" % (name, v.dtype, ends))
        check_periodic(check, args.periodic, when, data, name, v, np)
    cells = [data.GetCellData().GetArray(i) for i in range(data.GetCellData().GetNumberOfArrays())]
    check.expect({a.GetName(): a.GetNumberOfComponents() for a in cells} == components(args.cells), "%s: cell arrays %s" % (when, [a.GetName() for a in cells]))
    for a in cells:
        check.expect(a.GetNumberOfTuples() == data.GetNumberOfCells(), "%s: %s has %d values for %d cells" % (when, a.GetName(), a.GetNumberOfTuples(), data.GetNumberOfCells()))
    if args.arrays:
        want = components(args.arrays)
        have = {name: v.shape[1] for name, v in found.items()}
        check.expect(want == have, "%s: arrays %s, expected %s" % (when, have, want))
    check.expect(found, "%s: no arrays" % when)
    for text in args.range:
        name, low, high = text.split(",")
        v = found.get(name)
        check.expect(v is not None and v.min() >= float(low) and v.max() <= float(high), "%s: %s leaves [%s, %s]" % (when, name, low, high))


def check_periodic(check, axes, when, data, name, v, np):
    """Compares the first and the last plane of the periodic axes; points run x fastest."""
    if not axes:
        return
    nx, ny, nz = data.GetDimensions()
    v = v.reshape(nz, ny, nx, -1)
    for axis in axes.split(","):
        d = {"x": 2, "y": 1, "z": 0}[axis]
        check.expect(np.array_equal(v.take(0, d), v.take(-1, d)), "%s: %s differs between the ends of %s" % (when, name, axis))


def draw(check, simple, reader, times, data, path):
    """Draws the vertical mid-plane of a box, or all of a flat domain, with a scalar bar."""
    points = data.GetPointData()
    name = "temperature" if points.HasArray("temperature") else points.GetArrayName(0)
    x0, x1, y0, y1, z0, z1 = data.GetBounds()
    middle = [(x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2]
    view = simple.CreateRenderView()
    view.ViewSize = [900, 700]
    if times:
        simple.GetAnimationScene().UpdateAnimationUsingDataTimeSteps()
        view.ViewTime = times[-1]
    source = reader
    if y1 > y0:
        source = simple.Slice(Input=reader)
        source.SliceType.Origin, source.SliceType.Normal = middle, [0, 1, 0]
    display = simple.Show(source, view)
    display.SetRepresentationType("Surface")
    simple.ColorBy(display, ("POINTS", name))
    display.RescaleTransferFunctionToDataRange(False, True)
    display.SetScalarBarVisibility(view, True)
    camera = view.GetActiveCamera()
    camera.SetPosition(middle[0], middle[1] - 1, middle[2])
    camera.SetFocalPoint(*middle)
    camera.SetViewUp(0, 0, 1)
    simple.ResetCamera(view)
    simple.SaveScreenshot(path, view)
    check.expect(source.GetDataInformation().GetNumberOfPoints() > 0, "nothing to draw")
    check.expect(os.path.getsize(path) > 2000, "%s is too small for a picture" % path)
    print("drew %s of %s" % (path, name))


def main():
    args = arguments()
    path = os.path.abspath(args.file)
    messages = ReaderMessages()
    check = Check(path, messages)
    try:
        if args.png:
            start_display()
        import numpy as np
        from paraview import simple
        from vtkmodules.util.numpy_support import vtk_to_numpy
    except (ImportError, OSError) as reason:
        print("readcheck: no ParaView here: %s" % reason)
        check.end(3)
    if not os.path.isfile(path):
        print("readcheck: there is no file %s" % path)
        check.end(2)
    reader = open_reader(simple, path)
    if reader is None:
        check.end(2)
    reader.UpdatePipelineInformation()
    times = getattr(reader, "TimestepValues", None)
    times = [] if times is None else [float(t) for t in ([times] if isinstance(times, (int, float)) else times)]
    print("%s with %s: %d time steps %s" % (path, reader.GetXMLName(), len(times), times[:20]))
    if args.steps is not None:
        check.expect(len(times) == args.steps, "%d time steps, expected %d" % (len(times), args.steps))
    if args.times is not None:
        check.expect(close(times, args.times), "times %s, expected %s" % (times, args.times))
    check.expect(all(a < b for a, b in zip(times, times[1:])), "times do not increase")
    data = None
    for time in times or [None]:
        reader.UpdatePipeline() if time is None else reader.UpdatePipeline(time)
        # The reader's own output: servermanager.Fetch spoils rectilinear coordinates in 5.11.
        leaves = data_sets(reader.SMProxy.GetClientSideObject().GetOutputDataObject(0))
        when = "t = %s" % time
        check.expect(len(leaves) == 1, "%s: %d data sets, expected 1" % (when, len(leaves)))
        for data in leaves:
            check_geometry(check, args, when, data)
            check_arrays(check, args, when, data, vtk_to_numpy, np)
    if args.png and data is not None and not check.failures:
        draw(check, simple, reader, times, data, args.png)
    check.end(0 if data is not None and data.GetNumberOfPoints() > 0 else 2)


if __name__ == "__main__":
    main()
