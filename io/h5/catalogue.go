package h5

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
)

// Classes of types, as H5T_class_t.
const (
	classInteger  = 0
	classFloat    = 1
	classString   = 3
	classSequence = 9
)

// Layouts of datasets, as H5D_layout_t.
const (
	layoutCompact    = 0
	layoutContiguous = 1
	layoutChunked    = 2
	layoutVirtual    = 3
)

// maxRecords is the number of objects and attributes that are listed, MAX_RECORDS in reader.c.
const maxRecords = 200_000

// Memory types, as enum h5_memory in h5.h.
const (
	asStored = iota
	asFloat32
	asFloat64
	asInt64
)

// elementType is the stored type of the values of a dataset or attribute.
type elementType struct {
	class    int
	size     int // bytes of one value
	signed   bool
	variable bool // a string of variable length
	padded   bool // a string padded with NUL
	utf8     bool // a string in UTF-8, else ASCII
	null     bool // a dataspace without values
}

// String returns the name of the type as in [Object].
func (t elementType) String() string {
	switch {
	case t.class == classInteger && t.signed:
		return fmt.Sprintf("int%d", 8*t.size)
	case t.class == classInteger:
		return fmt.Sprintf("uint%d", 8*t.size)
	case t.class == classFloat:
		return fmt.Sprintf("float%d", 8*t.size)
	case t.class == classString && t.variable:
		return "string"
	case t.class == classString:
		return fmt.Sprintf("string(%d)", t.size)
	}
	names := []string{2: "time", 4: "bitfield", 5: "opaque", 6: "compound", 7: "reference", 8: "enum", 9: "sequence", 10: "array"}
	if t.class < len(names) {
		return names[t.class]
	}
	return "unknown"
}

// layout is how the values of a dataset lie in the file.
type layout struct {
	class   int
	chunk   []int
	filters []string
}

// String returns the description as in [Object].
func (l layout) String() string {
	words := []string{"virtual"}
	switch l.class {
	case layoutCompact:
		words[0] = "compact"
	case layoutContiguous:
		words[0] = "contiguous"
	case layoutChunked:
		words[0] = "chunked " + strings.Trim(strings.ReplaceAll(fmt.Sprint(l.chunk), " ", "×"), "[]")
	}
	return strings.Join(append(words, l.filters...), ", ")
}

// decoder takes the catalogue of reader.c apart. It trusts nothing: the catalogue
// of a foreign file comes from a child that may have run over damaged memory.
type decoder struct {
	rest   []byte
	failed bool
}

func (d *decoder) bytes(n uint64) []byte {
	if d.failed || n > uint64(len(d.rest)) {
		d.failed = true
		return make([]byte, min(n, 8))
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) u8() int     { return int(d.bytes(1)[0]) }
func (d *decoder) u32() uint32 { return binary.LittleEndian.Uint32(d.bytes(4)) }
func (d *decoder) u64() uint64 { return binary.LittleEndian.Uint64(d.bytes(8)) }

func (d *decoder) text() string { return string(d.bytes(uint64(d.u32()))) }

// dims returns lengths of axes; those beyond int fail.
func (d *decoder) dims() []int {
	dims := make([]int, d.u8())
	for i := range dims {
		v := d.u64()
		if v > math.MaxInt {
			d.failed = true
			return nil
		}
		dims[i] = int(v)
	}
	return dims
}

func (d *decoder) elementType() elementType {
	const signed, variable, padded, utf8 = 1, 2, 4, 8
	t := elementType{class: d.u8()}
	flags := d.u8()
	t.size = int(d.u32())
	t.signed, t.variable = flags&signed != 0, flags&variable != 0
	t.padded, t.utf8 = flags&padded != 0, flags&utf8 != 0
	return t
}

// space returns the lengths of the axes and whether there are no values at all.
func (d *decoder) space() (dims []int, null bool) {
	const classNull = 2
	class := d.u8()
	return d.dims(), class == classNull
}

func (d *decoder) dataset(o *Object) {
	o.refusal = d.text()
	o.elem = d.elementType()
	o.Dims, o.elem.null = d.space()
	o.layout.class = d.u8()
	o.Bytes = int64(d.u64())
	o.Offset = int64(d.u64())
	o.layout.chunk = d.dims()
	for range d.u8() {
		o.layout.filters = append(o.layout.filters, d.text())
	}
	o.valuesAs = d.u8()
	o.values = bytes.Clone(d.bytes(d.u64()))
	o.Type, o.Storage = o.elem.String(), o.layout.String()
}

func (d *decoder) attribute() Attribute {
	a := Attribute{Name: d.text(), elem: d.elementType()}
	a.Type = a.elem.String()
	a.Dims, _ = d.space()
	memory := d.u8()
	values := d.bytes(d.u64())
	switch memory {
	case asStored:
		a.text = append([]byte{}, trimNUL(values)...)
	case asFloat64:
		a.floats = make([]float64, len(values)/8)
		for i := range a.floats {
			a.floats[i] = math.Float64frombits(binary.LittleEndian.Uint64(values[8*i:]))
		}
	case asInt64:
		a.ints = make([]int64, len(values)/8)
		for i := range a.ints {
			a.ints[i] = int64(binary.LittleEndian.Uint64(values[8*i:]))
		}
	}
	a.Value = a.printable()
	return a
}

// trimNUL removes the padding of a fixed-length string.
func trimNUL(text []byte) []byte {
	n := len(text)
	for n > 0 && text[n-1] == 0 {
		n--
	}
	return text[:n]
}

// decodeCatalogue returns the objects of a catalogue in its order: each group
// before what it holds, names sorted.
func decodeCatalogue(data []byte) ([]Object, error) {
	d := &decoder{rest: data}
	var objects []Object
	for records := 0; len(d.rest) > 0 && !d.failed; records++ {
		if records > maxRecords {
			return nil, errors.New("too many objects and attributes")
		}
		switch tag := d.u8(); tag {
		case 'g':
			objects = append(objects, Object{Kind: Group, Path: d.text()})
		case 'o':
			objects = append(objects, Object{Kind: Other, Path: d.text()})
		case 'l':
			objects = append(objects, Object{Kind: Link, Path: d.text(), Type: linkType(d.u8())})
		case 'd':
			o := Object{Kind: Dataset, Path: d.text()}
			d.dataset(&o)
			objects = append(objects, o)
		case 'a':
			if len(objects) == 0 {
				return nil, errors.New("attribute without an object")
			}
			o := &objects[len(objects)-1]
			o.Attributes = append(o.Attributes, d.attribute())
		default:
			d.failed = true
		}
	}
	if d.failed {
		return nil, errors.New("its list of objects makes no sense")
	}
	return objects, nil
}

func linkType(kind int) string {
	switch kind {
	case 0:
		return "soft"
	case 1:
		return "external"
	}
	return "user-defined"
}
