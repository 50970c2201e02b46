package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// goRecords writes the structs of kernels that have tags.
func goRecords(all []record) (output, error) {
	var b bytes.Buffer
	b.WriteString("package call\n\n// The structs that follow from package kernels.\ntype (\n")
	for _, r := range all {
		fmt.Fprintf(&b, "// %s is %s: %s\n%s struct {\n", r.goName, r.cName, lowerFirst(r.comment), r.goName)
		for _, m := range r.members {
			typ := m.goType
			if m.count > 0 {
				typ = fmt.Sprintf("[%d]%s", m.count, typ)
			}
			fmt.Fprintf(&b, "%s %s", m.goName, typ)
			if m.comment != "" {
				b.WriteString(" // " + m.comment)
			}
			b.WriteString("\n")
		}
		b.WriteString("}\n\n")
	}
	b.WriteString(")\n")
	return goFile("call/zz_structs.go", &b)
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// goChecks writes the methods of call.Call for kernels that have tags.
func goChecks(kernels []kernel) (output, error) {
	var b bytes.Buffer
	b.WriteString("package call\n\nimport \"convect/kernels\"\n")
	for _, k := range kernels {
		if k.checked {
			writeCheck(&b, &k)
		}
	}
	return goFile("call/zz_checks.go", &b)
}

// writeCheck writes one: boxes first, then numbers, then buffers, whose sizes follow from both.
func writeCheck(b *bytes.Buffer, k *kernel) {
	fmt.Fprintf(b, "\n// %s checks the arguments and converts them.\nfunc (c *Call) %s(a kernels.%s) (s %s) {\n", k.name, k.name, k.args, or(k.shared, k.name))
	for _, f := range k.fields {
		writeBoxCheck(b, k, &f)
	}
	for _, f := range k.fields {
		writeNumberCheck(b, k, &f)
	}
	if n := len(k.slots()); n > 0 {
		fmt.Fprintf(b, "c.slot(a.Slot, %d)\n", n)
	}
	b.WriteString("if !c.OK() {\nreturn s\n}\n")
	for _, f := range k.fields {
		if f.has("byhand") {
			continue
		}
		set := ""
		if m := k.memberOf(&f); m != "" {
			set = "s." + m + " = "
		}
		switch {
		case f.goType == "Buffer" && set == "" && f.count > 0:
			fmt.Fprintf(b, "for _, x := range a.%s {\nc.Nodes(x, %q)\n}\n", f.name, f.name)
		case f.goType == "Buffer":
			fmt.Fprintf(b, "%s%s\n", set, bufferCheck(&f))
		case f.goType == "*RowMask":
			fmt.Fprintf(b, "%sc.mask(a.%s)\n", set, f.name)
		}
	}
	writeDifferences(b, k)
	if k.hook {
		fmt.Fprintf(b, "c.check%s(&a, &s)\n", k.name)
	}
	b.WriteString("return s\n}\n")
}

func writeBoxCheck(b *bytes.Buffer, k *kernel, f *field) {
	set := "s." + k.memberOf(f) + " = c."
	switch {
	case f.goType == "*Elliptic":
		b.WriteString(set + "Elliptic(a." + f.name + ")\n")
	case f.goType == "Box" && f.name == k.box().name:
		b.WriteString(set + "SetBox(a." + f.name + ")\n")
	case f.goType == "Box":
		b.WriteString(set + "box(a." + f.name + ")\n")
	}
	if f.has("cells") {
		b.WriteString("s.Count = ints(cellsOf(a." + f.name + ", a.Periodic))\n")
	}
	if f.has("flat") {
		b.WriteString("c.isFlat()\n")
	}
}

func writeNumberCheck(b *bytes.Buffer, k *kernel, f *field) {
	arg := "a." + f.name
	if f.has("axis") {
		b.WriteString("c.isAxis(" + arg + ")\n")
	}
	if f.has("least") {
		fmt.Fprintf(b, "c.atLeast(%s, %s, %q)\n", arg, f.value("least"), f.name)
	}
	convert := map[string]string{"int": "int64(%s)", "[3]int": "ints(%s)", "bool": "flag(%s)", "[3]bool": "flags(%s)", "float64": "%s"}
	typ := f.goType
	if isEnumeration(typ) {
		convert[typ] = "c." + strings.ToLower(typ) + "(%s)"
	}
	if f.count > 0 && typ != "float64" {
		typ = "[" + strconv.Itoa(f.count) + "]" + typ
	}
	if form, ok := convert[typ]; ok && f.name != "Slot" && k.memberOf(f) != "" {
		fmt.Fprintf(b, "s.%s = "+form+"\n", k.memberOf(f), arg)
	}
}

// bufferCheck returns the call that checks a buffer and gives its address.
func bufferCheck(f *field) string {
	arg, name := "a."+f.name, strconv.Quote(f.name)
	box := "c.Box"
	if of := f.value("of"); of != "" {
		box = "a." + of
	}
	switch {
	case f.has("axes"):
		return fmt.Sprintf("c.axesOf(%s, %s, %s)", arg, box, name)
	case f.has("along"):
		return fmt.Sprintf("c.axis(%s, a.%s, %s)", arg, f.value("along"), name)
	case f.has("walls"):
		return fmt.Sprintf("c.walls(%s, %s)", arg, name)
	case f.has("side") && f.has("optional"):
		return fmt.Sprintf("c.maybeWall(%s, a.%s, %s)", arg, f.value("side"), name)
	case f.has("side"):
		return fmt.Sprintf("c.wall(%s, a.%s, %s)", arg, f.value("side"), name)
	case f.has("heights"):
		return fmt.Sprintf("c.Elements(%s, c.Elem, c.Box.N[2], %s)", arg, name)
	case f.has("len"):
		return fmt.Sprintf("c.Elements(%s, c.Elem, a.%s, %s)", arg, f.value("len"), name)
	case f.has("faces"):
		return fmt.Sprintf("c.faces(%s)", arg)
	case f.has("of"):
		return fmt.Sprintf("c.nodesOf(%s, %s, %s)", arg, box, name)
	case f.has("optional"):
		return fmt.Sprintf("c.maybeNodes(%s, %s)", arg, name)
	}
	return fmt.Sprintf("c.Nodes(%s, %s)", arg, name)
}

// writeDifferences refuses outputs that are inputs too.
func writeDifferences(b *bytes.Buffer, k *kernel) {
	for _, out := range k.fields {
		for _, in := range k.fields {
			if out.has("write") && out.mayNotBe(&in) && out.count == 0 && in.goType == "Buffer" && in.has("read") && in.count == 0 && in.isNodes() {
				fmt.Fprintf(b, "c.differ(a.%s, a.%s, %q)\n", out.name, in.name, out.name+" is "+in.name)
			}
		}
	}
}
