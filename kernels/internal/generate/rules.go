package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// haloWidth is kernels.HaloWidth: no kernel reads further layers.
const haloWidth = 3

// known lists the words of a tag, those with a value with "=".
var known = []string{"cells", "flat", // of a box: its cells are counted, not its nodes; y is absent
	"read", "write", "update", "optional", "halo=", "inplace", "inplace=", "uncounted", "lost", "byhand", // of a buffer
	"axes", "along=", "walls", "side=", "heights", "len=", "faces", "of=", // how it is laid out, if not as nodes
	"axis", "least=", // of a number
	"k=", "mass", // of an operator: what of it counts
	"sum", "largest", "root"} // of the first slot: how partial results are gathered

// valid refuses declarations that contradict themselves.
func (k *kernel) valid() error {
	if !k.checked && (k.cpu != nil || k.cuda != nil || k.hook || k.also != nil) {
		return fmt.Errorf("fields without tags, or a struct by hand, from which nothing can be written")
	}
	if a := k.ability; a != nil {
		if err := a.valid(k); err != nil {
			return err
		}
	}
	if !k.tagged {
		return nil
	}
	if k.box() == nil {
		return fmt.Errorf("neither a box nor an operator to run over")
	}
	for _, f := range k.fields {
		if err := k.validField(&f); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// valid refuses an ability that the arguments do not have, or of a device that there is not.
func (a *ability) valid(k *kernel) error {
	if !slices.Contains([]string{"*Elliptic", "Box", k.args}, a.of) {
		return fmt.Errorf("%s is asked of %s, not of *Elliptic, Box or %s", a.asks, a.of, k.args)
	}
	for _, device := range a.on {
		if device != "cpu" && device != "cuda" {
			return fmt.Errorf("%s on an unknown device %s", a.name, device)
		}
	}
	if k.optional && (k.cpu != nil && !slices.Contains(a.on, "cpu") || k.cuda != nil && !slices.Contains(a.on, "cuda")) {
		return fmt.Errorf("a device runs it that does not have %s", a.name)
	}
	if k.sevenOnRanks && a.of != "*Elliptic" || k.onRanks == "whole" && a.of == k.args && k.operator() != nil {
		return fmt.Errorf("what ranks have of it does not follow from %s", a.of)
	}
	return nil
}

func (k *kernel) validField(f *field) error {
	for _, word := range f.words {
		name, _, valued := strings.Cut(word, "=")
		if valued {
			name += "="
		}
		if !slices.Contains(known, name) {
			return fmt.Errorf("unknown word %q", word)
		}
	}
	if f.goType == "Buffer" && f.isNodes() && !f.has("read") && !f.has("write") && !f.has("update") {
		return fmt.Errorf("neither read nor written")
	}
	if halo := f.value("halo"); halo != "" {
		n, err := strconv.Atoi(halo)
		if err == nil && (n < 0 || n > haloWidth) {
			return fmt.Errorf("a halo of %d layers, of which there are %d", n, haloWidth)
		}
		if err != nil && k.field(halo) == nil {
			return fmt.Errorf("there is no field %s", halo)
		}
		if f.goType != "Buffer" || !f.isNodes() || f.has("write") {
			return fmt.Errorf("a halo of what is no array of nodes that is read")
		}
	}
	for _, name := range []string{"along", "side", "len", "of", "inplace"} {
		if other := f.value(name); other != "" && k.field(other) == nil {
			return fmt.Errorf("there is no field %s", other)
		}
	}
	if memberOf(f.goType) == "" && f.goType != "Buffer" && k.member[f.name] != "-" || f.count < 0 {
		return fmt.Errorf("arguments of type %s cannot be written", f.goType)
	}
	return nil
}

// field returns the field of a name; nil: there is none.
func (k *kernel) field(name string) *field {
	n := slices.IndexFunc(k.fields, func(f field) bool { return f.name == name })
	if n < 0 {
		return nil
	}
	return &k.fields[n]
}

// box returns the field that a kernel runs over: its first box or operator.
func (k *kernel) box() *field {
	n := slices.IndexFunc(k.fields, func(f field) bool { return f.goType == "Box" || f.goType == "*Elliptic" })
	if n < 0 {
		return nil
	}
	return &k.fields[n]
}

// boxOf returns the box of a field, as an expression in the arguments a.
func boxOf(f *field) string {
	if f.goType == "*Elliptic" {
		return "a." + f.name + ".Box"
	}
	return "a." + f.name
}

// operator returns the field that is the operator; nil: there is none.
func (k *kernel) operator() *field {
	if f := k.box(); f.goType == "*Elliptic" {
		return f
	}
	return nil
}

// slots returns the ways in which partial results go to the slots from Slot on.
func (k *kernel) slots() []string {
	if f := k.field("Slot"); f != nil {
		return f.words
	}
	return nil
}

// first returns the buffer whose type is the kernel's, as an expression in the arguments a.
func (k *kernel) first() string {
	for _, f := range k.fields {
		if f.goType == "Buffer" && f.isNodes() && !f.has("optional") {
			if f.count > 0 {
				return "a." + f.name + "[0]"
			}
			return "a." + f.name
		}
	}
	return "nil"
}

// memberOf returns the member of the kernel's struct that gets a field; "": none does.
func (k *kernel) memberOf(f *field) string {
	switch other := k.member[f.name]; other {
	case "-":
		return ""
	case "":
		return f.name
	default:
		return other
	}
}

// isNodes tells whether a buffer is laid out as nodes.
func (f *field) isNodes() bool {
	for _, other := range []string{"axes", "along", "walls", "side", "heights", "len"} {
		if f.has(other) {
			return false
		}
	}
	return true
}

// mayNotBe tells whether an output may not be an input.
func (f *field) mayNotBe(in *field) bool {
	return !f.has("inplace") || f.value("inplace") != "" && f.value("inplace") != in.name
}

// written tells whether a kernel writes a buffer, or may.
func (f *field) written() bool { return f.has("write") || f.has("update") || f.has("lost") }
