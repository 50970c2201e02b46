package gridded

import (
	"math"
	"testing"
)

// No table makes reading fail but with an error, and what is read is finite and has the size of the grid.
func FuzzTable(f *testing.F) {
	f.Add("x,z,k\n0,0,1\n2,0,2\n2,1,3\n0,1,4\n", "", "")
	f.Add("z k\n0 1\n1 2\n", "k", Cells)
	f.Add("x;y;z (m);k\n0;0;0;1\n", "", Points)
	f.Add("easting,elevation,depth,k\n0,0,1,1\n1,0,1,1\n0,1,0,1\n1,1,0,1\n", "depth", "")
	f.Fuzz(func(t *testing.T, text, column, values string) {
		r := ask(writeText(t, text), edges(3, 2, 1.5), nil, edges(2, 1, 1))
		r.Column, r.Values = column, values
		read, err := Read(*r)
		if err != nil {
			return
		}
		for what, of := range map[string]func(*Request) ([]float64, error){"cells": read.CellMeans, "nodes": read.NodeMeans, "values": read.NodeValues} {
			got, err := of(r)
			if err != nil {
				continue
			}
			if want := map[string]int{"cells": 6}[what]; len(got) != want && len(got) != 12 {
				t.Errorf("%s: %d values", what, len(got))
			}
			low, high := read.Range()
			for _, v := range got {
				if !(v >= low-1e-9*math.Abs(low)-1e-300 && v <= high+1e-9*math.Abs(high)+1e-300) {
					t.Errorf("%s: %g is not from %g to %g", what, v, low, high)
				}
			}
		}
	})
}

// FuzzShapes reads datasets and coordinates of any sizes.
func FuzzShapes(f *testing.F) {
	f.Add([]byte{2, 3}, byte(3), byte(0), byte(2), "", true, false)
	f.Add([]byte{3, 2, 4, 3}, byte(4), byte(5), byte(2), Cells, false, true)
	f.Add([]byte{1, 1, 1, 1}, byte(1), byte(1), byte(1), Points, true, true)
	f.Add([]byte{0, 2}, byte(2), byte(1), byte(0), "", false, false)
	f.Fuzz(func(t *testing.T, dims []byte, nx, ny, nz byte, values string, flat, periodic bool) {
		const most = 6
		if len(dims) > 7 {
			return
		}
		k := dataset{path: "/k", dims: []int{}}
		n := 1
		for _, d := range dims {
			k.dims = append(k.dims, int(d)%most)
			n *= int(d) % most
		}
		k.values = rough(n)
		sets := []dataset{k}
		for d, c := range [3]byte{nx, ny, nz} {
			if c > 0 {
				sets = append(sets, axisSet("/"+axisNames[d], edges(int(c)%most, 2, 1.1)))
			}
		}
		r := ask(writeFile(t, sets...), edges(3, 2, 1.5), edges(2, 2, 1), edges(2, 2, 1))
		if flat {
			r.Target.Edges[1] = nil
		}
		r.Target.Periodic[0] = periodic
		r.Dataset, r.Values, r.Directions = "/k", values, true
		read, err := Read(*r)
		if err != nil {
			return
		}
		cells, err := read.Conductive(r)
		if err != nil {
			return
		}
		low, high := read.Range()
		for _, v := range cells[2] {
			if !(v >= low*(1-1e-9) && v <= high*(1+1e-9)) {
				t.Errorf("%g is not from %g to %g", v, low, high)
			}
		}
	})
}
