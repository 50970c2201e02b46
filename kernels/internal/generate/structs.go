package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A record is a struct that Go fills in and a kernel reads.
type record struct {
	goName, cName, comment string
	members                []member
}

// A member of a record, or count of them in an array; count is 0 where there is no array.
type member struct {
	goName, cName, comment string
	goType                 string
	count                  int
}

// scalars are the types of members that are no records: what C calls them, and their bytes.
var scalars = map[string]struct {
	c     string
	bytes int
}{
	"int64": {"int64_t ", 8}, "float64": {"double ", 8}, "float32": {"float ", 4}, "Real": {"cv_real ", 8},
	"In": {"const void *", 8}, "Out": {"void *", 8}, "Sums": {"double *", 8}, "Single": {"float *", 8}, "SingleIn": {"const float *", 8},
	"Ints": {"const int32_t *", 8}, "IntsOut": {"int32_t *", 8}, "Counter": {"unsigned *", 8},
}

// named finds the C name of a record in its comment: "Sweep is cv_sweep_args: Apply."
var named = regexp.MustCompile(`^(\w+) is (cv_\w+)[.:]\s*`)

// readStructs reads the records of package call and adds those of kernels, those first that others hold.
func readStructs(folder string, all []record) ([]record, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "call", "structs*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, spec := range typeSpecs(file) {
			s, ok := spec.Type.(*ast.StructType)
			name := named.FindStringSubmatch(spec.Doc.Text())
			if !ok || name == nil {
				continue
			}
			r := record{goName: spec.Name.Name, cName: name[2], comment: oneLine(spec.Doc.Text()[len(name[0]):])}
			if r.members, err = membersOf(s); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, r.goName, err)
			}
			all = append(all, r)
		}
	}
	return ordered(all)
}

// typeSpecs returns the types that a file declares, each with its comment.
func typeSpecs(file *ast.File) (all []*ast.TypeSpec) {
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, s := range g.Specs {
			t := s.(*ast.TypeSpec)
			if t.Doc == nil && !g.Lparen.IsValid() {
				t.Doc = g.Doc
			}
			all = append(all, t)
		}
	}
	return all
}

// membersOf returns the members of a struct.
func membersOf(s *ast.StructType) (all []member, err error) {
	for _, f := range s.Fields.List {
		m := member{comment: oneLine(f.Comment.Text())}
		typ := f.Type
		if a, ok := typ.(*ast.ArrayType); ok {
			length, ok := a.Len.(*ast.BasicLit)
			if !ok {
				return nil, fmt.Errorf("an array whose length is no number")
			}
			if m.count, err = strconv.Atoi(length.Value); err != nil {
				return nil, err
			}
			typ = a.Elt
		}
		name, ok := typ.(*ast.Ident)
		if !ok || len(f.Names) == 0 {
			return nil, fmt.Errorf("a member of a type that C does not have")
		}
		m.goType = name.Name
		for n, name := range f.Names {
			m.goName, m.cName = name.Name, snake(name.Name)
			last := m
			if n < len(f.Names)-1 {
				last.comment = ""
			}
			all = append(all, last)
		}
	}
	return all, nil
}

// ordered puts records after those that they hold, else in the order of their declaration.
func ordered(all []record) (sorted []record, err error) {
	known := map[string]bool{}
	for name := range scalars {
		known[name] = true
	}
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(r record) bool {
			return !slices.ContainsFunc(r.members, func(m member) bool { return !known[m.goType] })
		})
		if n < 0 {
			return nil, fmt.Errorf("%s has a member of an unknown type, or holds itself", all[0].goName)
		}
		known[all[n].goName] = true
		sorted, all = append(sorted, all[n]), slices.Delete(all, n, n+1)
	}
	return sorted, nil
}

// words finds where a word begins in a Go name.
var words = regexp.MustCompile(`([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])`)

// snake turns a name of Go into one of C: CoarseX into coarse_x, TPrev into t_prev.
func snake(name string) string {
	return strings.ToLower(words.ReplaceAllString(name, "${1}${3}_${2}${4}"))
}

// oneLine joins the lines of a comment.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
