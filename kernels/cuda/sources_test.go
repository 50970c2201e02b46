package cuda

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSourcesAreAll compares what is embedded with the folder.
func TestSourcesAreAll(t *testing.T) {
	files, err := filepath.Glob("*.cu*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(files, "launch.h") {
		want, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := sources.ReadFile(f); err != nil || string(got) != string(want) {
			t.Errorf("%s: %v, or other text", f, err)
		}
	}
}
