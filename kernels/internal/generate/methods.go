package main

import (
	"bytes"
	"fmt"
	"strings"
)

// cpuMethods writes the methods of the processor's device that only check and run.
func cpuMethods(kernels []kernel) (output, error) {
	var b bytes.Buffer
	b.WriteString("package cpu\n\n// #include \"cpu.h\"\nimport \"C\"\n\nimport (\n\"unsafe\"\n\n\"convect/kernels\"\n)\n")
	for _, k := range kernels {
		if k.cpu != nil {
			writeCPU(&b, &k)
		}
	}
	writeAbilities(&b, kernels, "cpu", "(*Device)(nil)")
	return goFile("cpu/zz_methods.go", &b)
}

func writeCPU(b *bytes.Buffer, k *kernel) {
	fmt.Fprintf(b, "\n// %s runs the kernel of kernels.%s.\nfunc (d *Device) %s(a kernels.%s) {\n", k.name, k.args, k.name, k.args)
	if o := k.operator(); o != nil {
		fmt.Fprintf(b, "c := d.beginElliptic(%q, %s, a.%s)\n", k.name, k.first(), o.name)
	} else {
		fmt.Fprintf(b, "c := d.begin(%q, %s)\n", k.name, k.first())
	}
	over := map[string]string{"rows": "c.overRows()", "cells": "overCells(s.Count)", "lines": "c.overLines(a.Side)"}[k.cpu.over]
	fmt.Fprintf(b, "s := hold(c, c.%s(a))\nover := %s\n", k.name, over)
	if k.cpu.scratch > 0 {
		fmt.Fprintf(b, "c.reserveLines(%d, over.line)\n", k.cpu.scratch)
	}
	if k.cpu.stream {
		b.WriteString("s.Stream = c.stream()\n")
	}
	ways := k.slots()
	switch {
	case len(ways) > 0 && k.shared != "": // the lines are known from its box
		fmt.Fprintf(b, "s.Partial = c.partials(%d*over.lines)\n", len(ways))
	case len(ways) > 0:
		fmt.Fprintf(b, "s.Partial, s.Parts = c.partials(%d*over.lines), int64(over.lines)\n", len(ways))
	}
	name := "C.cv_" + snake(k.name)
	if k.cpu.trilinear != "" {
		fmt.Fprintf(b, "kernel := C.int(%s)\nif s.A.Points == 27 {\nkernel = C.cv_%s\n}\n", name, k.cpu.trilinear)
		name = "kernel"
	}
	fmt.Fprintf(b, "c.runLines(%s, unsafe.Pointer(s), over)\n", name)
	if len(ways) > 0 {
		fmt.Fprintf(b, "c.gather(a.Slot, over, %s)\n", waysOf(ways))
	}
	b.WriteString("}\n")
}

// waysOf lists ways of gathering.
func waysOf(ways []string) string {
	names := map[string]string{"sum": "addUp", "largest": "largest", "root": "rootOfLargest"}
	var all []string
	for _, way := range ways {
		all = append(all, names[way])
	}
	return strings.Join(all, ", ")
}

// cudaMethods writes the methods of the device of GPUs that only check and launch.
func cudaMethods(kernels []kernel) (output, error) {
	var b bytes.Buffer
	b.WriteString("package cuda\n\nimport (\n\"unsafe\"\n\n\"convect/kernels\"\n)\n")
	for _, k := range kernels {
		if k.cuda != nil {
			writeCUDA(&b, &k)
		}
	}
	writeAbilities(&b, kernels, "cuda", "(*Device)(nil)")
	return goFile("cuda/zz_methods.go", &b)
}

func writeCUDA(b *bytes.Buffer, k *kernel) {
	fmt.Fprintf(b, "\n// %s launches the kernel of kernels.%s.\nfunc (d *Device) %s(a kernels.%s) {\n", k.name, k.args, k.name, k.args)
	box := "c.Box"
	if k.box().has("cells") {
		box = "cellBox(s.Count, c.Box)"
	}
	over := map[string]string{"nodes": "overNodes(" + box + ")", "slabs": "overSlabs(" + box + ")",
		"lines": "overElements(c.Box.WallNodes(a.Side))"}[k.cuda.over]
	fmt.Fprintf(b, "c := d.begin(%q, %s)\ns := c.%s(a)\ng := %s\n", k.name, k.first(), k.name, over)
	ways := k.slots()
	if len(ways) > 0 {
		fmt.Fprintf(b, "s.Partial, s.Parts = d.partial(&c, %d*g.blocks()), int64(g.blocks())\n", len(ways))
	}
	fmt.Fprintf(b, "d.launch(&c, %q, g, unsafe.Pointer(&s), unsafe.Sizeof(s))\n", snake(k.name))
	if len(ways) > 0 {
		fmt.Fprintf(b, "d.gatherAll(&c, a.Slot, g.blocks(), %s)\n", waysOf(ways))
	}
	b.WriteString("}\n")
}
