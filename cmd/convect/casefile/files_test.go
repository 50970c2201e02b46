package casefile

import (
	"path/filepath"
	"slices"
	"testing"
)

// Every file that a case names is listed, wherever its key stands.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	c, err := Parse(filepath.Join(dir, "case.yaml"), []byte(withSections("physics: {rayleigh: 1, permeability: {file: a/k.h5}}\n"+
		"initial: {temperature: {file: /b/old.hdf}}\n")), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []File{{"physics.permeability.file", filepath.Join(dir, "a/k.h5")}, {"initial.temperature.file", "/b/old.hdf"}}
	if got := c.Files(); !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := load(t, "title: file\n").Files(); len(got) != 0 {
		t.Errorf("a case without files names %v", got)
	}
}

func sorted(files []File) []File {
	return slices.SortedFunc(slices.Values(files), func(a, b File) int {
		if a.Key < b.Key {
			return -1
		}
		return 1
	})
}
