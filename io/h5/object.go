package h5

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Kind is the kind of an object of a file.
type Kind string

// The kinds of objects.
const (
	Group   Kind = "group"
	Dataset Kind = "dataset"
	Link    Kind = "link"  // soft, external or user-defined; never followed
	Other   Kind = "other" // named types
)

// Object is what a file says about one of its groups or datasets.
type Object struct {
	Path       string // absolute, "/" for the root group
	Kind       Kind
	Attributes []Attribute // by name

	// Datasets only.
	Dims     []int  // lengths of the axes, slowest first; empty for a scalar
	Type     string // as float32, float64, int64, uint8, string(12), compound
	Storage  string // as "contiguous" or "chunked 16×64×64, shuffle, deflate"
	Bytes    int64  // taken in the file
	Offset   int64  // of the first byte in the file, where they are in one piece; else -1
	Checksum string // value of the attribute "checksum", "" without one

	elem    elementType
	layout  layout
	refusal string // why its values are not read, "" where they are

	values   []byte // of a small dataset, empty where they are left out
	valuesAs int    // asStored, …
}

// Attribute is one attribute of an [Object].
type Attribute struct {
	Name  string
	Type  string
	Dims  []int  // empty for a scalar
	Value string // printable; long values are cut, unreadable ones are ""

	elem   elementType
	text   []byte
	ints   []int64
	floats []float64
}

// length returns the number of values, or -1 where it is no int.
func length(dims []int) int {
	n := 1
	for _, d := range dims {
		if d < 0 || d > 0 && n > math.MaxInt/d {
			return -1
		}
		n *= d
	}
	return n
}

// attribute returns the attribute called name.
func (o *Object) attribute(name string) (*Attribute, bool) {
	for i := range o.Attributes {
		if o.Attributes[i].Name == name {
			return &o.Attributes[i], true
		}
	}
	return nil, false
}

// printable renders the values of a for a terminal: no control characters, at most
// 16 numbers or 200 characters.
func (a *Attribute) printable() string {
	const maxNumbers, maxText = 16, 200
	if a.text != nil {
		text := strconv.Quote(string(a.text[:min(len(a.text), maxText)]))
		if len(a.text) > maxText {
			text += fmt.Sprintf("… (%d bytes)", len(a.text))
		}
		return text
	}
	var words []string
	for _, v := range a.floats {
		words = append(words, strconv.FormatFloat(v, 'g', -1, 64))
	}
	for _, v := range a.ints {
		words = append(words, strconv.FormatInt(v, 10))
	}
	if n := len(words); n > maxNumbers {
		words = append(words[:maxNumbers], fmt.Sprintf("… (%d values)", n))
	}
	if len(a.Dims) == 0 && len(words) == 1 {
		return words[0]
	}
	if words == nil {
		return ""
	}
	return "[" + strings.Join(words, " ") + "]"
}
