package main

import (
	"bytes"
	"fmt"
	"strings"
)

// byteCounts writes, for the benchmarks, methods that count what each kernel that has tags must move.
func byteCounts(kernels []kernel) (output, error) {
	var b bytes.Buffer
	b.WriteString("package bench\n\nimport \"convect/kernels\"\n")
	for _, k := range kernels {
		if k.tagged {
			writeCount(&b, &k)
		}
	}
	return goFile("../cmd/convect/bench/zz_counting.go", &b)
}

func writeCount(b *bytes.Buffer, k *kernel) {
	fmt.Fprintf(b, "\n// %s counts the arrays of kernels.%s.\nfunc (c *counting) %s(a kernels.%s) {\n", k.name, k.args, k.name, k.args)
	if o := k.operator(); o != nil {
		writeOperatorCount(b, o)
	}
	boxes, arrays := []string(nil), map[string][]string{}
	for _, f := range k.fields {
		if f.goType != "Buffer" || !f.isNodes() || f.has("uncounted") {
			continue
		}
		box := boxOf(k.box())
		if of := f.value("of"); of != "" {
			box = "a." + of
		}
		if arrays[box] == nil {
			boxes = append(boxes, box)
		}
		arrays[box] = append(arrays[box], moved(&f)...)
	}
	for _, box := range boxes {
		fmt.Fprintf(b, "c.add(%s.Nodes(), %s)\n", box, strings.Join(arrays[box], ", "))
	}
	device := "Device"
	if k.optional {
		device = "Optional"
	}
	fmt.Fprintf(b, "c.%s.%s(a)\n}\n", device, k.name)
}

// writeOperatorCount counts the coefficients of an operator: all, those along an axis, or the mass.
func writeOperatorCount(b *bytes.Buffer, o *field) {
	switch axis := o.value("k"); {
	case axis == "Axis":
		fmt.Fprintf(b, "c.add(a.%s.Box.Nodes(), a.%s.Cells[a.Axis])\n", o.name, o.name)
	case axis != "":
		fmt.Fprintf(b, "c.add(a.%s.Box.Nodes(), a.%s.Cells[kernels.%s])\n", o.name, o.name, axis)
	case o.has("mass"):
		fmt.Fprintf(b, "c.add(a.%s.Box.Nodes(), a.%s.Mass)\n", o.name, o.name)
	default:
		fmt.Fprintf(b, "c.operator(a.%s)\n", o.name)
	}
}

// moved lists the buffers of a field, twice where they are read and written.
func moved(f *field) (all []string) {
	for n := range max(f.count, 1) {
		arg := "a." + f.name
		if f.count > 0 {
			arg = fmt.Sprintf("a.%s[%d]", f.name, n)
		}
		all = append(all, arg)
		if f.has("update") {
			all = append(all, arg)
		}
	}
	return all
}
