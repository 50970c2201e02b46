package gridded

import (
	"fmt"
	"math"
	"strings"
)

// check refuses values that have a part in the map and are not accepted. The first one is named by its place in the file.
func (f *Field) check(w [3]*weights, r *Request) error {
	var first, last [3]int
	for d := range w {
		first[d], last[d] = w[d].used()
	}
	f.low, f.high = math.Inf(1), math.Inf(-1)
	bad, seen := 0, 0
	var worst struct {
		v    float64
		at   [3]int
		part int
	}
	for p, values := range f.parts {
		for k := first[2]; k <= last[2]; k++ {
			for j := first[1]; j <= last[1]; j++ {
				row := values[f.axes[0].n*(j+f.axes[1].n*k):][:f.axes[0].n]
				for i := first[0]; i <= last[0]; i++ {
					v := row[i]
					seen++
					if v-v == 0 && r.OK(v) {
						f.low, f.high = math.Min(f.low, v), math.Max(f.high, v)
						continue
					}
					if bad++; bad == 1 {
						worst.v, worst.at, worst.part = v, [3]int{i, j, k}, p
					}
				}
			}
		}
	}
	if bad == 0 {
		return nil
	}
	part := PartDataset
	if f.lines != nil {
		part = PartColumn
	}
	return wrong(part, r.Accepted+" wherever the domain is", "%s of %s %s %s%s", f.Name, f.Path, f.valueName(worst.v), f.placeName(worst.at, worst.part), others(bad, seen))
}

// valueName says what a value is.
func (f *Field) valueName(v float64) string {
	if math.IsNaN(v) && f.gap != "" {
		return "has " + f.gap
	}
	return fmt.Sprintf("is %.6g", v)
}

// others says how many values are like the first one.
func others(bad, seen int) string {
	if bad == 1 {
		return ""
	}
	return fmt.Sprintf("; %d of %d values are not accepted", bad, seen)
}

// placeName says where a value stands, in the file's own order and in coordinates.
func (f *Field) placeName(at [3]int, part int) string {
	if f.lines != nil {
		return fmt.Sprintf("in line %d", f.lines[at[0]+f.axes[0].n*(at[1]+f.axes[1].n*at[2])])
	}
	index := make([]string, len(f.Shape))
	for i := range index {
		index[i] = "0"
	}
	if f.Directions() && len(index) > 0 {
		index[0] = fmt.Sprint(part)
	}
	var where []string
	for d := range f.axes {
		a := &f.axes[d]
		i := at[d]
		if !a.uniform() {
			x := a.coordinates[i]
			if f.Place == Cells {
				x = (a.edges[i] + a.edges[i+1]) / 2
			}
			where = append(where, fmt.Sprintf("%s = %s", axisNames[d], short(x)))
		}
		if a.reversed {
			i = a.n - 1 - i
		}
		if a.place >= 0 {
			index[a.place] = fmt.Sprint(i)
		}
	}
	text := "at [" + strings.Join(index, "][") + "]"
	if len(index) == 0 {
		text = ""
	}
	if len(where) > 0 {
		text += " (" + strings.Join(where, ", ") + ")"
	}
	return text
}
