package vtk

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"convect/io/whole"
)

// Data are fields on a grid.
type Data struct {
	Coordinates [3][]float64 // of the points along x, y, z; one along an absent axis
	Time        float64
	Arrays      []Array
}

// Array is a field.
type Array struct {
	Name       string
	Components int
	Double     bool      // float64 rather than float32
	Cells      bool      // on cells rather than on points
	Values     []float64 // [z][y][x][component]
}

// equalWidths is the part of a width by which those of an image may differ.
const equalWidths = 1e-9

// IsImage tells whether the points of all axes lie at equal distances.
func (d *Data) IsImage() bool {
	for _, x := range d.Coordinates {
		for i := 1; i < len(x); i++ {
			if h := x[1] - x[0]; math.Abs(x[i]-x[i-1]-h) > equalWidths*h {
				return false
			}
		}
	}
	return true
}

// count returns the number of values of an array.
func (d *Data) count(a *Array) int {
	n := a.Components
	for _, x := range d.Coordinates {
		if a.Cells {
			n *= max(len(x)-1, 1)
		} else {
			n *= len(x)
		}
	}
	return n
}

// check refuses what makes no file.
func (d *Data) check() error {
	for axis, x := range d.Coordinates {
		if len(x) == 0 || !slices.IsSorted(x) {
			return fmt.Errorf("%d coordinates along %c that do not increase", len(x), "xyz"[axis])
		}
	}
	for i := range d.Arrays {
		if a := &d.Arrays[i]; len(a.Values) != d.count(a) {
			return fmt.Errorf("%s: %d values where the grid has %d", a.Name, len(a.Values), d.count(a))
		}
	}
	return nil
}

// WriteImage writes an ImageData file. It fails where the widths are not equal.
func (d *Data) WriteImage(path string) error {
	if !d.IsImage() {
		return fmt.Errorf("write %s: the grid is graded, which a .vti cannot hold; a .vtr can", path)
	}
	var origin, spacing [3]float64
	for axis, x := range d.Coordinates {
		origin[axis], spacing[axis] = x[0], 1
		if n := len(x); n > 1 {
			spacing[axis] = (x[n-1] - x[0]) / float64(n-1)
		}
	}
	return d.write(path, "ImageData", fmt.Sprintf(` Origin="%s" Spacing="%s"`, words(origin[:]), words(spacing[:])), nil)
}

// WriteRectilinear writes a RectilinearGrid file.
func (d *Data) WriteRectilinear(path string) error {
	var axes []Array
	for axis, x := range d.Coordinates {
		axes = append(axes, Array{Name: "xyz"[axis : axis+1], Components: 1, Double: true, Values: x})
	}
	return d.write(path, "RectilinearGrid", "", axes)
}

func (d *Data) write(path, kind, attributes string, axes []Array) error {
	if err := d.check(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	var last []string
	for _, x := range d.Coordinates {
		last = append(last, fmt.Sprintf("0 %d", len(x)-1))
	}
	extent := strings.Join(last, " ")
	return whole.Write(path, func(file io.Writer) error {
		w := bufio.NewWriterSize(file, 1<<20)
		fmt.Fprintf(w, `<?xml version="1.0"?>
<VTKFile type="%s" version="1.0" byte_order="LittleEndian" header_type="UInt64">
 <%s WholeExtent="%s"%s>
  <FieldData><DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">%s</DataArray></FieldData>
  <Piece Extent="%s">
`, kind, kind, extent, attributes, words([]float64{d.Time}), extent)
		offset := 0
		appended := append([]Array{}, axes...)
		section := func(name string, arrays []Array) {
			fmt.Fprintf(w, "   <%s>\n", name)
			for i := range arrays {
				a := &arrays[i]
				fmt.Fprintf(w, "    <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%d\"/>\n", a.kind(), a.Name, a.Components, offset)
				offset += 8 + a.bytes()
			}
			fmt.Fprintf(w, "   </%s>\n", name)
		}
		if axes != nil {
			section("Coordinates", axes)
		}
		for _, cells := range []bool{false, true} {
			some := slices.DeleteFunc(slices.Clone(d.Arrays), func(a Array) bool { return a.Cells != cells })
			section(map[bool]string{false: "PointData", true: "CellData"}[cells], some)
			appended = append(appended, some...)
		}
		fmt.Fprintf(w, "  </Piece>\n </%s>\n <AppendedData encoding=\"raw\">\n_", kind)
		for i := range appended {
			if err := appended[i].write(w); err != nil {
				return err
			}
		}
		fmt.Fprint(w, "\n </AppendedData>\n</VTKFile>\n")
		return w.Flush()
	})
}

// kind is the type of an array's values in VTK.
func (a *Array) kind() string {
	if a.Double {
		return "Float64"
	}
	return "Float32"
}

func (a *Array) bytes() int {
	if a.Double {
		return 8 * len(a.Values)
	}
	return 4 * len(a.Values)
}

// write writes the length of an array in bytes, and its values.
func (a *Array) write(w io.Writer) error {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(a.bytes()))
	if _, err := w.Write(b[:]); err != nil {
		return err
	}
	for _, v := range a.Values {
		n := 8
		if a.Double {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
		} else {
			n = 4
			binary.LittleEndian.PutUint32(b[:], math.Float32bits(float32(v)))
		}
		if _, err := w.Write(b[:n]); err != nil {
			return err
		}
	}
	return nil
}

// words prints numbers so that they read back to the same bits.
func words(values []float64) string {
	var all []string
	for _, v := range values {
		all = append(all, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strings.Join(all, " ")
}
