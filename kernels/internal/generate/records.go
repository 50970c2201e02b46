package main

import "go/ast"

// memberTypes are the members that package call makes of fields.
var memberTypes = map[string]string{
	"Box": "Box", "*Elliptic": "Elliptic", "*RowMask": "Mask", "float64": "float64", "int": "int64", "bool": "int64",
}

// isEnumeration tells whether a type of arguments is an enumeration of package kernels, which a method of package call of the same name in lower case checks.
func isEnumeration(goType string) bool {
	return memberTypes[goType] == "" && goType != "Buffer" && ast.IsExported(goType)
}

// memberOf returns the member that package call makes of a field of a type; "": none.
func memberOf(goType string) string {
	if isEnumeration(goType) {
		return "int64"
	}
	return memberTypes[goType]
}

// recordOf returns the struct that a kernel gets.
func recordOf(k *kernel) record {
	r := record{goName: k.name, cName: "cv_" + snake(k.name) + "_args", comment: "The arguments of kernels." + k.args + "."}
	add := func(name, typ string, count int, comment string) {
		r.members = append(r.members, member{goName: name, cName: snake(name), goType: typ, count: count, comment: comment})
	}
	for _, f := range k.fields {
		switch {
		case f.goType == "Buffer" && f.written():
			add(f.name, "Out", f.count, f.comment)
		case f.goType == "Buffer":
			add(f.name, "In", f.count, f.comment)
		case f.name == "Slot":
			continue
		default:
			add(f.name, memberOf(f.goType), f.count, f.comment)
		}
		if f.has("cells") {
			add("Count", "int64", 3, "cells along the axes")
		}
	}
	if k.slots() != nil {
		add("Partial", "Sums", 0, "an array of partial results for each slot")
		add("Parts", "int64", 0, "of each")
	}
	for _, name := range k.also {
		add(name, "int64", 0, "")
	}
	if k.cpu != nil && k.cpu.stream {
		add("Stream", "int64", 0, "streaming stores")
	}
	return r
}

// records returns the structs of kernels that have tags.
func records(kernels []kernel) (all []record) {
	for _, k := range kernels {
		if k.checked && k.shared == "" {
			all = append(all, recordOf(&k))
		}
	}
	return all
}
