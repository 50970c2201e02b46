package cuda

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSourcesAreAll compares what is embedded with the folder.
func TestSourcesAreAll(t *testing.T) {
	files := []string{"launch.h"}
	for _, pattern := range []string{"*.cu*", "*/*.cu*"} {
		some, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, some...)
	}
	for _, f := range files {
		want, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := sources.ReadFile(f); err != nil || string(got) != string(want) {
			t.Errorf("%s: %v, or other text", f, err)
		}
	}
}
