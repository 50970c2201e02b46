package casefile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Changes are named with both values, in a form that --set takes; another way to write a number, and comments, are none.
func TestChanges(t *testing.T) {
	a := load(t, "checkpoint: {keep: 2}\n", "physics.rayleigh=600", "boundaries.bottom.temperature=sin(t)", "output.fields=[temperature]")
	b := load(t, "checkpoint: {keep: 2.0} # newest\n", "physics.rayleigh=5e2", "boundaries.bottom.temperature=1", "output.fields=[temperature, velocity]",
		"solver={pressure: {tolerance: 1e-7}}", `title="Another: one"`)
	want := []Change{
		{"boundaries.bottom.temperature", "sin(t)", "1"},
		{"output.fields", "[temperature]", "[temperature, velocity]"},
		{"physics.rayleigh", "600", "5e2"},
		{"solver.pressure.tolerance", "", "1e-7"},
	}
	got := Changes(a, b)
	for i, c := range got {
		if c.Key == "title" {
			if c.New != `"Another: one"` {
				t.Errorf("the new title is %s", c.New)
			}
			got = append(got[:i], got[i+1:]...)
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var set []string
	for _, c := range Changes(a, b) {
		set = append(set, c.Key+"="+c.New)
	}
	again, err := Parse(a.Path, []byte(a.Text), set)
	if err != nil {
		t.Fatal(err)
	}
	if d := Differences(b, again); len(d) > 0 {
		t.Errorf("with --set of all changes %v still differ", d)
	}
}

// The content of the files that steps need is known, wherever they lie; those of the initial state are not looked at.
func TestContents(t *testing.T) {
	dir := t.TempDir()
	file, moved := filepath.Join(dir, "k.h5"), filepath.Join(dir, "moved.h5")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	contents := func(path string) string {
		t.Helper()
		c, err := Parse(filepath.Join(dir, "case.yaml"), []byte(withSections("physics: {rayleigh: 1, permeability: {file: "+path+"}}\n"+
			"initial: {temperature: {file: /nowhere/old.hdf}}\n")), nil)
		if err != nil {
			t.Fatal(err)
		}
		all, err := c.Contents()
		if err != nil || len(all) != 1 {
			t.Fatalf("contents %v: %v", all, err)
		}
		return all["physics.permeability.file"]
	}
	write(file, "abc") // the SHA-256 of FIPS 180-2, appendix B.1
	if got := contents("k.h5"); got != "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("content of abc: %s", got)
	}
	write(moved, "abc")
	if contents("k.h5") != contents(moved) {
		t.Error("a file that has moved has another content")
	}
	write(file, "abd")
	if contents("k.h5") == contents(moved) {
		t.Error("another content is the same")
	}
	if sum, err := content(os.DevNull); sum != "" || err != nil {
		t.Errorf("a device: %q %v", sum, err)
	}
}
