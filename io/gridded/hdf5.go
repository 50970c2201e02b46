package gridded

import (
	"errors"
	"math"
	"path"
	"slices"
	"strings"

	"convect/io/h5"
)

// hdf5 is an open file and what is asked of it.
type hdf5 struct {
	r       *h5.Reader
	ask     *Request
	objects map[string]h5.Object
	paths   []string // of datasets, in order
	usual   []usualAxis
	bounds  map[string]bool // datasets with the ends of cells of others
}

// usualAxis is a dataset of numbers that has the usual name of coordinates.
type usualAxis struct {
	path, folder string
	axis         int
}

// openHDF5 opens the file of a request; nil without an error is a table of text.
func openHDF5(ask *Request) (*hdf5, error) {
	if ask.Column != "" {
		words, err := foreignKind(ask.Path)
		if err == nil && words != isText {
			err = refuseKind(ask, words)
		}
		return nil, err
	}
	r, err := h5.Open(ask.Path)
	if errors.Is(err, h5.ErrNotHDF5) {
		words, failed := foreignKind(ask.Path)
		switch {
		case failed != nil:
			return nil, failed
		case words == isText && ask.Dataset == "":
			return nil, nil
		}
		return nil, refuseKind(ask, words)
	}
	if err != nil {
		return nil, err
	}
	h := &hdf5{r: r, ask: ask, objects: map[string]h5.Object{}, bounds: map[string]bool{}}
	return h, r.Walk(func(o h5.Object) error {
		h.add(o)
		return nil
	})
}

// add takes note of an object.
func (h *hdf5) add(o h5.Object) {
	h.objects[o.Path] = o
	if o.Kind != h5.Dataset {
		return
	}
	h.paths = append(h.paths, o.Path)
	if name := h.text(o.Path, "bounds"); name != "" {
		h.bounds[path.Join(path.Dir(o.Path), name)] = true
	}
	if d, _ := axisOf(o.Path); d >= 0 && isNumeric(o) && !h.lengthAlone(o.Path) {
		h.usual = append(h.usual, usualAxis{o.Path, path.Dir(o.Path), d})
	}
}

// isNumeric tells a dataset of numbers.
func isNumeric(o h5.Object) bool {
	return o.Kind == h5.Dataset && (strings.HasPrefix(o.Type, "float") || strings.HasPrefix(o.Type, "int") || strings.HasPrefix(o.Type, "uint"))
}

// text returns a string attribute, "" where there is none.
func (h *hdf5) text(object, name string) string {
	text, err := h.r.AttrString(object, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(text)
}

// choose returns the path of the dataset of values.
func (h *hdf5) choose() (string, error) {
	if name := h.ask.Dataset; name != "" {
		o, ok := h.objects[path.Clean("/"+name)]
		switch {
		case !ok:
			return "", wrong(PartDataset, list(h.candidates()), "there is no dataset %s in %s", name, h.ask.Path)
		case o.Kind != h5.Dataset:
			return "", wrong(PartDataset, list(h.candidates()), "%s of %s is a %s, no dataset", name, h.ask.Path, o.Kind)
		case !isNumeric(o):
			return "", wrong(PartDataset, "a dataset of numbers", "dataset %s of %s holds %s", name, h.ask.Path, o.Type)
		}
		return o.Path, nil
	}
	all := h.candidates()
	if known := preferred(all, h.ask.Names); len(known) > 0 {
		all = known
	}
	switch len(all) {
	case 0:
		return "", wrong(PartFile, "a file with a dataset of numbers", "%s holds no dataset of numbers but coordinates", h.ask.Path)
	case 1:
		return all[0], nil
	}
	return "", wrong(PartDataset, "one of "+list(all), "missing: %s holds several datasets", h.ask.Path)
}

// candidates lists the datasets of numbers that are no coordinates.
func (h *hdf5) candidates() []string {
	var all []string
	for _, p := range h.paths {
		o := h.objects[p]
		d, _ := axisOf(p)
		coordinate := (d >= 0 || downwards(p)) && len(o.Dims) < 2 || h.text(p, "CLASS") == "DIMENSION_SCALE" || slices.Contains(h.ask.Coordinates[:], p)
		if isNumeric(o) && !coordinate && !strings.HasPrefix(p, "/convect/") && !h.bounds[p] {
			all = append(all, p)
		}
	}
	return all
}

// read reads the values and coordinates.
func (h *hdf5) read(f *Field) error {
	name, err := h.choose()
	if err != nil {
		return err
	}
	o := h.objects[name]
	f.Name, f.Shape, f.Unit = name, o.Dims, h.text(name, "units")
	if f.Unit == "" {
		f.Unit = h.text(name, "unit")
	}
	if slices.Contains(o.Dims, 0) || len(o.Dims) > 6 {
		return wrong(PartDataset, "values along one to three axes", "dataset %s of %s has the sizes %v", name, h.ask.Path, o.Dims)
	}
	if err := checkUnit(PartDataset, "dataset "+name+" of "+h.ask.Path, f.Unit, h.ask.Unit); err != nil {
		return err
	}
	l, err := h.layout(o)
	if err != nil {
		return err
	}
	if err := l.place(f); err != nil {
		return err
	}
	values, _, err := h.r.Float64s(name)
	if err != nil {
		return err
	}
	h.unpack(name, values, f)
	f.arrange(values, l.directions)
	return nil
}

// unpack makes numbers of packed values and nothing of those that stand for no value (NetCDF's conventions).
func (h *hdf5) unpack(name string, values []float64, f *Field) {
	number := func(attribute string, otherwise float64) float64 {
		if v, err := h.r.AttrFloat64(name, attribute); err == nil {
			return v
		}
		return otherwise
	}
	gap := number("_FillValue", number("missing_value", neverWritten))
	f.gap = "no value (NaN, or the fill value " + short(gap) + ")"
	if gap == neverWritten {
		f.gap = "no value (NaN, or never written)"
	}
	scale, offset := number("scale_factor", 1), number("add_offset", 0)
	for i, v := range values {
		switch {
		case v == gap:
			values[i] = math.NaN()
		case scale != 1 || offset != 0:
			values[i] = v*scale + offset
		}
	}
}

// neverWritten is what NetCDF puts where nothing was written, unless told otherwise (NC_FILL_FLOAT, NC_FILL_DOUBLE).
const neverWritten = 0x1.ep+122
