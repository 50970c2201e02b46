package main

import (
	"bytes"
	"fmt"
	"slices"
)

// writeAbilities has the compiler check that a device of a folder, of any where it is "", has what not every device has.
func writeAbilities(b *bytes.Buffer, kernels []kernel, folder, device string) {
	var all bytes.Buffer
	for _, k := range kernels {
		if k.ability != nil && (folder == "" || slices.Contains(k.ability.on, folder)) {
			fmt.Fprintf(&all, "_ kernels.%s = %s\n", k.ability.name, device)
		}
	}
	if all.Len() > 0 {
		fmt.Fprintf(b, "\nvar (\n%s)\n", all.String())
	}
}

// deviceInterface writes the families of kernels, what every device has, and what not every one has.
func deviceInterface(kernels []kernel, families []family) (output, error) {
	var b bytes.Buffer
	b.WriteString("package kernels\n\n// Kernels are the methods that run a kernel.\ntype Kernels interface {\n")
	for _, f := range families {
		b.WriteString(f.name + "\n")
	}
	b.WriteString("}\n")
	for _, f := range families {
		fmt.Fprintf(&b, "\n// %s\ntype %s interface {\n", f.comment, f.name)
		for _, k := range kernels {
			if k.family == f.name && !k.optional {
				fmt.Fprintf(&b, "%s(%s)\n", k.name, k.args)
			}
		}
		b.WriteString("}\n")
	}
	b.WriteString("\n// Optional is a Device with what not every device has. Where Device lacks something it is asked for, the answer is no.\ntype Optional struct{ Device }\n")
	for _, k := range kernels {
		if k.ability != nil {
			writeAbility(&b, &k)
		}
	}
	return goFile("zz_device.go", &b)
}

// writeAbility writes the interface of what not every device has, and how Optional passes it on.
func writeAbility(b *bytes.Buffer, k *kernel) {
	a, what, method := k.ability, "that has "+k.name, ""
	if k.optional {
		method = fmt.Sprintf("%s(%s)\n", k.name, k.args)
	} else {
		what = "that has a better " + k.name
	}
	fmt.Fprintf(b, "\n// %s is a Device %s, if not for all arguments: see [%s].\ntype %s interface {\n// %s tells whether it does for these.\n%s(a %s) bool\n%s}\n",
		a.name, what, k.args, a.name, a.asks, a.asks, a.of, method)
	fmt.Fprintf(b, "\n// %s asks the device: see [%s].\nfunc (o Optional) %s(a %s) bool {\nd, ok := o.Device.(%s)\nreturn ok && d.%s(a)\n}\n", a.asks, a.name, a.asks, a.of, a.name, a.asks)
	if k.optional {
		fmt.Fprintf(b, "\n// %s has the device run the kernel of %s, for what it %s.\nfunc (o Optional) %s(a %s) { o.Device.(%s).%s(a) }\n",
			k.name, k.args, a.asks, k.name, k.args, a.name, k.name)
	}
}
