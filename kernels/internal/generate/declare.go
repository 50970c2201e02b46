package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A kernel is a method of kernels.Device with its arguments.
type kernel struct {
	name, args, family string
	optional           bool              // not every device has it
	ability            *ability          // what not every device has of it; nil: all are alike
	tagged             bool              // its fields have tags: its bytes and what ranks do follow from them
	checked            bool              // its struct, its check and its sample do, too
	hook               bool              // package call checks more by hand
	shared             string            // the struct of package call that it gets with other kernels; "": one of its own
	member             map[string]string // the members of that which fields are called otherwise; "-": the kernel does not get it
	cpu, cuda          *launch
	onRanks            string   // how ranks run it: "" on slabs, edge=2 with so many rows wrong at their ends, whole, byhand
	sevenOnRanks       bool     // they have it for 7 points alone
	also               []string // further numbers of its struct, which a method by hand sets
	fields             []field
}

// An ability is an interface of what not every device has: a kernel, or a better form of one, for what it says that it knows.
type ability struct {
	name, asks, of string   // Corrector, Corrects, *Elliptic
	on             []string // the devices that have it, by their folders
}

// A launch tells how a device runs a kernel whose method is written from the declaration.
type launch struct {
	over      string // rows, cells, lines, nodes, slabs
	scratch   int    // rows of scratch memory
	stream    bool
	trilinear string // the kernel in C for 27 points; "": the same
}

// A field of the arguments, or count of them in an array. words are what its tag tells, such as read, halo=1.
type field struct {
	name, goType, comment, sample string
	count                         int
	words                         []string
}

// A family is an interface of kernels.Device.
type family struct{ name, comment string }

// has tells whether a field's tag has a word, with a value or without.
func (f *field) has(name string) bool {
	return slices.ContainsFunc(f.words, func(word string) bool { return word == name || strings.HasPrefix(word, name+"=") })
}

// value returns what follows a word's "=".
func (f *field) value(name string) string {
	for _, word := range f.words {
		if v, ok := strings.CutPrefix(word, name+"="); ok {
			return v
		}
	}
	return ""
}

// readKernels reads the declarations in the files of package kernels that belong to a family.
func readKernels(folder string) (all []kernel, families []family, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, "args_*.go"))
	if err != nil {
		return nil, nil, err
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return nil, nil, err
		}
		own := ""
		for _, g := range file.Comments {
			for _, words := range directives(g, "family") {
				own = words[0]
				if len(words) > 1 {
					families = append(families, family{own, strings.Join(words, " ")})
				}
			}
		}
		for _, spec := range typeSpecs(file) {
			s, ok := spec.Type.(*ast.StructType)
			if own == "" || !ok || !strings.HasSuffix(spec.Name.Name, "Args") {
				continue
			}
			some, err := kernelsOf(spec, s, own)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %s: %w", path, spec.Name.Name, err)
			}
			all = append(all, some...)
		}
	}
	return all, families, nil
}

// directives returns the words of the lines //kernel:name of a comment.
func directives(g *ast.CommentGroup, name string) (all [][]string) {
	if g == nil {
		return nil
	}
	for _, c := range g.List {
		if text, ok := strings.CutPrefix(c.Text, "//kernel:"+name); ok && (text == "" || text[0] == ' ') {
			all = append(all, strings.Fields(text))
		}
	}
	return all
}

// kernelsOf returns the kernels that take a struct of arguments: that of its name, or those that it lists.
func kernelsOf(spec *ast.TypeSpec, s *ast.StructType, family string) (all []kernel, err error) {
	k := kernel{args: spec.Name.Name, family: family}
	k.name = strings.TrimSuffix(k.args, "Args")
	optional := directives(spec.Doc, "optional")
	k.optional = optional != nil
	for _, words := range append(optional, directives(spec.Doc, "better")...) {
		if k.ability, err = abilityOf(words); err != nil {
			return nil, err
		}
	}
	k.hook = directives(spec.Doc, "check") != nil
	for _, words := range directives(spec.Doc, "struct") {
		k.shared, k.member = words[0], map[string]string{}
		for _, word := range words[1:] {
			from, to, _ := strings.Cut(word, "=")
			k.member[from] = to
		}
	}
	for _, words := range directives(spec.Doc, "also") {
		k.also = append(k.also, words...)
	}
	for _, word := range slices.Concat(directives(spec.Doc, "ranks")...) {
		if word == "points=7" {
			k.sevenOnRanks = true
			continue
		}
		k.onRanks = word
	}
	if k.cpu, err = launchOf(spec.Doc, "cpu"); err != nil {
		return nil, err
	}
	if k.cuda, err = launchOf(spec.Doc, "cuda"); err != nil {
		return nil, err
	}
	if k.fields, err = fieldsOf(s); err != nil {
		return nil, err
	}
	k.tagged = slices.ContainsFunc(k.fields, func(f field) bool { return len(f.words) > 0 })
	k.checked = k.tagged && k.shared != "-"
	names := slices.Concat(directives(spec.Doc, "methods")...)
	if len(names) == 0 {
		names = []string{k.name}
	}
	if len(names) > 1 && k.ability != nil {
		return nil, fmt.Errorf("an ability of several kernels")
	}
	for _, name := range names {
		k.name = name
		all = append(all, k)
	}
	return all, k.valid()
}

// asked finds the parts of Corrects(*Elliptic).
var asked = regexp.MustCompile(`^(\w+)\((\*?\w+)\)$`)

// abilityOf reads an ability: its interface, what it is asked and of what, and the devices that have it.
func abilityOf(words []string) (*ability, error) {
	if len(words) < 2 || !asked.MatchString(words[1]) {
		return nil, fmt.Errorf("an ability is an interface and what it is asked, as Corrector Corrects(*Elliptic), and the devices that have it, not %q", words)
	}
	parts := asked.FindStringSubmatch(words[1])
	return &ability{words[0], parts[1], parts[2], words[2:]}, nil
}

// param returns what an ability is asked of as a type in another package.
func (a *ability) param() string {
	if of, pointer := strings.CutPrefix(a.of, "*"); pointer {
		return "*kernels." + of
	}
	return "kernels." + a.of
}

// launchOf reads how a device runs a kernel; nil: its method is by hand.
func launchOf(doc *ast.CommentGroup, device string) (*launch, error) {
	all := directives(doc, device)
	if all == nil {
		return nil, nil
	}
	l := &launch{over: all[0][0]}
	for _, word := range all[0][1:] {
		rows, scratch := strings.CutPrefix(word, "scratch=")
		other, trilinear := strings.CutPrefix(word, "trilinear=")
		switch {
		case trilinear:
			l.trilinear = other
		case word == "stream":
			l.stream = true
		case scratch:
			n, err := strconv.Atoi(rows)
			if err != nil {
				return nil, err
			}
			l.scratch = n
		default:
			return nil, fmt.Errorf("unknown word %q in //kernel:%s", word, device)
		}
	}
	return l, nil
}

// fieldsOf reads the fields of a struct of arguments.
func fieldsOf(s *ast.StructType) (all []field, err error) {
	for _, f := range s.Fields.List {
		read := field{comment: oneLine(f.Comment.Text())}
		if f.Tag != nil {
			text, err := strconv.Unquote(f.Tag.Value)
			if err != nil {
				return nil, err
			}
			tag := reflect.StructTag(text)
			read.sample = tag.Get("sample")
			read.words = strings.FieldsFunc(tag.Get("kernel"), func(r rune) bool { return r == ',' })
		}
		typ := f.Type
		if a, ok := typ.(*ast.ArrayType); ok {
			length, ok := a.Len.(*ast.BasicLit)
			if !ok {
				read.count = -1 // a constant of package kernels
			} else if read.count, err = strconv.Atoi(length.Value); err != nil {
				return nil, err
			}
			typ = a.Elt
		}
		switch t := typ.(type) {
		case *ast.Ident:
			read.goType = t.Name
		case *ast.StarExpr:
			read.goType = "*" + t.X.(*ast.Ident).Name
		}
		for _, name := range f.Names {
			read.name = name.Name
			all = append(all, read)
		}
	}
	return all, nil
}
