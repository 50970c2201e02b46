package live

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"convect/io/series"
)

// mostNodes is about how many nodes along an axis a plane for a page has, and mostBlock a block; of more, every second, third … is sent.
const (
	mostNodes = 1024
	mostBlock = 64
)

var axes = [3]string{"x", "y", "z"}

// request is a quantity on a plane of nodes.
type request struct {
	quantity    string
	axis, index int
}

// source gives values on planes of nodes, in the units of the case, without the repeated planes of periodic axes.
type source struct {
	step  int64
	time  float64
	x     [3][]float64 // coordinates of the nodes, repeated planes included
	n     [3]int       // nodes without them
	unit  func(quantity string) (string, bool)
	plane func(r request) ([][]float64, error) // by component, the slower of the other axes first
}

// header tells what the numbers behind it are.
type header struct {
	Step   int64         `json:"step"`
	Time   float64       `json:"time"`
	Name   string        `json:"name"`
	Unit   string        `json:"unit"`
	Axis   string        `json:"axis"`  // across the plane
	Index  int           `json:"index"` // of the plane
	At     float64       `json:"at"`    // its coordinate
	Axes   []string      `json:"axes"`  // of the values, the fastest first
	X      [][]float64   `json:"x"`     // coordinates along these
	Every  int           `json:"every"` // node along each axis
	Arrays int           `json:"arrays"`
	Low    series.Number `json:"low"` // of the whole plane or block
	High   series.Number `json:"high"`
}

// view is what is sent to a page.
type view struct {
	header
	arrays [][]float64
}

// check refuses a wish that cannot be granted.
func (s *source) check(w wish) error {
	if _, known := s.unit(partOf(w.name).quantity); !known {
		return fmt.Errorf("there is no field %q", w.name)
	}
	if w.index >= len(s.x[w.axis]) {
		return fmt.Errorf("there is no plane %d across %s: the last is %d", w.index, axes[w.axis], len(s.x[w.axis])-1)
	}
	return nil
}

// parts are what is sent for a wish, one array each.
func (s *source) parts(w wish) []part {
	parts := []part{partOf(w.name)}
	if _, flows := s.unit("velocity"); w.flow && flows && !w.block {
		a, b := across(w.axis)
		parts = append(parts, part{"velocity", a}, part{"velocity", b})
	}
	return parts
}

// across returns the axes of a plane, the faster one first.
func across(axis int) (a, b int) {
	switch axis {
	case 0:
		return 1, 2
	case 1:
		return 0, 2
	}
	return 0, 1
}

// every is the distance of the nodes that are sent.
func (s *source) every(w wish) int {
	if w.block {
		return (max(len(s.x[0]), len(s.x[1]), len(s.x[2])) + mostBlock - 1) / mostBlock
	}
	a, b := across(w.axis)
	return (max(len(s.x[a]), len(s.x[b])) + mostNodes - 1) / mostNodes
}

// planes are those that a part of a wish is made of, by their indices, and the axis across them.
func (s *source) planes(w wish) (axis int, indices []int) {
	if !w.block {
		return w.axis, []int{w.index % s.n[w.axis]}
	}
	for k := 0; k < len(s.x[2]); k += s.every(w) {
		indices = append(indices, k%s.n[2])
	}
	return 2, indices
}

// gather reads all that a wish takes, so that the rest can be done elsewhere.
func (s *source) gather(w wish) error {
	if err := s.check(w); err != nil {
		return err
	}
	held := map[request][][]float64{}
	axis, indices := s.planes(w)
	for _, p := range s.parts(w) {
		for _, index := range indices {
			r := request{p.quantity, axis, index}
			if held[r] != nil {
				continue
			}
			values, err := s.plane(r)
			if err != nil {
				return err
			}
			held[r] = values
		}
	}
	s.plane = func(r request) ([][]float64, error) { return held[r], nil }
	return nil
}

// take makes what a page wants from a source.
func (s *source) take(w wish) (*view, error) {
	if err := s.check(w); err != nil {
		return nil, err
	}
	parts := s.parts(w)
	v := &view{header: header{Step: s.step, Time: s.time, Name: w.name, Every: s.every(w)}}
	v.Unit, _ = s.unit(parts[0].quantity)
	axis, indices := s.planes(w)
	a, b := across(axis)
	v.Axes, v.X = []string{axes[a], axes[b]}, [][]float64{thinned(s.x[a], v.Every), thinned(s.x[b], v.Every)}
	if w.block {
		v.Axes, v.X = axes[:], append(v.X, thinned(s.x[2], v.Every))
	} else {
		v.Axis, v.Index, v.At = axes[axis], w.index, s.x[axis][w.index]
	}
	for _, p := range parts {
		var all []float64
		for _, index := range indices {
			values, err := s.part(p, axis, index)
			if err != nil {
				return nil, err
			}
			all = append(all, spread(values, s.n[a], len(s.x[a]), len(s.x[b]), v.Every, s.n[b])...)
		}
		v.arrays = append(v.arrays, all)
	}
	v.Low, v.High = span(v.arrays[0])
	return v, nil
}

// part returns a component, or the magnitude, on a plane.
func (s *source) part(p part, axis, index int) ([]float64, error) {
	components, err := s.plane(request{p.quantity, axis, index})
	switch {
	case err != nil:
		return nil, err
	case p.component >= len(components):
		return nil, fmt.Errorf("%s has no component %d", p.quantity, p.component)
	case p.component >= 0:
		return components[p.component], nil
	}
	sum := make([]float64, len(components[0]))
	for _, values := range components {
		for n, u := range values {
			sum[n] += u * u
		}
	}
	for n, v := range sum {
		sum[n] = math.Sqrt(v)
	}
	return sum, nil
}

// spread repeats the planes of periodic axes and leaves out what is not sent: na values in a row become every so many of ma.
func spread(values []float64, na, ma, mb, every, nb int) []float64 {
	out := make([]float64, 0, (ma/every+1)*(mb/every+1))
	for j := 0; j < mb; j += every {
		row := values[j%nb*na:][:na]
		for i := 0; i < ma; i += every {
			out = append(out, row[i%na])
		}
	}
	return out
}

// thinned returns every so many of the coordinates.
func thinned(x []float64, every int) []float64 {
	var out []float64
	for i := 0; i < len(x); i += every {
		out = append(out, x[i])
	}
	return out
}

// span returns the least and the greatest value, NaN where there is none.
func span(values []float64) (low, high series.Number) {
	l, h := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		l, h = math.Min(l, v), math.Max(h, v)
	}
	if !(l <= h) {
		return series.Number(math.NaN()), series.Number(math.NaN())
	}
	return series.Number(l), series.Number(h)
}

// encode writes what is sent of a view: the length of its header, the header as JSON, and the arrays as float32, all little-endian and at multiples of four bytes.
func (v *view) encode() ([]byte, error) {
	v.Arrays = len(v.arrays)
	text, err := json.Marshal(v.header)
	if err != nil {
		return nil, err
	}
	for len(text)%4 != 0 {
		text = append(text, ' ')
	}
	size := 4 + len(text)
	for _, values := range v.arrays {
		size += 4 * len(values)
	}
	out := binary.LittleEndian.AppendUint32(make([]byte, 0, size), uint32(len(text)))
	out = append(out, text...)
	for _, values := range v.arrays {
		for _, x := range values {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(x)))
		}
	}
	return out, nil
}
