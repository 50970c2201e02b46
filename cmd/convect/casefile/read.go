package casefile

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"convect/io/checkpoint"
	"convect/io/h5"
	"convect/io/header"
	"convect/io/snapshot"
	"convect/physics"
)

// open opens an HDF5 file that the case names. A file that is not there is a fault of the case; a damaged or foreign
// one is not.
func (c *Case) open(v value) (*h5.Reader, error) {
	path := v.node.text
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.d.dir, path)
	}
	r, err := h5.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		v.refuse("the path of an HDF5 file, relative to the folder of the case", "there is no file %s", path)
		return nil, c.d.errors
	}
	return r, err
}

// readPermeability reads cell values: [z][y][x] ([z][x] in 2-D) where K is the same in all directions, or with a first
// axis of the directions x, y, z (x, z in 2-D).
func (c *Case) readPermeability() (physics.Material, error) {
	k := &c.plan.permeability
	r, err := c.open(k.file)
	if err != nil {
		return physics.Material{}, err
	}
	defer r.Close()
	key := k.value
	if key.node.find("dataset") != nil {
		s, _ := k.value.section()
		key = s.get("dataset")
	}
	dims, err := r.Dims(k.dataset)
	if errors.Is(err, h5.ErrMissing) || errors.Is(err, h5.ErrType) {
		key.refuse("the path of a dataset of cell values in the file", "there is no dataset %s in %s", k.dataset, r.Path())
		return physics.Material{}, c.d.errors
	}
	if err != nil {
		return physics.Material{}, fmt.Errorf("permeability: %w", err)
	}
	shape := c.cellShape()
	directions := len(shape)
	byDirection := len(dims) == directions+1 && dims[0] == directions && slices.Equal(dims[1:], shape)
	if !byDirection && !slices.Equal(dims, shape) {
		key.refuse(fmt.Sprintf("%v (%s), or %v with the directions first", shape, c.shapeNames(), append([]int{directions}, shape...)),
			"dataset %s of %s has the sizes %v, which do not match grid.cells", k.dataset, r.Path(), dims)
		return physics.Material{}, c.d.errors
	}
	values, _, err := r.Float64s(k.dataset)
	if err != nil {
		return physics.Material{}, fmt.Errorf("permeability: %w", err)
	}
	m := physics.Material{Cells: [3][]float64{values, values, values}}
	if byDirection {
		n := len(values) / directions
		m.Cells = [3][]float64{values[:n], values[:n], values[len(values)-n:]}
		if directions == 3 {
			m.Cells[1] = values[n : 2*n]
		}
	}
	return m, nil
}

// cellShape returns the cells of each axis, slowest first.
func (c *Case) cellShape() []int {
	n := c.Parameters.Extent.Cells
	if c.flat() {
		return []int{n[2], n[0]}
	}
	return []int{n[2], n[1], n[0]}
}

func (c *Case) shapeNames() string {
	if c.flat() {
		return "cells along z, x"
	}
	return "cells along z, y, x"
}

// readInitial reads the temperature of a snapshot or checkpoint and interpolates it to the nodes of the case.
func (c *Case) readInitial() ([]float64, error) {
	file := c.plan.initialFile
	r, err := c.open(file)
	if err != nil {
		return nil, err
	}
	path := r.Path()
	kind, err := header.KindOf(r)
	r.Close()
	var g *gridValues
	switch {
	case err != nil:
		return nil, err
	case kind == header.Snapshot:
		g, err = c.readSnapshot(path)
	case kind == header.Checkpoint:
		g, err = c.readCheckpoint(path)
	default:
		return nil, fmt.Errorf("%s is a %s, not a snapshot or checkpoint", path, kind)
	}
	if err != nil {
		return nil, err
	}
	nodes, err := c.interpolate(g)
	if err != nil {
		file.refuse("a snapshot or checkpoint that covers the domain", "%s does not fit: %v", path, err)
		return nil, c.d.errors
	}
	for i := range nodes {
		nodes[i] /= c.Scales.Temperature
	}
	return nodes, nil
}

// readSnapshot reads the temperature of a snapshot, in the units of its case.
func (c *Case) readSnapshot(path string) (*gridValues, error) {
	s, err := snapshot.Read(path)
	if err != nil {
		return nil, err
	}
	t, ok := s.Field("temperature")
	switch {
	case !ok:
		c.plan.initialFile.refuse("a snapshot or checkpoint with temperature", "%s holds no temperature", path)
	case c.sameUnit(path, t.Unit):
		return &gridValues{x: s.Coordinates, values: t.Values}, nil
	}
	return nil, c.d.errors
}

// readCheckpoint reads the temperature of a checkpoint, in the units of its case.
func (c *Case) readCheckpoint(path string) (*gridValues, error) {
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
		if f.Name == "temperature" && c.sameUnit(path, its.Scales.TemperatureUnit) {
			return its.closed(f.Values), nil
		}
	}
	if len(c.d.errors) > 0 {
		return nil, c.d.errors
	}
	return nil, fmt.Errorf("%s: it holds no temperature", path)
}

// closed returns node values of the case, nondimensional and with periodic planes once, as values in its units with
// the planes repeated.
func (c *Case) closed(values []float64) *gridValues {
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
				g.values = append(g.values, v*c.Scales.Temperature)
			}
		}
	}
	return g
}

// sameUnit refuses a file whose temperatures have another unit than the case.
func (c *Case) sameUnit(path, unit string) bool {
	if unit == c.Scales.TemperatureUnit {
		return true
	}
	c.plan.initialFile.refuse("a snapshot or checkpoint in the units of this case", "%s has temperatures in %s, the case in %s",
		path, unitName(unit), unitName(c.Scales.TemperatureUnit))
	return false
}

// unitName names a unit in a message.
func unitName(unit string) string {
	if unit == "1" {
		return "no unit"
	}
	return unit
}
