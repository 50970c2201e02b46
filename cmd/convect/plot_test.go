package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/draw"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"convect/cmd/convect/figure"
	"convect/io/series"
)

// boxCase is a box with walls of several kinds, graded cells, a solute and a well, in SI units.
const boxCase = `title: Box κ 10⁻¹⁴
grid: {cells: [8, 6, 8], size: [400, 300, 400], grading: {z: {cluster: low, ratio: 3}}}
physics:
  dimensional: {permeability: 1e-12, viscosity: 1e-3, density: 1000, expansivity: 2e-4, temperature_difference: 40, height: 400, conductivity: 2.2,
    heat_capacity: 4190, porosity: 0.15, rock_density: 2650, rock_heat_capacity: 850, haline_contraction: 7e-4,
    solute_difference: 10, solute_diffusivity: 1e-9}
  solute: {}
boundaries: {bottom: {temperature: 40}, top: {temperature: 0, flow: open}, left: {concentration: 10}, right: {concentration: 0}}
wells: [{name: P, at: [200, 150, 100], rate: -1e-4}]
initial: {perturbation: {mode: [1, 1, 1], amplitude: 1}}
time: {end: 20 yr}
output: {every: {time: 10 yr}}
`

// periodicCase has periodic sides, a tracer and heat from below.
const periodicCase = `title: Periodic
grid: {cells: [24, 12], size: [2, 1]}
physics: {rayleigh: 150, tracers: {dye: {lewis: 3}}}
boundaries: {bottom: {temperature: 1}, top: {temperature: 0, tracers: {dye: {concentration: 1}}}, sides: periodic}
initial: {perturbation: {mode: [2, 0, 1], amplitude: 0.2}}
time: {end: 0.1}
output: {every: {time: 0.05}}
`

// rasterise turns a PDF or SVG into pixels; nil where there is no program for it.
func rasterise(t *testing.T, path string, dots string) image.Image {
	t.Helper()
	out := path + ".raster"
	words := []string{"pdftoppm", "-r", dots, "-png", "-singlefile", path, out}
	if strings.HasSuffix(path, ".svg") {
		words = []string{"rsvg-convert", "-d", dots, "-p", dots, path, "-o", out + ".png"}
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		t.Logf("%s is not looked at: %v", path, err)
		return nil
	}
	if said, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", words, err, said)
	}
	return pngAt(t, out+".png")
}

func pngAt(t *testing.T, path string) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader([]byte(sweptText(t, path))))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return img
}

// difference returns the mean difference of two pictures in parts of 255, of one as it is and of one upside down.
func difference(a, b image.Image) (same, flipped float64) {
	size := a.Bounds().Size()
	n := 0
	for y := range min(size.Y, b.Bounds().Dy()) {
		for x := range min(size.X, b.Bounds().Dx()) {
			p, q := a.At(x, y), b.At(x, y)
			f := b.At(x, min(size.Y, b.Bounds().Dy())-1-y)
			pr, pg, pb, _ := p.RGBA()
			qr, qg, qb, _ := q.RGBA()
			fr, fg, fb, _ := f.RGBA()
			for _, c := range [][3]uint32{{pr, qr, fr}, {pg, qg, fg}, {pb, qb, fb}} {
				same += math.Abs(float64(c[0])-float64(c[1])) / 257
				flipped += math.Abs(float64(c[0])-float64(c[2])) / 257
				n++
			}
		}
	}
	return same / float64(n), flipped / float64(n)
}

// PDF and SVG show what PNG shows, the right way up; the last frame of a film is the still.
func TestPlotsOfFields(t *testing.T) {
	for _, c := range []struct {
		name, text string
		options    []string
	}{
		{"section with contours", smallCase, []string{"--contours", "streamfunction:9", "--contours", "temperature:0.5,"}},
		{"box", boxCase, []string{"--field", "concentration", "--slice", "z=100", "--slice", "x=200", "--slice", "y=0", "--vectors", "--colours", "viridis-r"}},
		{"periodic", periodicCase, []string{"--field", "streamfunction", "--range", "-10,10"}},
		{"cells", strings.NewReplacer("rayleigh: 100", "rayleigh: 100, permeability: {lognormal: {correlation: [0.3, 0.3]}}", "output: {", "output: {fields: [temperature, velocity, permeability], ").
			Replace(smallCase), []string{"--field", "permeability", "--log-colours", "--range", "0.1,10"}},
		{"salt alone", saltAloneCase, []string{"--field", "velocity_z", "--streamlines", "no"}},
	} {
		if testing.Short() && c.name != "box" && c.name != "periodic" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			dir := writeCase(t, c.text)
			mustRun(t, dir, "run", "small.yaml")
			args := append([]string{"plot", "small.out", "--dots", "60"}, c.options...)
			for _, name := range []string{"a.png", "a.pdf", "a.svg", "b.pdf", "b.svg"} {
				mustRun(t, dir, append(args, "-o", name)...)
			}
			still := pngAt(t, filepath.Join(dir, "a.png"))
			for _, format := range []string{"pdf", "svg"} {
				if sweptText(t, dir, "a."+format) != sweptText(t, dir, "b."+format) {
					t.Errorf("two files of %s differ", format)
				}
				if seen := rasterise(t, filepath.Join(dir, "a."+format), "60"); seen != nil {
					const bound = 8 // of 255, at edges and letters
					same, flipped := difference(still, seen)
					if same > bound || flipped < 2*same {
						t.Errorf("%s differs from PNG by %.1f of 255, upside down by %.1f", format, same, flipped)
					}
				}
			}
			mustRun(t, dir, append([]string{"movie", "small.out", "--dots", "60", "-o", "film.png"}, c.options...)...)
			out, _ := mustRun(t, dir, append([]string{"movie", "small.out", "--dots", "60", "-o", "film.gif", "--every", "2"}, c.options...)...)
			_, limits, _ := strings.Cut(out, "colours from ")
			limits = strings.ReplaceAll(limits[:strings.Index(limits, ", ")], " to ", ",")
			if strings.Contains(strings.Join(c.options, " "), "--range") {
				shown := lastFrame(t, []byte(sweptText(t, dir, "film.png")))
				if same, _ := difference(still, shown); same != 0 {
					t.Errorf("the last frame differs from the still by %g", same)
				}
			} else if limits == "" {
				t.Errorf("the film does not tell its colours: %s", out)
			}
		})
	}
}

// lastFrame plays an animated PNG to its end.
func lastFrame(t *testing.T, file []byte) image.Image {
	t.Helper()
	number := func(b []byte) int { return int(b[0])<<24 | int(b[1])<<16 | int(b[2])<<8 | int(b[3]) }
	var header, control []byte
	var sheet *image.RGBA
	for at := 8; at < len(file); {
		n, kind := number(file[at:]), string(file[at+4:at+8])
		data := file[at+8 : at+8+n]
		at += 12 + n
		switch kind {
		case "IHDR":
			header, sheet = data, image.NewRGBA(image.Rect(0, 0, number(data), number(data[4:])))
		case "fcTL":
			control = data[4:]
		case "IDAT", "fdAT":
			if kind == "fdAT" {
				data = data[4:]
			}
			img, err := png.Decode(bytes.NewReader(onePNG(append(append([]byte{}, control[:8]...), header[8:]...), data)))
			if err != nil {
				t.Fatal(err)
			}
			draw.Draw(sheet, img.Bounds().Add(image.Pt(number(control[8:]), number(control[12:]))), img, img.Bounds().Min, draw.Src)
		}
	}
	return sheet
}

// The streamfunction of a snapshot has the largest value that the run tells, and is 0 on the walls.
func TestStreamfunctionOfASnapshot(t *testing.T) {
	dir := writeCase(t, strings.Replace(smallCase, "[16, 8]", "[64, 32]", 1))
	mustRun(t, dir, "run", "small.yaml")
	paths, _, err := snapshotPaths(filepath.Join(dir, "small.out"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := readShot(paths[len(paths)-1])
	if err != nil {
		t.Fatal(err)
	}
	psi := s.fields.streamfunction()
	summary, err := series.ReadSummary(filepath.Join(dir, "small.out", series.SummaryName))
	if err != nil {
		t.Fatal(err)
	}
	low, high := psi.span()
	if got, want := math.Max(-low, high), float64(summary.PsiMax); math.Abs(got-want) > 0.01*want {
		t.Errorf("largest |ψ| %g, the run tells %g", got, want)
	}
	nx, nz := len(psi.across), len(psi.up)
	for k := range nz {
		for i := range nx {
			if (i == 0 || k == 0 || i == nx-1 || k == nz-1) && math.Abs(psi.values[i+nx*k]) > 0.01*high {
				t.Fatalf("ψ is %g on a wall, of %g", psi.values[i+nx*k], high)
			}
		}
	}
}

func TestPlotsOfCurves(t *testing.T) {
	dir := writeCase(t, smallCase)
	mustRun(t, dir, "run", "small.yaml")
	mustRun(t, dir, "run", "small.yaml", "--set", "physics.rayleigh=60", "--out", "other")
	writeText(t, filepath.Join(dir, "table.csv"), "rayleigh,nusselt,nusselt_deviation,state\n#,1,1,\n50,1.4,0.1,done\n100,2.6,0.2,\"a, b\"\n200,,,failed\n")
	for _, args := range [][]string{
		{"small.out", "other", "--columns", "nusselt_hot,speed_rms", "--log", "xy", "-o", "a.svg"},
		{"small.out", "--columns", "nusselt_hot", "--x", "step", "--range", "1,3", "--x-range", "0,20", "-o", "b.png"},
		{"small.out/series.csv", "--columns", "dt"},
		{"table.csv", "--columns", "nusselt", "-o", "c.pdf"},
		{"small.out", "other", "--columns", "nusselt_hot,nusselt_cold", "--band", "--log", "x", "-o", "e.pdf"},
		{"small.out", "other", "--profile", "temperature", "--time", "0,0.05", "-o", "d.pdf"},
	} {
		mustRun(t, dir, append([]string{"plot"}, args...)...)
	}
	if _, errs := mustRun(t, dir, "plot", "small.out", "--title", "a中", "-o", "f.svg"); !strings.Contains(errs, "no glyph for 中") {
		t.Errorf("a missing glyph is not told: %s", errs)
	}
	for _, name := range []string{"a.svg", "b.png", "c.pdf", "d.pdf", "small-dt.pdf"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// levelsOf returns the levels of velocity_z in each panel of a snapshot, and between which values of all panels they lie.
func levelsOf(t *testing.T, o *movieOptions, path string) (all []string, low, high float64) {
	t.Helper()
	s, err := readShot(path)
	if err != nil {
		t.Fatal(err)
	}
	panels, _, err := o.panels(s)
	if err != nil {
		t.Fatal(err)
	}
	q, err := s.fields.find("velocity_z")
	if err != nil {
		t.Fatal(err)
	}
	planes, err := o.planes(s.fields, q)
	if err != nil {
		t.Fatal(err)
	}
	low, high = math.Inf(1), math.Inf(-1)
	for i, p := range panels {
		text := ""
		for _, c := range p.contours {
			text += fmt.Sprintf(" %.12g", c.level)
		}
		a, b := q.plane(planes[i].normal, planes[i].index).span()
		all, low, high = append(all, text), math.Min(low, a), math.Max(high, b)
	}
	return all, low, high
}

// Contours of a number have the same levels in all planes of a picture, in all frames of a film and in all runs of a picture: from the least to the greatest value there.
func TestContoursShareLevels(t *testing.T) {
	dir := writeCase(t, boxCase)
	mustRun(t, dir, "run", "small.yaml")
	mustRun(t, dir, "run", "small.yaml", "--set", "physics.dimensional.permeability=1e-11", "--out", "other.out")
	o := &movieOptions{every: 1, fieldOptions: fieldOptions{field: "velocity", contours: []string{"velocity_z:4"}, slices: []string{"z=200", "x=0"}, streamlines: "no"}}
	same := func(what string, paths ...string) {
		var all []string
		low, high, want := math.Inf(1), math.Inf(-1), ""
		for _, path := range paths {
			texts, a, b := levelsOf(t, o, path)
			all, low, high = append(all, texts...), math.Min(low, a), math.Max(high, b)
		}
		for _, v := range figure.Levels(low, high, 4) {
			want += fmt.Sprintf(" %.12g", v)
		}
		for _, text := range all {
			if text != want {
				t.Errorf("%s: levels%s, want%s", what, text, want)
			}
		}
	}
	paths, _, err := snapshotPaths(filepath.Join(dir, "small.out"))
	if err != nil || len(paths) < 3 {
		t.Fatal(paths, err)
	}
	last, err := readShot(paths[len(paths)-1])
	if err != nil {
		t.Fatal(err)
	}
	same("planes", paths[len(paths)-1])
	if err := o.fix(paths, last); err != nil {
		t.Fatal(err)
	}
	same("frames", paths...)
	runs := &plotOptions{fieldOptions: o.fieldOptions, step: -1}
	runs.spans = nil
	if err := runs.shareLevels([]string{filepath.Join(dir, "small.out"), filepath.Join(dir, "other.out")}); err != nil {
		t.Fatal(err)
	}
	o.spans = runs.spans
	others, _, err := snapshotPaths(filepath.Join(dir, "other.out"))
	if err != nil {
		t.Fatal(err)
	}
	same("runs", paths[len(paths)-1], others[len(others)-1])
}

// The row that a run is just writing is no row yet, wherever it is cut; the last one of other tables may end without a new line.
func TestTablesThatGrow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	for text, want := range map[string][]float64{"step,time,dt\n#1,1,1\n0,0,0.1\n1,0.1,0.12": {0.1}, "step,time,dt\n#1,1,1\n0,0,0.1\n1,0.": {0.1}, "a,dt\n1,0.1\n2,0.12": {0.1, 0.12}} {
		writeText(t, path, text)
		table, err := readAnyTable(path)
		if err != nil || !slices.Equal(table.Column("dt"), want) {
			t.Errorf("%q: %v, %v", text, table, err)
		}
	}
}

// A band is the mean and the standard deviation at common places.
func TestBands(t *testing.T) {
	runs := []figure.Curve{{Name: "a", X: []float64{0, 1, 2}, Y: []float64{0, 1, 2}}, {Name: "a", X: []float64{0, 3}, Y: []float64{2, 5}}}
	all := bands(runs, 1, false)
	if len(all) != 1 || all[0].X[0] != 0 || all[0].X[bandPoints-1] != 2 {
		t.Fatalf("%+v", all)
	}
	for i, x := range all[0].X {
		if math.Abs(all[0].Y[i]-x-1) > 1e-12 || math.Abs(all[0].High[i]-x-1-math.Sqrt2) > 1e-12 {
			t.Fatalf("at %g: %g, %g", x, all[0].Y[i], all[0].High[i])
		}
	}
}

func TestCommonTitle(t *testing.T) {
	for want, titles := range map[string][]string{"Square\nRa = 1": {"Square\nRa = 1"}, "Square": {"Square\nRa = 1", "Square\nRa = 2"}, "": {"Square\nRa = 1", "Box\nRa = 1"}} {
		if got := commonTitle(titles); got != want {
			t.Errorf("%q have the title %q, want %q", titles, got, want)
		}
	}
}

// What cannot be drawn is refused with what can.
func TestPlotRefuses(t *testing.T) {
	dir := writeCase(t, smallCase)
	mustRun(t, dir, "run", "small.yaml")
	writeText(t, filepath.Join(dir, "words.csv"), "end,nusselt\n#,1\nsoon,1\nlate,2\n")
	writeText(t, filepath.Join(dir, "later.csv"), "time,dt\n#1,1\n1e6,1\n2e6,1\n")
	mustRun(t, dir, "run", "small.yaml", "--set", "wells=[{name: a, at: [0.5, 0.5], rate: 1, temperature: 0.5}, {name: b, at: [1.5, 0.5], rate: -1}]", "--out", "wells.out")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"plot", "none"}, "there is no none"},
		{[]string{"plot", "small.out", "--field", "vorticity"}, "there are temperature, pressure, velocity, velocity_x, velocity_z, streamfunction"},
		{[]string{"plot", "small.out", "--slice", "z=0.5"}, "this one is a section"},
		{[]string{"plot", "small.out", "--contours", "temperature:x"}, "is no number"},
		{[]string{"plot", "small.out", "--range", "1,0"}, "the lower one first"},
		{[]string{"plot", "small.out", "--colours", "jet"}, "accepted: batlow"},
		{[]string{"plot", "small.out", "--step", "1"}, "no snapshot of step 1"},
		{[]string{"plot", "small.out", "--time", "1 yr"}, "accepted with a case in SI units"},
		{[]string{"plot", "small.out", "-o", "a.eps"}, "ends in .pdf, .svg or .png"},
		{[]string{"plot", "small.out", "--columns", "nuselt_hot"}, "did you mean nusselt_hot?"},
		{[]string{"plot", "small.out", "--columns", "dt", "--vectors"}, "not of curves"},
		{[]string{"plot", "small.out", "--log", "x"}, "is of curves"},
		{[]string{"plot", "small.out", "--columns", "dt", "--log", "z"}, "accepted are x, y, xy"},
		{[]string{"plot", "wells.out", "--contours", "streamfunction"}, "a flow with wells has no streamfunction"},
		{[]string{"movie", "small.out", "-o", "film.avi"}, "ends in .png, .gif or .mp4"},
		{[]string{"movie", "small.out", "--rate", "0"}, "a rate of 0.1 to 100"},
		{[]string{"movie", "small.out", "--hold", "1h"}, "hold 0 to 10m"},
		{[]string{"plot", "small.out", "--range", "0,Inf"}, "two numbers that are apart"},
		{[]string{"plot", "small.out", "--columns", "dt", "--range", "1e16,1.0000000000000002e16"}, "two numbers that are apart"},
		{[]string{"plot", "small.out", "--columns", "dt", "--x-range", "1e16,1.0000000000000002e16"}, "two numbers that are apart"},
		{[]string{"plot", "small.out", "--contours", "temperature:NaN,"}, "is no number"},
		{[]string{"plot", "words.csv", "--x", "end", "--columns", "nusselt"}, "there is nothing to draw"},
		{[]string{"plot", "small.out/snapshots/snap_000000.hdf", "--time", "1"}, "is a file"},
		{[]string{"plot", "small.out", "later.csv", "--columns", "dt", "--band"}, "the runs have no part of t in common"},
	} {
		if code, _, errs := convect(t, dir, c.args...); code != exitUsage || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, want %q in\n%s", c.args, code, c.want, errs)
		}
	}
}

// onePNG makes a PNG of a header and its data.
func onePNG(header, data []byte) []byte {
	var b bytes.Buffer
	b.WriteString("\x89PNG\r\n\x1a\n")
	for _, c := range []struct {
		kind string
		data []byte
	}{{"IHDR", header}, {"IDAT", data}, {"IEND", nil}} {
		all := append([]byte(c.kind), c.data...)
		binary.Write(&b, binary.BigEndian, uint32(len(c.data)))
		b.Write(all)
		binary.Write(&b, binary.BigEndian, crc32.ChecksumIEEE(all))
	}
	return b.Bytes()
}
