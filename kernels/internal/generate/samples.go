package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// samples writes, for the conformance suite, a call of each kernel that has tags, with what it reads and writes.
func samples(kernels []kernel) (output, error) {
	var b bytes.Buffer
	b.WriteString("package devicetest\n\nimport \"convect/kernels\"\n\n")
	b.WriteString("// declaredSamples returns a call of each kernel whose declaration tells what it reads and writes.\n")
	b.WriteString("func declaredSamples() []declared {\nreturn []declared{\n")
	for _, k := range kernels {
		if k.checked {
			writeSample(&b, &k)
		}
	}
	b.WriteString("}\n}\n")
	return goFile("devicetest/zz_samples.go", &b)
}

func writeSample(b *bytes.Buffer, k *kernel) {
	var written, lost, read []string // written and read are values of reach
	for _, f := range k.fields {
		if f.goType != "Buffer" || !f.isNodes() || f.unsampled() {
			continue
		}
		switch {
		case f.has("lost"):
			lost = append(lost, pathsOf(k, &f)...)
		case f.written():
			for _, path := range pathsOf(k, &f) {
				written = append(written, fmt.Sprintf("{%q, %q, 0}", path, boxPath(k, &f)))
			}
		}
		if f.has("read") {
			for _, path := range pathsOf(k, &f) {
				read = append(read, fmt.Sprintf("{%q, %q, %s}", path, boxPath(k, &f), haloOf(f.value("halo"))))
			}
		}
	}
	fmt.Fprintf(b, "{written: []reach{%s}, lost: %s, read: []reach{%s}, sample: sample{kernel: %q, slots: %d,\n", strings.Join(written, ", "), quoted(lost), strings.Join(read, ", "), k.name,
		len(k.slots()))
	fmt.Fprintf(b, "paths: %s,\nargs: func(b *bench) any {\n", quoted(k.paths()))
	for _, f := range k.fields {
		if f.goType == "Box" {
			fmt.Fprintf(b, "grid%s := b.sampleGridOf(%s)\n", f.name, gridSetting(&f))
		}
	}
	if o := k.operator(); o != nil {
		fmt.Fprintf(b, "operator := b.sampleOperator()\ngrid%s := b.sampleGrid()\n", o.name)
	}
	fmt.Fprintf(b, "return kernels.%s{\n", k.args)
	for _, f := range k.fields {
		if v := sampleOf(k, &f); v != "" {
			fmt.Fprintf(b, "%s: %s,\n", f.name, v)
		}
	}
	b.WriteString("}\n}}},\n")
}

// boxPath returns the path of the box that a buffer is laid out by.
func boxPath(k *kernel, f *field) string {
	if of := f.value("of"); of != "" {
		return of
	}
	return strings.TrimPrefix(boxOf(k.box()), "a.")
}

// haloOf returns the layers of a halo: a number, none, or those that a transport scheme needs.
func haloOf(halo string) string {
	if halo == "" {
		return "0"
	}
	if _, err := strconv.Atoi(halo); err == nil {
		return halo
	}
	return "kernels.Central.Halo()" // samples have the first scheme
}

// gridSetting returns the nodes of a sample's box, and whether it is flat.
func gridSetting(f *field) string {
	n := "5, 4, 3"
	if f.has("flat") {
		n = "5, 1, 3"
	}
	if f.sample != "" {
		n = f.sample
	}
	return fmt.Sprintf("[3]int{%s}, %v", n, f.has("flat"))
}

// sampleOf returns a field's value in a sample; "": its zero.
func sampleOf(k *kernel, f *field) string {
	grid := "grid" + k.box().name
	if of := f.value("of"); of != "" {
		grid = "grid" + of
	}
	switch {
	case f.unsampled():
		return ""
	case f.goType == "Box":
		return "grid" + f.name + ".Box"
	case f.goType == "*Elliptic":
		return "operator"
	case f.goType != "Buffer":
		return f.sample
	case f.has("axes"):
		return fmt.Sprintf("b.Axes(%s.%s)", grid, f.name)
	case f.has("along"):
		return fmt.Sprintf("b.Floats(%s.%s[%s])", grid, f.name, or(k.field(f.value("along")).sample, "0"))
	case f.has("walls"):
		return fmt.Sprintf("b.sampleWalls(%s.Box)", grid)
	case f.has("side"):
		return fmt.Sprintf("b.Floats(make([]float64, %s.Box.WallNodes(%s)))", grid, or(k.field(f.value("side")).sample, "0"))
	case f.has("heights"):
		return fmt.Sprintf("b.Floats(make([]float64, %s.Box.N[2]))", grid)
	case f.has("len"):
		return fmt.Sprintf("b.Floats(numbers(%s, b.number))", k.field(f.value("len")).sample)
	case f.has("faces"):
		return fmt.Sprintf("b.sampleFaces(%s.Box)", grid)
	case f.count > 0:
		one := fmt.Sprintf("b.put(b.noise(%s.Box)).Buffer, ", grid)
		return fmt.Sprintf("[%d]kernels.Buffer{%s}", f.count, strings.Repeat(one, f.count))
	}
	return fmt.Sprintf("b.put(b.noise(%s.Box)).Buffer", grid)
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// unsampled tells whether a buffer is nil in a sample: what it may be is known to package call alone.
func (f *field) unsampled() bool { return f.has("optional") && f.has("byhand") }

// paths returns the paths of all buffers of a kernel's arguments.
func (k *kernel) paths() (all []string) {
	for _, f := range k.fields {
		if f.unsampled() {
			continue
		}
		switch f.goType {
		case "Buffer":
			all = append(all, pathsOf(k, &f)...)
		case "*Elliptic":
			for _, array := range []string{"H", "RH", "W", "Cells"} {
				all = append(all, f.name+"."+array+".0", f.name+"."+array+".1", f.name+"."+array+".2")
			}
			all = append(all, f.name+".Mass", f.name+".Mask.Index", f.name+".Mask.Table")
		case "*RowMask":
			all = append(all, f.name+".Index", f.name+".Table")
		}
	}
	return all
}

// pathsOf returns the paths of the buffers of a field; a flat box has no faces along y.
func pathsOf(k *kernel, f *field) (all []string) {
	if f.count == 0 {
		return []string{f.name}
	}
	for n := range f.count {
		if n != 1 || !f.has("faces") || !k.box().has("flat") {
			all = append(all, fmt.Sprintf("%s.%d", f.name, n))
		}
	}
	return all
}

// quoted returns a list of strings in Go.
func quoted(all []string) string {
	return strings.ReplaceAll(fmt.Sprintf("%#v", all), "[]string(nil)", "nil")
}
