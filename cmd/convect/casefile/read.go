package casefile

import (
	"errors"
	"fmt"
	"io/fs"

	"convect/io/checkpoint"
	"convect/io/gridded"
	"convect/io/h5"
	"convect/io/header"
	"convect/io/snapshot"
)

// readInitial reads a scalar of a snapshot, checkpoint or any other file of a field, and brings it to the nodes of the case.
func (c *Case) readInitial(file *gridFile, of *carried) ([]float64, error) {
	path := file.request.Path
	kind, err := kindOf(path)
	switch {
	case !file.plain() || kind == "":
		return c.readNodes(file, of)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file.file.key, err)
	}
	var g *gridValues
	switch kind {
	case header.Snapshot:
		g, err = c.readSnapshot(path, file, of)
	case header.Checkpoint:
		g, err = c.readCheckpoint(path, file, of)
	default:
		return nil, fmt.Errorf("%s is a %s, not a snapshot or checkpoint", path, kind)
	}
	if err != nil {
		return nil, err
	}
	nodes, err := c.interpolate(g)
	if err != nil {
		file.file.refuse("a snapshot or checkpoint that covers the domain", "%s does not fit: %v", path, err)
		return nil, c.d.errors
	}
	for i := range nodes {
		nodes[i] /= of.unit(&c.Scales)
	}
	c.filesRead = append(c.filesRead, FileRead{file.section.key, fmt.Sprintf("%s of the %s %s; linear between its nodes", of.name, kind, path)})
	return nodes, nil
}

// kindOf returns the kind of a file of this program, "" of any other, with what is wrong with it.
func kindOf(path string) (string, error) {
	r, err := h5.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, h5.ErrNotHDF5):
		return "", nil // reading it as a field says so
	case err != nil:
		return "damaged", err
	}
	defer r.Close()
	kind, err := header.KindOf(r)
	if errors.Is(err, header.ErrForeign) {
		return "", nil
	}
	return kind, err
}

// readNodes reads a scalar of a file of a field.
func (c *Case) readNodes(g *gridFile, of *carried) (nodes []float64, err error) {
	err = c.read(g, func(f *gridded.Field) (err error) {
		nodes, err = f.NodeValues(&g.request)
		return err
	})
	for i := range nodes {
		nodes[i] /= of.unit(&c.Scales)
	}
	return nodes, err
}

// readSnapshot reads a scalar of a snapshot, in the units of its case.
func (c *Case) readSnapshot(path string, file *gridFile, of *carried) (*gridValues, error) {
	s, err := snapshot.Read(path)
	if err != nil {
		return nil, err
	}
	t, ok := s.Field(of.name)
	switch {
	case !ok:
		file.file.refuse("a snapshot or checkpoint with "+of.name, "%s holds no %s", path, of.name)
	case c.sameUnit(path, t.Unit, s.LengthUnit, file, of):
		return &gridValues{x: s.Coordinates, values: t.Values}, nil
	}
	return nil, c.d.errors
}

// readCheckpoint reads a scalar of a checkpoint, in the units of its case.
func (c *Case) readCheckpoint(path string, file *gridFile, of *carried) (*gridValues, error) {
	p, err := checkpoint.Read(path)
	if err != nil {
		return nil, err
	}
	its, err := ParseGrid(path, p.Header)
	if err != nil {
		return nil, fmt.Errorf("the case in the checkpoint: %w", err)
	}
	if its.Extent().Cells != p.Cells || its.Extent().Periodic != p.Periodic {
		return nil, fmt.Errorf("%s: its grid is not that of its case", path)
	}
	for _, f := range p.State.Fields {
		scale, unit, ok := its.scaleOf(f.Name)
		if ok && f.Name == of.name {
			if !c.sameUnit(path, unit, its.Scales.LengthUnit, file, of) {
				return nil, c.d.errors
			}
			return its.closed(f.Values, scale), nil
		}
	}
	return nil, fmt.Errorf("%s: it holds no %s", path, of.name)
}

// scaleOf returns the scale and the unit of a scalar of the case by its name, and whether there is one.
func (c *Case) scaleOf(name string) (scale float64, unit string, ok bool) {
	for _, of := range c.Parameters.Transported() {
		if of.Name == name {
			return of.Scale(c.Scales), of.Unit(c.Scales), true
		}
	}
	return 1, "1", false
}

// closed returns node values of the case, over a scale and with periodic planes once, as values in its units with
// the planes repeated.
func (c *Case) closed(values []float64, scale float64) *gridValues {
	g := &gridValues{}
	var n [3]int
	for d := range 3 {
		g.x[d] = c.coordinates(d)
		n[d] = len(g.x[d])
		if c.Extent().Periodic[d] {
			g.x[d] = append(g.x[d], c.Extent().Size[d])
		}
		for i := range g.x[d] {
			g.x[d][i] *= c.Scales.Length
		}
	}
	for k := range g.x[2] {
		for j := range g.x[1] {
			for i := range g.x[0] {
				v := values[i%n[0]+n[0]*(j%n[1]+n[1]*(k%n[2]))]
				g.values = append(g.values, v*scale)
			}
		}
	}
	return g
}

// sameUnit refuses a file in which a scalar has another unit than in the case.
func (c *Case) sameUnit(path, unit, length string, file *gridFile, of *carried) bool {
	_, own, _ := c.scaleOf(of.name)
	switch {
	case unit != own:
	case (length == "1") != (c.Scales.LengthUnit == "1"): // concentrations have no unit's name that would tell
		unit, own = length, c.Scales.LengthUnit
	default:
		return true
	}
	what := of.name
	if what == "temperature" {
		what = "temperatures"
	}
	file.file.refuse("a snapshot or checkpoint in the units of this case", "%s has %s in %s, the case in %s", path, what, unitName(unit), unitName(own))
	return false
}

// unitName names a unit in a message.
func unitName(unit string) string {
	if unit == "1" {
		return "no unit"
	}
	return unit
}
