package h5

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/hdf5"
)

// foreign writes a file as another program might: other types, no checksums.
func foreign(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "foreign.h5")
	must(t, onLibrary(func() error {
		file, err := hdf5.CreateFile(path, hdf5.F_ACC_TRUNC)
		if err != nil {
			return err
		}
		type record struct{ A, B float64 }
		swapped := make([]byte, 16)
		binary.BigEndian.PutUint64(swapped, math.Float64bits(1.5))
		binary.BigEndian.PutUint64(swapped[8:], math.Float64bits(-2e300))
		compound, err := hdf5.NewDatatypeFromValue(record{})
		return errors.Join(err,
			plainDataset(file, "big", hdf5.T_IEEE_F64BE, &swapped, 2),
			plainDataset(file, "short", hdf5.T_STD_I16LE, &[]int16{-7, 8, 9}, 3),
			plainDataset(file, "unsigned", hdf5.T_STD_U64LE, &[]uint64{1, math.MaxUint64}, 2),
			plainDataset(file, "records", compound, &[]record{{1, 2}}, 1),
			plainDataset(file, "cut", hdf5.T_STD_U8LE, &[]uint8{200, 201, 202, 203, 204, 205}, 2, 3),
			file.Close())
	}))
	return path
}

// plainDataset writes a dataset, and a string of variable length with it.
func plainDataset(file *hdf5.File, name string, kind *hdf5.Datatype, values any, dims ...uint) error {
	space, err := hdf5.CreateSimpleDataspace(dims, nil)
	if err != nil {
		return err
	}
	dataset, err := file.CreateDataset(name, kind, space)
	if err != nil {
		return err
	}
	scalar, err := hdf5.CreateDataspace(hdf5.S_SCALAR)
	if err != nil {
		return err
	}
	attribute, err := dataset.CreateAttribute("units", hdf5.T_GO_STRING, scalar)
	if err != nil {
		return err
	}
	units := "m/s"
	return errors.Join(dataset.Write(values), attribute.Write(&units, hdf5.T_GO_STRING), attribute.Close(), dataset.Close())
}

func TestNesting(t *testing.T) {
	w, path := create(t)
	must(t, w.Group(strings.Repeat("/b", maxDepth)), w.Float64s(strings.Repeat("/a", maxDepth), []int{1}, wave(1)), w.Commit(), readAll(path))
	deep := filepath.Join(t.TempDir(), "deep.h5")
	must(t, onLibrary(func() error {
		file, err := hdf5.CreateFile(deep, hdf5.F_ACC_TRUNC)
		if err != nil {
			return err
		}
		for level := range maxDepth + 1 {
			group, err := file.CreateGroup(strings.Repeat("/a", level+1))
			if err := errors.Join(err, group.Close()); err != nil {
				return err
			}
		}
		return file.Close()
	}))
	if err := readAll(deep); err == nil || !strings.Contains(err.Error(), "nested too deeply") {
		t.Errorf("got %v", err)
	}
}

// TestFileGone removes a file between its opening and the reading of its values.
func TestFileGone(t *testing.T) {
	path, _ := large(t)
	for _, r := range []*Reader{openFile(t, path), openFile(t, path, NoVerify)} {
		os.Remove(path)
		if _, _, err := r.Float64s("/x"); !errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrDamaged) {
			t.Errorf("got %v", err)
		}
	}
}

func TestForeignTypes(t *testing.T) {
	r := openFile(t, foreign(t))
	equal(t, "sealed", r.Sealed(), false)
	for name, want := range map[string][]float64{
		"/big":      {1.5, -2e300},
		"/short":    {-7, 8, 9},
		"/unsigned": {1, math.MaxUint64},
		"/cut":      {200, 201, 202, 203, 204, 205},
	} {
		values, _, err := r.Float64s(name)
		must(t, err)
		equal(t, name, values, want)
	}
	short, _, err := r.Int64s("/short")
	must(t, err)
	equal(t, "integers", short, []int64{-7, 8, 9})
	dims, err := r.Dims("/cut")
	must(t, err)
	equal(t, "dims", dims, []int{2, 3})
	units, err := r.AttrString("/big", "units")
	must(t, err)
	equal(t, "units", units, "m/s")
	equal(t, "type", r.byPath["/records"].Type, "compound")
	_, _, compound := r.Float64s("/records")
	_, _, unsigned := r.Int64s("/unsigned")
	if !errors.Is(compound, ErrType) || !errors.Is(unsigned, ErrType) {
		t.Errorf("got %v and %v, want wrong types", compound, unsigned)
	}
}
