package emulation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFamiliesAreListed compares families.h with the kernel files.
func TestFamiliesAreListed(t *testing.T) {
	files, err := filepath.Glob("../*.cu")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("/* All kernels of one type. Made by `go generate`. */\n#include \"../launch.h\"\n\nnamespace {\n")
	for _, f := range files {
		want.WriteString("#include \"" + filepath.ToSlash(f) + "\"\n")
	}
	want.WriteString("}  // namespace\n")
	got, err := os.ReadFile("families.h")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want.String() {
		t.Errorf("families.h is not\n%srun go generate", want.String())
	}
}
