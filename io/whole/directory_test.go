package whole

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMakeDir(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"a", "a", "b/c/d", "b/c/d/", "."} {
		path = filepath.Join(dir, path)
		if err := MakeDir(path); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			t.Errorf("%s: %v", path, err)
		}
	}
	file := filepath.Join(dir, "file")
	if err := WriteFile(file, nil); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(file, "x")} {
		if err := MakeDir(path); err == nil {
			t.Errorf("made %s, where there is a file", path)
		}
	}
	t.Chdir(dir)
	if err := MakeDir("relative"); err != nil {
		t.Error(err)
	}
}
