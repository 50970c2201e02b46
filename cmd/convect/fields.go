package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"convect/io/snapshot"
	"convect/kernels"
	"convect/physics"
)

// fields are quantities of which planes are taken, in the units of the case: on the host, or of a run, which gives them one by one.
type fields struct {
	n          [3]int                                                             // nodes of the arrays
	x          [3][]float64                                                       // node coordinates; a periodic plane is repeated here, and may be in the arrays
	values     map[string][]float64                                               // [component][z][y][x]; of a run none
	vectors    map[string]bool                                                    // these have three components
	take       func(name string, component, normal, index int) ([]float64, error) // a plane of a run; nil: it is in values
	failure    error                                                              // of taking one
	ofCells    map[string]bool                                                    // values are of cells
	units      map[string]string
	atRest     float64 // a speed that is nothing but rounding
	lengthUnit string
	names      []string // of the quantities in their order
}

// roundingSpeed is a nondimensional speed, in κ/H, that is nothing but rounding and what solvers leave.
const roundingSpeed = 1e-10

// flat tells whether there is one vertical plane alone.
func (f *fields) flat() bool { return len(f.x[kernels.Y]) == 1 }

// fields returns the scalars and the velocity of the run as they are now.
func (s *session) fields() *fields {
	g := s.simulation.Grid()
	f := &fields{n: g.Box.N, vectors: map[string]bool{}, units: map[string]string{}, lengthUnit: s.c.Scales.LengthUnit}
	scales := map[string]float64{}
	for _, q := range s.simulation.Quantities() {
		if q.Name == "pressure" || q.Extra {
			continue
		}
		f.names = append(f.names, q.Name)
		f.units[q.Name], f.vectors[q.Name], scales[q.Name] = q.Unit(s.c.Scales), q.Components > 1, q.Scale(s.c.Scales)
	}
	f.take = func(name string, component, normal, index int) ([]float64, error) {
		of := physics.Block{N: g.Box.N}
		of.Low[normal], of.N[normal] = index%g.Box.N[normal], 1
		blocks, err := s.simulation.DownloadBlocks(name, []physics.Block{of})
		if err != nil {
			return nil, err
		}
		values := blocks[0][component]
		for i := range values {
			values[i] *= scales[name]
		}
		return values, nil
	}
	f.atRest = roundingSpeed * s.c.Scales.Velocity
	for d := range 3 {
		f.x[d] = g.Coordinates(d)
		if g.Periodic[d] {
			f.x[d] = append(f.x[d], g.Size[d])
		}
		for i := range f.x[d] {
			f.x[d][i] *= s.c.Scales.Length
		}
	}
	return f
}

// fieldsOf takes the arrays of a snapshot.
func fieldsOf(s *snapshot.Snapshot) *fields {
	f := &fields{x: s.Coordinates, values: map[string][]float64{}, vectors: map[string]bool{}, ofCells: map[string]bool{}, units: map[string]string{}, lengthUnit: s.LengthUnit}
	for d, x := range f.x {
		f.n[d] = len(x)
	}
	for _, a := range s.Fields {
		size := 1
		for _, n := range f.n {
			if a.Cells {
				n = max(n-1, 1)
			}
			size *= n
		}
		values := a.Values
		if a.Components > 1 { // one component after the other
			values = make([]float64, len(a.Values))
			for i, v := range a.Values {
				values[i%a.Components*size+i/a.Components] = v
			}
		}
		if len(values) == size*a.Components {
			f.names = append(f.names, a.Name)
			f.values[a.Name], f.units[a.Name], f.ofCells[a.Name], f.vectors[a.Name] = values, a.Unit, a.Cells, a.Components == 3
			if a.Name == velocityName {
				f.atRest = roundingSpeed * a.Scale
			}
		}
	}
	rank := func(name string) int { // what is transported comes first
		return slices.Index([]string{"temperature", "concentration", "", "pressure", velocityName, streamfunctionName}, name)
	}
	slices.SortStableFunc(f.names, func(a, b string) int {
		ra, rb := rank(a), rank(b)
		if ra < 0 {
			ra = 2
		}
		if rb < 0 {
			rb = 2
		}
		return ra - rb
	})
	return f
}

// quantity is what a plane can be taken of: a field, a component of one, the magnitude of a vector, or the streamfunction of a flat flow.
type quantity struct {
	name, label, unit string
	signed            bool // it has a zero in its middle
	plane             func(normal, index int) *slice
}

// Names that are made of the velocity.
const (
	velocityName       = "velocity"
	streamfunctionName = "streamfunction"
)

// offered lists the names of quantities.
func (f *fields) offered() []string {
	var all []string
	for _, name := range f.names {
		all = append(all, name)
		if f.isVector(name) {
			for _, axis := range "xyz" {
				if !(axis == 'y' && f.flat()) {
					all = append(all, name+"_"+string(axis))
				}
			}
		}
	}
	if f.flat() && slices.Contains(f.names, velocityName) && !slices.Contains(all, streamfunctionName) {
		all = append(all, streamfunctionName)
	}
	return all
}

func (f *fields) isVector(name string) bool { return f.vectors[name] }

// holds tells whether there is a field of that name.
func (f *fields) holds(name string) bool { return slices.Contains(f.names, name) }

// symbolOf is what journals call a field.
func symbolOf(name string) string {
	switch name {
	case "temperature":
		return "T"
	case "concentration":
		return "S"
	case "pressure":
		return "p"
	case velocityName:
		return "|u|"
	case velocityName + "_x":
		return "u"
	case velocityName + "_y":
		return "v"
	case velocityName + "_z":
		return "w"
	case streamfunctionName:
		return "ψ"
	}
	return strings.ReplaceAll(name, "_", " ")
}

// find returns a quantity by its name.
func (f *fields) find(name string) (*quantity, error) {
	q := &quantity{name: name, label: symbolOf(name), unit: f.units[name]}
	base, component := name, 0
	if at := strings.LastIndexByte(name, '_'); at > 0 && !f.holds(name) && f.isVector(name[:at]) && len(name) == at+2 {
		component = strings.IndexByte("xyz", name[at+1])
		base = name[:at]
	}
	switch {
	case !slices.Contains(f.offered(), name):
		return nil, fmt.Errorf("there is no field %q; there are %s", name, strings.Join(f.offered(), ", "))
	case base != name:
		q.unit, q.signed = f.units[base], true
		q.plane = func(normal, index int) *slice { return f.plane(base, component, normal, index) }
	case f.isVector(name):
		q.plane = func(normal, index int) *slice { return f.magnitude(name, normal, index) }
	case f.holds(name):
		q.signed = name == streamfunctionName || name == "divergence"
		q.plane = func(normal, index int) *slice { return f.plane(name, 0, normal, index) }
	default:
		q.unit, q.signed = productUnit(f.units[velocityName], f.lengthUnit), true
		q.plane = func(int, int) *slice { return f.streamfunction() }
	}
	return q, nil
}

// productUnit is the unit of a velocity times a length.
func productUnit(velocity, length string) string {
	if velocity == "m/s" && length == "m" {
		return "m²/s"
	}
	return "1"
}

// magnitude returns the lengths of vectors on a plane.
func (f *fields) magnitude(name string, normal, index int) *slice {
	out := f.plane(name, 0, normal, index)
	for c := 1; c < 3; c++ {
		for i, v := range f.plane(name, c, normal, index).values {
			out.values[i] = math.Hypot(out.values[i], v)
		}
	}
	return out
}

// streamfunction returns ψ of a flat flow, u = -∂ψ/∂z and w = ∂ψ/∂x, 0 in the lower left corner: integrated along the left and the right wall and, between them, along x,
// where what the trapezoidal rule leaves at the right wall is spread evenly. So ψ is constant along closed walls, and its lines close.
func (f *fields) streamfunction() *slice {
	u, w := f.plane(velocityName, 0, kernels.Y, 0), f.plane(velocityName, 2, kernels.Y, 0)
	x, z, nx := u.across, u.up, len(u.across)
	out := &slice{across: x, up: z, values: make([]float64, len(u.values))}
	left, right := 0.0, 0.0
	for i := 1; i < nx; i++ { // along the bottom
		right += (w.values[i] + w.values[i-1]) / 2 * (x[i] - x[i-1])
	}
	for k := range z {
		if k > 0 {
			left -= (u.values[k*nx] + u.values[(k-1)*nx]) / 2 * (z[k] - z[k-1])
			right -= (u.values[k*nx+nx-1] + u.values[k*nx-1]) / 2 * (z[k] - z[k-1])
		}
		row := out.values[k*nx : (k+1)*nx]
		row[0] = left
		for i := 1; i < nx; i++ {
			row[i] = row[i-1] + (w.values[k*nx+i]+w.values[k*nx+i-1])/2*(x[i]-x[i-1])
		}
		rest := right - row[nx-1]
		for i := range row {
			row[i] += rest * (x[i] - x[0]) / (x[nx-1] - x[0])
		}
	}
	return out
}
