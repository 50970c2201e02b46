package h5

import (
	"fmt"
	"strings"
)

// attribute returns the attribute name of an object.
func (r *Reader) attribute(object, name string) (*Attribute, error) {
	if r.isClosed.Load() {
		return nil, fmt.Errorf("%s: %w", r.path, ErrClosed)
	}
	o, ok := r.byPath[clean(object)]
	if !ok {
		return nil, fmt.Errorf("%s: object %s: %w", r.path, object, ErrMissing)
	}
	a, ok := o.attribute(name)
	if !ok {
		return nil, fmt.Errorf("%s: attribute %s of %s: %w", r.path, name, object, ErrMissing)
	}
	return a, nil
}

func (r *Reader) wrongAttribute(object string, a *Attribute, want string) error {
	return fmt.Errorf("%s: attribute %s of %s: %w: %s %v where %s is needed", r.path, a.Name, object, ErrType, a.Type, a.Dims, want)
}

// AttrString returns a string attribute without its padding.
func (r *Reader) AttrString(object, name string) (string, error) {
	a, err := r.attribute(object, name)
	if err != nil {
		return "", err
	}
	if a.text == nil || len(a.Dims) > 0 && length(a.Dims) != 1 {
		return "", r.wrongAttribute(object, a, "a string")
	}
	return string(a.text), nil
}

// AttrFloat64s returns the values of a numeric attribute of any shape, in C order.
func (r *Reader) AttrFloat64s(object, name string) ([]float64, error) {
	a, err := r.attribute(object, name)
	switch {
	case err != nil:
		return nil, err
	case a.floats != nil:
		return append([]float64{}, a.floats...), nil
	case a.ints != nil:
		return widen(a.ints), nil
	}
	return nil, r.wrongAttribute(object, a, "numbers")
}

// AttrInt64s returns the values of an integer attribute of any shape, in C order.
func (r *Reader) AttrInt64s(object, name string) ([]int64, error) {
	a, err := r.attribute(object, name)
	switch {
	case err != nil:
		return nil, err
	case a.ints != nil:
		return append([]int64{}, a.ints...), nil
	}
	return nil, r.wrongAttribute(object, a, "integers")
}

// AttrFloat64 returns a numeric attribute of one value.
func (r *Reader) AttrFloat64(object, name string) (float64, error) {
	values, err := r.AttrFloat64s(object, name)
	return single(r, object, name, values, err)
}

// AttrInt64 returns an integer attribute of one value.
func (r *Reader) AttrInt64(object, name string) (int64, error) {
	values, err := r.AttrInt64s(object, name)
	return single(r, object, name, values, err)
}

// single returns the only value of an attribute.
func single[T number](r *Reader, object, name string, values []T, err error) (T, error) {
	switch {
	case err != nil:
		return 0, err
	case len(values) != 1:
		return 0, fmt.Errorf("%s: attribute %s of %s: %w: %d values where one is needed", r.path, name, object, ErrType, len(values))
	}
	return values[0], nil
}

// scalesName is the attribute by which HDF5's dimension scales are attached to a dataset.
const scalesName = "DIMENSION_LIST"

// Scales returns the path of the dimension scale of each axis of a dataset, "" where an axis has none, and nil where none is attached
// (HDF5 Dimension Scale Specification, 2005; the dimensions of NetCDF-4 are such scales).
func (r *Reader) Scales(dataset string) ([]string, error) {
	o, err := r.dataset(dataset)
	if err != nil {
		return nil, err
	}
	a, ok := o.attribute(scalesName)
	if !ok || a.elem.class != classSequence || a.text == nil {
		return nil, nil
	}
	paths := strings.Split(strings.TrimSuffix(string(a.text), "\n"), "\n")
	if len(paths) != len(o.Dims) {
		return nil, nil
	}
	return paths, nil
}
