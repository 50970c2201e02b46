package live

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"convect/physics"
)

// wish is what a page wants to see: a quantity on a plane of nodes, with the flow in the plane if it likes, or on the whole grid.
type wish struct {
	name  string
	axis  int
	index int
	flow  bool
	block bool
}

// readWish reads the query of a request.
func readWish(q url.Values) (wish, error) {
	w := wish{name: q.Get("name"), axis: slices.Index(axes[:], q.Get("axis")), flow: q.Get("flow") != "", block: q.Get("block") != ""}
	var err error
	if w.axis < 0 {
		return w, fmt.Errorf("axis=%s: accepted are x, y, z", q.Get("axis"))
	}
	if w.index, err = strconv.Atoi(q.Get("index")); err != nil || w.index < 0 {
		return w, fmt.Errorf("index=%s: accepted are whole numbers from 0", q.Get("index"))
	}
	return w, nil
}

// part is a component of a quantity of the simulation or a snapshot; component -1 is the magnitude.
type part struct {
	quantity  string
	component int
}

// partOf reads the name of what can be shown: a quantity, or one of velocity.x, velocity.y, velocity.z, speed.
func partOf(name string) part {
	if name == "speed" {
		return part{"velocity", -1}
	}
	quantity, axis, found := strings.Cut(name, ".")
	if at := slices.Index(axes[:], axis); found && at >= 0 {
		return part{quantity, at}
	}
	return part{name, 0}
}

// shown lists what can be shown of quantities, in a grid with or without y.
func shown(quantities []physics.Quantity, scales physics.Scales, flat bool) []named {
	all := []named{}
	for _, q := range quantities {
		if q.Cells { // which no plane of nodes has
			continue
		}
		unit := q.Unit(scales)
		if q.Components == 1 {
			all = append(all, named{q.Name, unit})
			continue
		}
		if q.Name == "velocity" {
			all = append(all, named{"speed", unit})
		}
		for d := range q.Components {
			if !(flat && d == 1) {
				all = append(all, named{q.Name + "." + axes[d], unit})
			}
		}
	}
	return all
}

// named is a name with its unit.
type named struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
}

// presentSource reads the simulation as it is between two steps.
func presentSource(s *physics.Simulation, scales physics.Scales) *source {
	g := s.Grid()
	of := &source{step: s.Step(), time: s.Time() * scales.Time, n: g.Box.N}
	for d := range 3 {
		of.x[d] = slices.Clone(g.Coordinates(d))
		if g.Periodic[d] {
			of.x[d] = append(of.x[d], g.Size[d])
		}
		for i := range of.x[d] {
			of.x[d][i] *= scales.Length
		}
	}
	find := func(name string) (physics.Quantity, bool) {
		all := s.Quantities()
		n := slices.IndexFunc(all, func(q physics.Quantity) bool { return q.Name == name && !q.Cells })
		if n < 0 {
			return physics.Quantity{}, false
		}
		return all[n], true
	}
	of.unit = func(name string) (string, bool) {
		q, known := find(name)
		if !known {
			return "", false
		}
		return q.Unit(scales), true
	}
	of.plane = func(r request) ([][]float64, error) {
		q, _ := find(r.quantity)
		block := physics.Block{N: of.n}
		block.Low[r.axis], block.N[r.axis] = r.index, 1
		values, err := s.DownloadBlocks(r.quantity, []physics.Block{block})
		if err != nil {
			return nil, err
		}
		scale := q.Scale(scales)
		for _, component := range values[0] {
			for n := range component {
				component[n] *= scale
			}
		}
		return values[0], nil
	}
	return of
}
