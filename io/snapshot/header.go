package snapshot

import (
	"errors"
	"fmt"

	"convect/io/h5"
	"convect/kernels"
)

// header is the group /convect of a file.
type header struct {
	step                   int64
	time                   float64
	version                string
	timeUnit, lengthUnit   string
	timeScale, lengthScale float64
	rayleigh               float64
	geometry               *geometry
}

// readHeader reads and checks the group /convect.
func readHeader(r *h5.Reader) (*header, error) {
	kind, err := r.AttrString(ownGroup, "kind")
	if errors.Is(err, h5.ErrMissing) || (err == nil && kind != Kind) {
		return nil, fmt.Errorf("%s: %w", r.Path(), ErrForeign)
	}
	h := &header{}
	get := attributes{r: r, err: err}
	if version := get.integer("format"); get.err == nil && version != format {
		return nil, fmt.Errorf("%s: its layout is version %d, this program reads version %d", r.Path(), version, format)
	}
	h.step = get.integer("step")
	h.time = get.number("time")
	h.version = get.text("version")
	h.timeUnit, h.timeScale = get.text("time_unit"), get.number("time_scale")
	h.lengthUnit, h.lengthScale = get.text("length_unit"), get.number("length_scale")
	h.rayleigh = get.number("rayleigh")
	cells, periodic := get.triple("cells"), get.triple("periodic")
	if get.err != nil {
		return nil, get.err
	}
	h.geometry, err = readGeometry(r, cells, periodic)
	return h, err
}

// readGeometry rebuilds the grid from its coordinates.
func readGeometry(r *h5.Reader, cells, periodic [3]int64) (*geometry, error) {
	geo := &geometry{uniform: true}
	for d, name := range axisNames {
		x, dims, err := r.Float64s(ownGroup + "/" + name)
		if err != nil {
			return nil, err
		}
		if len(dims) != 1 || cells[d] < 0 || int64(len(x)) != cells[d]+1 || (cells[d] == 0 && d != kernels.Y) {
			return nil, fmt.Errorf("%s: %d coordinates along %s for %d cells", r.Path(), len(x), name, cells[d])
		}
		widths := make([]float64, cells[d])
		for i := range widths {
			widths[i] = x[i+1] - x[i]
			if !(widths[i] > 0) {
				return nil, fmt.Errorf("%s: coordinates along %s do not increase", r.Path(), name)
			}
		}
		geo.coordinates[d], geo.points[d], geo.nodes[d] = x, len(x), len(x)
		geo.cells[d], geo.periodic[d] = int(cells[d]), periodic[d] != 0
		geo.size[d] = x[len(x)-1] - x[0]
		geo.uniform = geo.uniform && uniform(widths)
		if geo.periodic[d] {
			geo.nodes[d]--
		}
	}
	return geo, nil
}

// attributes reads attributes of /convect until one fails.
type attributes struct {
	r   *h5.Reader
	err error
}

func get[T any](a *attributes, name string, read func(object, name string) (T, error)) (value T) {
	if a.err == nil {
		value, a.err = read(ownGroup, name)
	}
	return value
}

func (a *attributes) text(name string) string    { return get(a, name, a.r.AttrString) }
func (a *attributes) integer(name string) int64  { return get(a, name, a.r.AttrInt64) }
func (a *attributes) number(name string) float64 { return get(a, name, a.r.AttrFloat64) }

func (a *attributes) triple(name string) (v [3]int64) {
	values := get(a, name, a.r.AttrInt64s)
	if a.err == nil && len(values) != 3 {
		a.err = fmt.Errorf("%s: attribute %s of %s has %d values, not 3", a.r.Path(), name, ownGroup, len(values))
	}
	copy(v[:], values)
	return v
}
