package snapshot

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"convect/io/h5"
	"convect/physics"
	"convect/stencil"
)

// layered is a fake whose permeability counts the cells.
type layered struct{ fake }

func (l *layered) Freeze(name string, into *physics.Frozen) error {
	if name != physics.PermeabilityName {
		return l.fake.Freeze(name, into)
	}
	n := l.grid.CellShape()
	into.Components = []stencil.Frozen{stencil.FrozenOf(counted(n[0] * n[1] * n[2]))}
	return nil
}

func counted(n int) (values []float64) {
	for i := range n {
		values = append(values, float64(i))
	}
	return values
}

// A field of cells has a value a cell, on periodic axes too, coordinates of its own, and its place in the sidecar; it is written where it is asked for alone.
func TestCells(t *testing.T) {
	for name, g := range grids() {
		o := options(t.TempDir())
		o.Scales.Permeability = 1e-12
		must(t, newWriter(t, o).Write(&layered{fake{grid: g}}))
		if xmf := text(t, o.Dir, XDMFName); strings.Contains(xmf, "permeability") {
			t.Errorf("%s: the permeability is written though nobody asked for it", name)
		}
		o.Fields = []string{"temperature", "permeability"}
		w := newWriter(t, o)
		must(t, w.Write(&layered{fake{grid: g, step: 1}}))
		path := filepath.Join(o.Dir, Folder, fileName(1))
		s, err := Read(path)
		must(t, err)
		k, _ := s.Field("permeability")
		n := g.CellShape()
		if !k.Cells || len(k.Values) != n[0]*n[1]*n[2] || float32(k.Values[len(k.Values)-1]) != float32(float64(len(k.Values)-1)*1e-12) {
			t.Errorf("%s: read %+v", name, k)
		}
		r, err := h5.Open(path)
		must(t, err)
		scales, err := r.Scales("/permeability")
		must(t, err)
		if !slices.Equal(scales, []string{"/z_cell", "/y_cell", "/x_cell"}) {
			t.Errorf("%s: scales %v", name, scales)
		}
		middles, _, err := r.Float64s("/z_cell")
		must(t, err)
		if z := s.Coordinates[2]; len(middles) != n[2] || middles[0] != (z[0]+z[1])/2 {
			t.Errorf("%s: middles %v of %v", name, middles, z)
		}
		before := text(t, o.Dir, XDMFName)
		for _, want := range []string{`Name="permeability" AttributeType="Scalar" Center="Cell"`, `:/cells/permeability<`, `Name="temperature" AttributeType="Scalar" Center="Node"`} {
			if !strings.Contains(before, want) {
				t.Errorf("%s: no %s in\n%s", name, want, before)
			}
		}
		must(t, resumed(t, o).Renew())
		entries, damaged, err := List(o.Dir, 1)
		must(t, err)
		if len(damaged) > 0 || len(entries) != 2 || len(entries[1].Fields) != 2 {
			t.Errorf("%s: entries %+v, damaged %v", name, entries, damaged)
		}
		if !strings.Contains(text(t, o.Dir, XDMFName), `:/cells/permeability<`) {
			t.Errorf("%s: the renewed sidecar has lost the permeability", name)
		}
	}
}
