package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// defined finds the kernels of the processor in a header.
var defined = regexp.MustCompile(`(?m)^static void (\w+)\(const void \*args, int64_t begin, int64_t end, char \*scratch\)`)

// cTables writes the number of each kernel of the processor, and the table of them that table.h has for each type and instruction set. Headers that
// table.h does not include, since they need no others, are included before.
func cTables(folder string) (all []output, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, "cpu", "*.h"))
	if err != nil {
		return nil, err
	}
	table, err := os.ReadFile(filepath.Join(folder, "cpu", "table.h"))
	if err != nil {
		return nil, err
	}
	var numbers, headers, rows bytes.Buffer
	numbers.WriteString("\n/* The kernels of the processor, in the order of their headers. */\nenum {\n")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		found := defined.FindAllSubmatch(text, -1)
		include := fmt.Sprintf("#include %q\n", filepath.Base(path))
		if found != nil && !strings.Contains(string(table), include) {
			headers.WriteString(include)
		}
		for _, name := range found {
			fmt.Fprintf(&numbers, "  cv_%s,\n", name[1])
			fmt.Fprintf(&rows, "    [cv_%s] = %s,\n", name[1], name[1])
		}
	}
	numbers.WriteString("  cv_kernels\n};\n")
	headers.WriteString("\nconst cv_kernel TABLE[cv_kernels] = {\n")
	headers.Write(rows.Bytes())
	headers.WriteString("};\n")
	return []output{cFile("cpu/numbers.gen.h", &numbers), cFile("cpu/table.gen.h", &headers)}, nil
}

// families writes the list of kernel files that the emulation of CUDA compiles.
func families(folder string) (output, error) {
	var b bytes.Buffer
	b.WriteString("/* All kernels of one type. */\n#include \"../launch.h\"\n\nnamespace {\n")
	for _, pattern := range []string{"*.cu", "*/*.cu"} {
		paths, err := filepath.Glob(filepath.Join(folder, "cuda", pattern))
		if err != nil {
			return output{}, err
		}
		for _, path := range paths {
			if in := filepath.Base(filepath.Dir(path)); in == "cuda" {
				fmt.Fprintf(&b, "#include \"../%s\"\n", filepath.Base(path))
			} else if in != "emulation" {
				fmt.Fprintf(&b, "#include \"../%s/%s\"\n", in, filepath.Base(path))
			}
		}
	}
	b.WriteString("}  // namespace\n")
	return cFile("cuda/emulation/families.h", &b), nil
}

// enumerator is a line of geometry.h: its name, number and comment.
var enumerator = regexp.MustCompile(`(?m)^  (\w+) = (\d+), +/\* (.*) \*/$`)

// geometry writes in Go what geometry.h tells the kernels of CUDA.
func geometry(folder string) (output, error) {
	text, err := os.ReadFile(filepath.Join(folder, "cuda", "geometry.h"))
	if err != nil {
		return output{}, err
	}
	var b bytes.Buffer
	b.WriteString("package cuda\n\n// The numbers of geometry.h.\nconst (\n")
	for _, m := range enumerator.FindAllSubmatch(text, -1) {
		words := strings.Split(string(m[1]), "_")
		for n, word := range words[1:] {
			words[n+1] = strings.ToUpper(word[:1]) + word[1:]
		}
		fmt.Fprintf(&b, "%s = %s // %s\n", strings.Join(words, ""), m[2], m[3])
	}
	b.WriteString(")\n")
	return goFile("cuda/zz_geometry.go", &b)
}
