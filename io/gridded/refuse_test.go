package gridded

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// A unit that a file names and that is not the case's is refused, with the factor; one that nobody knows is not.
func TestUnits(t *testing.T) {
	for _, c := range []struct{ name, wanted, says string }{
		{"m2", "m²", ""}, {"m^2", "m²", ""}, {"m**2", "m²", ""}, {"", "m²", ""}, {"furlongs", "m²", ""}, {"W m-1 K-1", "W/(m K)", ""}, {"Pa.s", "Pa s", ""},
		{"degC", "K", ""}, {"1", "1", ""}, {"Darcys of old", "m²", ""}, {"W m^-3", "W/m³", ""},
		{"mD", "m²", "is in mD, and the case takes m²; accepted: values times 9.86923e-16"},
		{"km", "m", "accepted: values times 1000"}, {"%", "1", "accepted: values times 0.01"}, {"µW/m³", "W/m³", "accepted: values times 1e-06"},
		{"cP", "Pa s", "accepted: values times 0.001"}, {"degF", "K", "is in degF, and the case takes K"},
		{"m2", "1", "is in m2, and the case takes numbers without a unit"}, {"log10(m2)", "m²", "holds logarithms"},
	} {
		err := checkUnit(PartDataset, "dataset /k", c.name, c.wanted)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q for %s: %v, want %q", c.name, c.wanted, err, c.says)
		}
	}
	r := ask(writeText(t, "x (km),z,k [mD]\n0,0,1\n2,0,1\n"), edges(1, 2, 1), nil, edges(1, 1, 1))
	r.Unit = "m²"
	if _, err := Read(*r); err == nil || !strings.Contains(err.Error(), "column k [mD] of") {
		t.Error(err)
	}
	r.Unit, r.Length = "", "m"
	if _, err := Read(*r); err == nil || !strings.Contains(err.Error(), "column x (km) of") {
		t.Error(err)
	}
	r = ask("../h5/testdata/netcdf4.nc", edges(9, 90, 1), nil, edges(5, 100, 1))
	r.Dataset, r.Unit = "k", "1"
	if _, err := Read(*r); err == nil || !strings.Contains(err.Error(), "dataset /k of ../h5/testdata/netcdf4.nc is in m2") {
		t.Error(err)
	}
}

// Every refusal names the part at fault and says why.
func TestRefusals(t *testing.T) {
	tx, tz := edges(8, 2, 1), edges(4, 1, 1)
	x, z := []float64{0, 1, 2}, []float64{0, 1}
	k := dataset{"/k", []int{2, 3}, []float64{1, 2, 3, 4, 5, 6}}
	both := []dataset{k, axisSet("/x", x), axisSet("/z", z)}
	for _, c := range []struct {
		name   string
		path   string
		change func(r *Request)
		part   string
		says   string
	}{
		{"swapped", writeFile(t, dataset{"/k", []int{3, 2}, k.values}, axisSet("/x", x), axisSet("/z", z)), nil, PartDataset, "its axes seem to be swapped: write it as [z][x]"},
		{"swapped cells", writeFile(t, dataset{"/k", []int{8, 4}, rough(32)}), nil, PartDataset, "has the sizes [8 4], which do not match grid.cells; its axes seem to be swapped, [x][z] in place of [z][x]"},
		{"short", writeFile(t, k, axisSet("/x", []float64{0, 0.5, 1.5}), axisSet("/z", z)), nil, PartFile, "does not cover the domain: along x it reaches from 0 to 1.5 (/x), and the domain from 0 to 2"},
		{"km", writeFile(t, k, axisSet("/x", []float64{0, 0.001, 0.002}), axisSet("/z", z)), nil, PartFile, "and the domain from 0 to 2; are they in km?"},
		{"one axis", writeFile(t, k, axisSet("/z", z)), nil, "x", "has coordinates along z and none along x"},
		{"disorder", writeFile(t, k, axisSet("/x", []float64{0, 2, 1}), axisSet("/z", z)), nil, "x", "the coordinates /x are out of order at index 2 (1, beside 2)"},
		{"no number", writeFile(t, k, axisSet("/x", []float64{0, 1, math.NaN()}), axisSet("/z", z)), nil, "x", "coordinate 2 of /x is NaN"},
		{"mesh", writeFile(t, k, dataset{"/x", []int{2, 3}, rough(6)}, axisSet("/z", z)), func(r *Request) { r.Dataset = "k" }, "x", "have the sizes [2 3]"},
		{"no dataset", writeFile(t, both...), func(r *Request) { r.Dataset = "/K" }, PartDataset, "there is no dataset /K in"},
		{"lists them", writeFile(t, both...), func(r *Request) { r.Dataset = "/K" }, PartDataset, "accepted: /k"},
		{"several", writeFile(t, k, dataset{"/perm", k.dims, k.values}), nil, PartDataset, "accepted: one of /k, /perm"},
		{"two of a name", writeFile(t, dataset{"/a/k", k.dims, k.values}, dataset{"/b/k", k.dims, k.values}), func(r *Request) { r.Names = []string{"k"} }, PartDataset, "accepted: one of /a/k, /b/k"},
		{"a time is no temperature", writeText(t, "x,z,t,theta\n0,0,1,1\n"), func(r *Request) { r.Names = []string{"temperature", "T"} }, PartColumn, "accepted: one of t, theta"},
		{"group", writeFile(t, dataset{"/a/k", k.dims, k.values}), func(r *Request) { r.Dataset = "/a" }, PartDataset, "is a group"},
		{"no coordinate", writeFile(t, both...), func(r *Request) { r.Coordinates[0] = "east" }, "x", "there is no dataset east in"},
		{"3-D", writeFile(t, dataset{"/k", []int{2, 2, 3}, rough(12)}, axisSet("/x", x), axisSet("/y", z), axisSet("/z", z)), nil, PartDataset, "is 3-D and the case 2-D"},
		{"depth", writeFile(t, k, axisSet("/x", x), axisSet("/depth", z)), nil, "z", "/depth of"},
		{"nodes of cells", writeFile(t, k, axisSet("/x", []float64{0, 0.5, 1, 2}), axisSet("/z", []float64{0, 0.5, 1})), func(r *Request) { r.Values = Points }, PartValues, "nodes does not fit the coordinates /x"},
		{"infinite", writeFile(t, dataset{"/k", k.dims, []float64{1, 2, 3, 4, math.Inf(1), 6}}, axisSet("/x", x), axisSet("/z", z)), nil, PartDataset, "is +Inf at [1][1] (x = 1, z = 1)"},
		{"scattered", writeText(t, "x,z,k\n0,0,1\n1,0.5,2\n2,1,3\n0.3,0.2,4\n"), nil, PartFile, "form no grid: 4 rows with 4 different x and 4 different z"},
		{"hole", writeText(t, "x,z,k\n0,0,1\n2,0,2\n2,1,3\n"), nil, PartFile, "lacks 1 of the 4 points of its grid, the first at x = 0, z = 1"},
		{"twice", writeText(t, "x,z,k\n0,0,1\n2,0,2\n2,0,2\n2,1,3\n"), nil, PartFile, "two rows for the same point: lines 3 and 4"},
		{"no column", writeText(t, "x,z,k\n0,0,1\n"), func(r *Request) { r.Column = "kx" }, PartColumn, "there is no column kx"},
		{"columns", writeText(t, "x,z,kx,kz\n0,0,1,1\n"), nil, PartColumn, "accepted: one of kx, kz"},
		{"depths", writeText(t, "depth,k\n0,1\n1,2\n"), nil, "z", "column depth of"},
		{"bad value", writeText(t, "x,z,k\n0,0,1\n2,0,2\n2,1,3\n0,1,-4\n"), func(r *Request) { r.OK = func(v float64) bool { return v > 0 } }, PartColumn, "is -4 in line 5"},
		{"a table for HDF5", writeText(t, "x,z,k\n0,0,1\n"), func(r *Request) { r.Dataset = "/k" }, PartFile, "is a table of text (CSV), and dataset names something in an HDF5 file"},
		{"HDF5 for a table", writeFile(t, both...), func(r *Request) { r.Column = "k" }, PartFile, "is an HDF5 file, and column names something in a table of text (CSV)"},
		{"empty", writeText(t, ""), nil, PartFile, "is empty"},
		{"NetCDF-3", writeText(t, "CDF\x02\x00\x00"), nil, PartFile, "is a NetCDF-3 file; make NetCDF-4 of it"},
		{"NumPy", writeText(t, "\x93NUMPY\x01\x00"), nil, PartFile, "is a NumPy array"},
		{"GeoTIFF", writeText(t, "II*\x00\x08\x00"), nil, PartFile, "is a TIFF picture"},
		{"neither", writeText(t, "\x00\x01\x02"), nil, PartFile, "is neither HDF5 nor a table of text"},
		{"folder", t.TempDir(), nil, PartFile, "is a folder"},
	} {
		r := ask(c.path, tx, nil, tz)
		r.Dataset = ""
		if c.change != nil {
			c.change(r)
		}
		f, err := Read(*r)
		if err == nil {
			_, err = f.CellMeans(r)
		}
		var fault *Error
		if !errors.As(err, &fault) || fault.Part != c.part || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v (of %+v)", c.name, err, fault)
		}
	}
}
