package main

import (
	"bytes"
	"fmt"
	"strings"
)

// offsetsOf returns the offset of each member of a record, and the size of the record, by the rules that C and Go share here: all members are
// as long as they are aligned, or records of such.
func offsetsOf(structs []record) (offsets map[string][]int, sizes map[string]int) {
	offsets, sizes = map[string][]int{}, map[string]int{}
	for name, s := range scalars {
		sizes[name] = s.bytes
	}
	for _, r := range structs {
		at := 0
		for _, m := range r.members {
			offsets[r.goName] = append(offsets[r.goName], at)
			at += sizes[m.goType] * max(m.count, 1)
		}
		sizes[r.goName] = at
	}
	return offsets, sizes
}

// cStructs writes the records in C, each with the offsets of its members.
func cStructs(structs []record) output {
	var b bytes.Buffer
	b.WriteString("#ifndef CONVECT_ARGS_GEN_H\n#define CONVECT_ARGS_GEN_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n")
	b.WriteString("#ifdef __cplusplus\n#define CV_SAME(a, b) static_assert((a) == (b), #a)\n#else\n")
	b.WriteString("#define CV_SAME(a, b) _Static_assert((a) == (b), #a)\n#endif\n")
	offsets, sizes := offsetsOf(structs)
	c := map[string]string{}
	for _, r := range structs {
		c[r.goName] = r.cName + " "
		b.WriteString("\n")
		if r.comment != "" {
			b.WriteString(cComment("", r.comment) + "\n")
		}
		b.WriteString("typedef struct {\n")
		for _, m := range r.members {
			typ := c[m.goType]
			if s, ok := scalars[m.goType]; ok {
				typ = s.c
			}
			line := "  " + typ + m.cName
			if m.count > 0 {
				line += fmt.Sprintf("[%d]", m.count)
			}
			line += ";"
			if m.comment != "" {
				line += " " + cComment("", m.comment)
			}
			b.WriteString(line + "\n")
		}
		fmt.Fprintf(&b, "} %s;\n", r.cName)
		for n, m := range r.members {
			fmt.Fprintf(&b, "CV_SAME(offsetof(%s, %s), %d);\n", r.cName, m.cName, offsets[r.goName][n])
		}
		fmt.Fprintf(&b, "CV_SAME(sizeof(%s), %d);\n", r.cName, sizes[r.goName])
	}
	b.WriteString("\n#endif\n")
	return cFile("call/args.gen.h", &b)
}

// lineLength is the length of the lines of comments.
const lineLength = 150

// cComment returns a comment in C, in lines that begin with an indent.
func cComment(indent, text string) string {
	line, lines := indent+"/*", []string(nil)
	for _, word := range append(strings.Fields(text), "*/") {
		if len(line)+1+len(word) > lineLength {
			lines, line = append(lines, line), indent+"  "
		}
		line += " " + word
	}
	return strings.Join(append(lines, line), "\n")
}

// goOffsets writes the same offsets for the Go compiler: a difference is a constant that no uintptr holds.
func goOffsets(structs []record) (output, error) {
	var b bytes.Buffer
	b.WriteString("package call\n\nimport \"unsafe\"\n\n")
	b.WriteString("// The offsets that args.gen.h has too. A difference, up or down, is a constant below zero: it does not compile.\nconst (\n")
	offsets, sizes := offsetsOf(structs)
	for _, r := range structs {
		for n, m := range r.members {
			fmt.Fprintf(&b, "_ = -(unsafe.Offsetof(%s{}.%s) - %d)\n", r.goName, m.goName, offsets[r.goName][n])
		}
		fmt.Fprintf(&b, "_ = -(unsafe.Sizeof(%s{}) - %d)\n", r.goName, sizes[r.goName])
	}
	b.WriteString(")\n")
	return goFile("call/zz_offsets.go", &b)
}
