package ptx

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write SOURCES anew, after compiling")

// TestPTXIsCurrent compares SOURCES with the kernels and with the PTX.
func TestPTXIsCurrent(t *testing.T) {
	var now strings.Builder
	for _, source := range glob(t, "../*.cu") {
		family := strings.TrimSuffix(path.Base(source), ".cu")
		for _, real := range []string{"f32", "f64"} {
			module := family + "_" + real + ".ptx"
			fmt.Fprintln(&now, module, sourceHash(t, source), hash(read(t, module)))
		}
	}
	if *update {
		if err := os.WriteFile("SOURCES", []byte(now.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if noted := string(read(t, "SOURCES")); noted != now.String() {
		t.Errorf("SOURCES (module, hash of its sources, of its text) says\n%sbut it is\n%srun make ptx", noted, now.String())
	}
}

// TestNoPTXIsLeft finds modules whose kernels are gone.
func TestNoPTXIsLeft(t *testing.T) {
	for _, module := range glob(t, "*.ptx") {
		source := "../" + module[:len(module)-len("_f32.ptx")] + ".cu"
		if _, err := os.Stat(source); err != nil {
			t.Errorf("%s has no %s", module, source)
		}
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func hash(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// sourceHash hashes a file, all that it includes and the options of the compiler.
func sourceHash(t *testing.T, source string) string {
	t.Helper()
	var all []byte
	files := included(t, source, nil)
	slices.Sort(files)
	for _, f := range append(files, "FLAGS") {
		all = fmt.Appendf(all, "%s %s\n", f, hash(read(t, f)))
	}
	return hash(all)
}

var include = regexp.MustCompile(`(?m)^\s*#\s*include\s+"([^"]+)"`)

// included adds a file, and what it includes by a name in quotes, to a list. What only the emulation includes is left out.
func included(t *testing.T, file string, list []string) []string {
	t.Helper()
	if slices.Contains(list, file) || strings.HasPrefix(file, "../emulation/") {
		return list
	}
	list = append(list, file)
	for _, name := range include.FindAllSubmatch(read(t, file), -1) {
		list = included(t, path.Join(path.Dir(file), string(name[1])), list)
	}
	return list
}
