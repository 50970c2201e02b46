package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// kernelsFolder is the folder of package kernels.
const kernelsFolder = "../.."

// read returns a file's text.
func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{kernelsFolder}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What is committed is what the declarations give.
func TestFilesAreFresh(t *testing.T) {
	if err := run(kernelsFolder, true); err != nil {
		t.Error(err)
	}
}

// compileC tells whether args.h compiles with another text of args.gen.h, as the compiler of the kernels takes it.
func compileC(t *testing.T, compiler, generated string) error {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"args.gen.h": generated, "args.h": read(t, "call", "args.h")} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return exec.Command(compiler, "-fsyntax-only", "-x", map[string]string{"gcc": "c", "g++": "c++"}[compiler], filepath.Join(folder, "args.h")).Run()
}

// swapped returns a text with two of its lines exchanged.
func swapped(t *testing.T, text, first, second string) string {
	t.Helper()
	pair := first + second
	if strings.Count(text, pair) != 1 {
		t.Fatalf("%q is not there once", pair)
	}
	return strings.Replace(text, pair, second+first, 1)
}

// A member moved in C does not compile, in C nor in C++.
func TestMovedMemberInC(t *testing.T) {
	good := read(t, "call", "args.gen.h")
	moved := swapped(t, good, "  int64_t terms;\n", "  int64_t stream;\n")
	for _, compiler := range []string{"gcc", "g++"} {
		if err := compileC(t, compiler, good); err != nil {
			t.Errorf("%s refuses what it should take: %v", compiler, err)
		}
		if compileC(t, compiler, moved) == nil {
			t.Errorf("%s takes a member in the wrong place", compiler)
		}
	}
}

// compileGo checks the structs of package call with another text of structs.go.
func compileGo(t *testing.T, structs string) error {
	t.Helper()
	fset := token.NewFileSet()
	texts := map[string]string{"structs.go": structs}
	paths, err := filepath.Glob(filepath.Join(kernelsFolder, "call", "*structs*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, "members.go", "zz_offsets.go") {
		if name := filepath.Base(path); texts[name] == "" {
			texts[name] = read(t, "call", name)
		}
	}
	var files []*ast.File
	for name, text := range texts {
		file, err := parser.ParseFile(fset, name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	_, err = (&types.Config{Importer: importer.Default()}).Check("call", fset, files, nil)
	return err
}

// A member moved in Go does not compile.
func TestMovedMemberInGo(t *testing.T) {
	good := read(t, "call", "structs.go")
	if err := compileGo(t, good); err != nil {
		t.Errorf("what should compile does not: %v", err)
	}
	moved := swapped(t, good, "\t\tC         [4]float64\n", "\t\tTerms     int64\n")
	if compileGo(t, moved) == nil {
		t.Error("a member in the wrong place compiles")
	}
}

// Declarations that contradict themselves are refused, with the field and the reason.
func TestRefusedDeclarations(t *testing.T) {
	for fields, want := range map[string]string{
		"Box Box\nX Buffer `kernel:\"update\"`":                                "",
		"Box Box\nX Buffer `kernel:\"read,halo=4\"`":                           "X: a halo of 4 layers, of which there are 3",
		"Box Box\nX Buffer `kernel:\"write,halo=1\"`":                          "X: a halo of what is no array of nodes that is read",
		"Box Box\nX Buffer `kernel:\"read,halo=Scheme\"`":                      "X: there is no field Scheme",
		"Box Box\nX Buffer `kernel:\"optional\"`":                              "X: neither read nor written",
		"Box Box\nX Buffer `kernel:\"reads\"`":                                 `X: unknown word "reads"`,
		"Box Box\nX Buffer `kernel:\"side=Side\"`":                             "X: there is no field Side",
		"X Buffer `kernel:\"read\"`":                                           "neither a box nor an operator to run over",
		"Box Box\nX Buffer `kernel:\"read\"`\nName string":                     "Name: arguments of type string cannot be written",
		"Box Box\nX Buffer `kernel:\"read\"`\nOmega [MaxSweeps]float64":        "Omega: arguments of type float64 cannot be written",
		"Box Box\nX Buffer `kernel:\"read\"`\nMask *RowMask\nPeriodic [3]bool": "",
	} {
		refuses(t, "", fields, want)
	}
	for doc, want := range map[string]string{
		"//kernel:optional Clipper Clips(Box) cuda\n//kernel:cuda slabs\n": "",
		"//kernel:optional Clipper Clips(ClipArgs)\n":                      "",
		"//kernel:optional\n":                                                  `an ability is an interface and what it is asked, as Corrector Corrects(*Elliptic), and the devices that have it, not []`,
		"//kernel:optional Clipper Clips(Box) gpu\n":                           "Clipper on an unknown device gpu",
		"//kernel:optional Clipper Clips(Scheme)\n":                            "Clips is asked of Scheme, not of *Elliptic, Box or ClipArgs",
		"//kernel:optional Clipper Clips(Box) cpu\n//kernel:cuda slabs\n":      "a device runs it that does not have Clipper",
		"//kernel:optional Clipper Clips(Box) cuda\n//kernel:ranks points=7\n": "what ranks have of it does not follow from Box",
		"//kernel:struct -\n//kernel:check\n":                                  "fields without tags, or a struct by hand, from which nothing can be written",
		"//kernel:better Clipper Clips(Box)\n//kernel:methods Clip Cut\n":      "an ability of several kernels",
	} {
		refuses(t, doc, "Box Box\nX Buffer `kernel:\"update\"`", want)
	}
}

// refuses checks the error of a declaration, none where want is "".
func refuses(t *testing.T, doc, fields, want string) {
	t.Helper()
	folder := t.TempDir()
	text := "package kernels\n\n//kernel:family Tests are made up.\n\n" + doc + "type ClipArgs struct {\n" + fields + "\n}\n"
	if err := os.WriteFile(filepath.Join(folder, "args_test.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := readKernels(folder)
	if want == "" && err != nil || want != "" && (err == nil || !strings.HasSuffix(err.Error(), "ClipArgs: "+want)) {
		t.Errorf("%q: error %v, want %q", fields, err, want)
	}
}
