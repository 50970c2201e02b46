package vtk

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// file is what the XML of a file says.
type file struct {
	Type, HeaderType string
	Extent           string
	Arrays           map[string]array
	appended         []byte
}

type array struct {
	kind       string
	section    string
	components string
	offset     int
}

// parse reads a file as far as its appended data.
func parse(t *testing.T, path string) *file {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, tail, found := bytes.Cut(text, []byte("<AppendedData encoding=\"raw\">\n_"))
	if !found || !bytes.HasSuffix(tail, []byte("\n </AppendedData>\n</VTKFile>\n")) {
		t.Fatal("no appended data")
	}
	f := &file{Arrays: map[string]array{}, appended: tail}
	d := xml.NewDecoder(bytes.NewReader(append(head, "</VTKFile>"...)))
	section := ""
	for {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		if end, ok := token.(xml.EndElement); ok && end.Name.Local == "VTKFile" {
			return f
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		a := map[string]string{}
		for _, attribute := range e.Attr {
			a[attribute.Name.Local] = attribute.Value
		}
		switch e.Name.Local {
		case "VTKFile":
			f.Type, f.HeaderType = a["type"], a["header_type"]
		case "Piece":
			f.Extent = a["Extent"]
		case "PointData", "CellData", "Coordinates":
			section = e.Name.Local
		case "DataArray":
			if a["format"] == "appended" {
				offset := 0
				for _, digit := range a["offset"] {
					offset = 10*offset + int(digit-'0')
				}
				f.Arrays[a["Name"]] = array{a["type"], section, a["NumberOfComponents"], offset}
			}
		}
	}
}

// values reads an array back.
func (f *file) values(name string) (values []float64) {
	a := f.Arrays[name]
	n := int(binary.LittleEndian.Uint64(f.appended[a.offset:]))
	data := f.appended[a.offset+8:][:n]
	for len(data) > 0 {
		if a.kind == "Float64" {
			values, data = append(values, math.Float64frombits(binary.LittleEndian.Uint64(data))), data[8:]
		} else {
			values, data = append(values, float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))), data[4:]
		}
	}
	return values
}

func count(n int) (values []float64) {
	for i := range n {
		values = append(values, float64(i)/4)
	}
	return values
}

func equal(a, b []float64) bool {
	for i := range a {
		if len(a) != len(b) || a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// Arrays of both types, on points and on cells, of one and of three axes, come back as they were.
func TestRoundTrip(t *testing.T) {
	for name, axes := range map[string][3][]float64{"box": {{0, 1, 2}, {0, 0.5}, {1, 2, 3, 4}}, "flat": {{0, 1, 2}, {0.5}, {0, 2}}, "graded": {{0, 1, 3}, {0, 1}, {0, 1}}} {
		d := &Data{Coordinates: axes, Time: 0.25}
		points, cells := 1, 1
		for _, x := range axes {
			points, cells = points*len(x), cells*max(len(x)-1, 1)
		}
		d.Arrays = []Array{{Name: "k", Components: 1, Double: true, Cells: true, Values: count(cells)}, {Name: "T", Components: 1, Values: count(points)},
			{Name: "u", Components: 3, Double: true, Values: count(3 * points)}}
		path := filepath.Join(t.TempDir(), "a.vtr")
		if err := d.WriteRectilinear(path); err != nil {
			t.Fatal(err)
		}
		paths := []string{path}
		image := filepath.Join(t.TempDir(), "a.vti")
		err := d.WriteImage(image)
		if name == "graded" {
			if err == nil || !strings.Contains(err.Error(), ".vtr can") {
				t.Errorf("a graded image: %v", err)
			}
		} else if err != nil {
			t.Fatal(err)
		} else {
			paths = append(paths, image)
		}
		for _, path := range paths {
			f := parse(t, path)
			for i := range d.Arrays {
				a := &d.Arrays[i]
				if !equal(f.values(a.Name), a.Values) {
					t.Errorf("%s %s: %s is %v", name, path, a.Name, f.values(a.Name))
				}
				section := map[bool]string{false: "PointData", true: "CellData"}[a.Cells]
				if f.Arrays[a.Name].section != section {
					t.Errorf("%s: %s is in %s", name, a.Name, f.Arrays[a.Name].section)
				}
			}
			if f.HeaderType != "UInt64" {
				t.Errorf("header type %s", f.HeaderType)
			}
			if f.Type == "RectilinearGrid" && !equal(f.values("x"), axes[0]) {
				t.Errorf("x is %v", f.values("x"))
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for name, d := range map[string]*Data{
		"values":   {Coordinates: [3][]float64{{0, 1}, {0}, {0, 1}}, Arrays: []Array{{Name: "T", Components: 1, Values: count(3)}}},
		"backward": {Coordinates: [3][]float64{{1, 0}, {0}, {0, 1}}},
		"nothing":  {},
	} {
		path := filepath.Join(t.TempDir(), "a.vtr")
		if d.WriteRectilinear(path) == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: a file is left", name)
		}
	}
}
