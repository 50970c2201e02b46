package colours

import (
	"embed"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
)

//go:embed *.rgb
var tables embed.FS

// Size is the number of colours of a map.
const Size = 256

// Default is the map of fields that run from low to high, Signed that of fields with a zero in their middle.
const (
	Default = "batlow"
	Signed  = "vik"
)

// Names lists the maps.
func Names() []string { return []string{"batlow", "vik", "viridis", "cividis", "grey"} }

// Map is a table of colours from low to high.
type Map struct {
	Name  string
	Table [3 * Size]byte // red, green, blue of each colour
}

// Get returns the map of a name; with "-r" behind it the same from high to low. The error lists the names.
func Get(name string) (*Map, error) {
	own, reversed := strings.CutSuffix(name, "-r")
	if !slices.Contains(Names(), own) {
		return nil, fmt.Errorf("there is no colour map %q; accepted: %s, and each with -r behind it for its reverse", name, strings.Join(Names(), ", "))
	}
	m := &Map{Name: name}
	if own == "grey" {
		for i := range m.Table {
			m.Table[i] = byte(i / 3)
		}
	} else {
		table, err := tables.ReadFile(own + ".rgb")
		if err != nil || len(table) != len(m.Table) {
			return nil, fmt.Errorf("the table of the colour map %s has %d bytes, not %d (%v)", own, len(table), len(m.Table), err)
		}
		copy(m.Table[:], table)
	}
	if reversed {
		for i, j := 0, Size-1; i < j; i, j = i+1, j-1 {
			for c := range 3 {
				m.Table[3*i+c], m.Table[3*j+c] = m.Table[3*j+c], m.Table[3*i+c]
			}
		}
	}
	return m, nil
}

// Index returns the place in the table of a value in a range; a value beyond the range has the colour of its end.
func Index(value, low, high float64) int {
	return int(math.Max(0, math.Min(Size-1, math.Floor((value-low)/(high-low)*Size))))
}

// At returns a colour of the table.
func (m *Map) At(i int) color.RGBA {
	return color.RGBA{m.Table[3*i], m.Table[3*i+1], m.Table[3*i+2], 255}
}

// Palette returns the whole table.
func (m *Map) Palette() color.Palette {
	p := make(color.Palette, Size)
	for i := range p {
		p[i] = m.At(i)
	}
	return p
}
