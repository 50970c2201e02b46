package main

import (
	"bytes"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot/plotter"

	"convect/cmd/convect/casefile"
	"convect/cmd/convect/figure"
	"convect/kernels/cpu"
)

func TestRate(t *testing.T) {
	var r rate
	if steps, times := r.perSecond(); steps != 0 || times != 0 {
		t.Errorf("rate of nothing: %g, %g", steps, times)
	}
	start := time.Unix(0, 0)
	for i := range 2001 { // 100 steps a second, faster in the end
		at := start.Add(time.Duration(i) * 10 * time.Millisecond)
		steps := int64(i)
		if i > 1000 {
			steps = 1000 + 2*int64(i-1000)
		}
		r.add(at, steps, 0.5*float64(steps))
	}
	steps, times := r.perSecond()
	if math.Abs(steps-200) > 1 || math.Abs(times-100) > 1 {
		t.Errorf("%g steps and %g of time a second, want 200 and 100", steps, times)
	}
	if len(r.marks) > 200 {
		t.Errorf("%d marks kept", len(r.marks))
	}
}

func TestTexts(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-1: "time left unknown", 12 * time.Second: "12 s left", 90 * time.Second: "1m30s left",
		3*time.Hour + 7*time.Minute + 20*time.Second: "3h7m left",
	} {
		if got := leftText(d); got != want {
			t.Errorf("leftText(%v) = %q, want %q", d, got, want)
		}
	}
	for n, want := range map[float64]string{1: "1", 9: "9", 364: "360", 4141: "4100", 123456: "120000", 3e8: "3e+08"} {
		if got := roundText(n); got != want {
			t.Errorf("roundText(%g) = %q, want %q", n, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0", 12.34: "12.3", 1234: "1.23 k", 5.2e6: "5.2 M", 7e9: "7 G"} {
		if got := short(v); got != want {
			t.Errorf("short(%g) = %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{100: "100 B", 2048: "2.0 KiB", 3 << 30: "3.0 GiB"} {
		if got := bytesText(v); got != want {
			t.Errorf("bytesText(%g) = %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{1.5: "1.5 seconds", 240: "4 minutes", 8000: "2.2 hours", 3e6: "35 days"} {
		if got := durationText(v); got != want {
			t.Errorf("durationText(%g) = %q, want %q", v, got, want)
		}
	}
}

// circle is the rigid rotation about the middle of the unit square.
func circle() [2]*slice {
	const n = 33
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i) / (n - 1)
	}
	flow := [2]*slice{{across: x, up: x}, {across: x, up: x}}
	for k := range x {
		for i := range x {
			flow[0].values = append(flow[0].values, -(x[k] - 0.5))
			flow[1].values = append(flow[1].values, x[i]-0.5)
		}
	}
	return flow
}

func TestStreamlinesOfARotation(t *testing.T) {
	lines := streamlines(circle())
	if len(lines) < 5 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, l := range lines {
		points := l.(streamline).points
		radius := func(p plotter.XY) float64 { return math.Hypot(p.X-0.5, p.Y-0.5) }
		for _, p := range points {
			if math.Abs(radius(p)-radius(points[0])) > 0.01 {
				t.Fatalf("a line leaves its circle of %g: %g", radius(points[0]), radius(p))
			}
		}
	}
	still := circle()
	for i := range still[0].values {
		still[0].values[i], still[1].values[i] = 0, 0
	}
	if lines := streamlines(still); len(lines) != 0 {
		t.Errorf("%d lines in fluid at rest", len(lines))
	}
}

func TestPictureOfTwoPanels(t *testing.T) {
	flow := circle()
	for _, scale := range []float64{1, 0} { // 0: the same value everywhere
		field := &slice{across: flow[0].across, up: flow[0].up}
		for _, v := range flow[1].values {
			field.values = append(field.values, scale*v)
		}
		l, err := plainLook(&quantity{label: "T"}, "png", pictureDots)
		if err != nil {
			t.Fatal(err)
		}
		x, z := figure.Axis{Label: "x"}, figure.Axis{Label: "z"}
		data, err := drawPicture([]panel{{field: field, flow: flow, across: x, up: z}, {field: field, across: x, up: x}}, "title", l)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if b := img.Bounds(); b.Dx() < b.Dy() {
			t.Errorf("two square panels side by side make a picture of %v", b)
		}
	}
}

func TestSliceInterpolates(t *testing.T) {
	s := &slice{across: []float64{0, 1, 2}, up: []float64{0, 2}, values: []float64{0, 1, 2, 4, 5, 6}}
	for _, p := range [][3]float64{{0, 0, 0}, {2, 2, 6}, {0.5, 1, 2.5}, {1.25, 0.5, 2.25}} {
		if got := s.at(p[0], p[1]); math.Abs(got-p[2]) > 1e-14 {
			t.Errorf("at(%g, %g) = %g, want %g", p[0], p[1], got, p[2])
		}
	}
}

func TestCheckOfALargeCase(t *testing.T) {
	dir := writeCase(t, strings.Replace(smallCase, "cells: [16, 8]", "cells: [4096, 2048]", 1))
	c, err := loadCase(filepath.Join(dir, "small.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	small, how, err := coarser(c, func(extra ...string) (*casefile.Case, error) {
		return loadCase(filepath.Join(dir, "small.yaml"), extra)
	}, trialNodes)
	if err != nil {
		t.Fatal(err)
	}
	if small.Extent().Cells != [3]int{864, 0, 416} || how != "measured on 864 × 416 cells" {
		t.Errorf("%v, %s", small.Extent().Cells, how)
	}
}

func TestDevices(t *testing.T) {
	dev, err := openDevice("auto", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	var b bytes.Buffer
	if err := listDevice(&b, dev); err != nil {
		t.Fatal(err)
	}
	for _, part := range append([]string{"cpu: ", "threads      1", "memory ", "GB/s"}, cpu.Instructions()...) {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%q is not in\n%s", part, &b)
		}
	}
}

func TestWallsText(t *testing.T) {
	for want, walls := range map[string][2]float64{"hot wall 2.00000, cold wall 1.00000": {2, 1}, "hot wall 2.00000": {2, math.NaN()}, "cold wall 1.00000": {math.NaN(), 1}} {
		if got := wallsText([2]string{"hot", "cold"}, walls[0], walls[1]); got != want {
			t.Errorf("%v is printed as %q, want %q", walls, got, want)
		}
	}
}

func TestLongTitleIsShortened(t *testing.T) {
	fits := func(line string) bool { return len([]rune(line)) <= 6 }
	for text, want := range map[string]string{"Größe\nRa = 1": "Größe\nRa = 1", "Wärmestrom\nRa = 10": "Wärme…\nRa = …", "": ""} {
		if got := figure.Shortened(text, fits); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// What another program wrote is listed; types that convect does not read, and arrays without values, are no damage.
func TestInspectForeign(t *testing.T) {
	path, err := filepath.Abs("testdata/foreign.h5") // by h5py: compound, enum, text of any length, no values, numbers
	if err != nil {
		t.Fatal(err)
	}
	out, _ := mustRun(t, t.TempDir(), "inspect", path)
	if strings.Contains(out, "DAMAGED") || strings.Contains(out, "Inf") || strings.Count(out, "not read") != 4 || !strings.Contains(out, "           1.5           2.5             2  none\n") {
		t.Errorf("inspect of a foreign file:\n%s", out)
	}
}

func TestInspect(t *testing.T) {
	dir := writeCase(t, smallCase)
	mustRun(t, dir, "run", "small.yaml")
	for file, parts := range map[string][]string{
		"snapshots/snap_000000.hdf": {"snapshot of convect", "step      0", "grid      16 × 8 cells, size 2 × 1", "/VTKHDF/PointData/temperature", "9 × 1 × 17", " ok\n"},
		"checkpoints":               {"checkpoint of convect", "time      0.05\n", "instruction ", "/fields/temperature", "precision mixed"},
	} {
		path := filepath.Join("small.out", file)
		if file == "checkpoints" {
			names := fileNames(t, filepath.Join(dir, path))
			path = filepath.Join(path, names[len(names)-1])
		}
		out, _ := mustRun(t, dir, "inspect", path)
		for _, p := range parts {
			if !strings.Contains(out, p) {
				t.Errorf("inspect %s lacks %q:\n%s", path, p, out)
			}
		}
	}
	// A flipped bit.
	path := filepath.Join(dir, "small.out/snapshots/snap_000000.hdf")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := convect(t, dir, "inspect", path); code != exitFailed || !strings.Contains(errs, path) {
		t.Errorf("a flipped bit: exit code %d, %s", code, errs)
	}
}
