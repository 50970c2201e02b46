package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// rankMethods writes the methods of ranks whose kernels the declaration tells all of, and what ranks say that they know.
func rankMethods(kernels []kernel) (output, error) {
	var b bytes.Buffer
	b.WriteString("package ranks\n\nimport \"convect/kernels\"\n")
	for _, k := range kernels {
		if k.tagged && k.onRanks != "byhand" {
			if err := writeRanks(&b, &k); err != nil {
				return output{}, err
			}
		}
		if k.ability != nil {
			writeAsked(&b, &k)
		}
	}
	writeAbilities(&b, kernels, "", "Queued{}")
	return goFile("ranks/zz_methods.go", &b)
}

// common tells whether ranks of any kind may have an ability, or a kernel that is optional, and not those of GPUs alone.
func (k *kernel) common() bool { return k.ability != nil && slices.Contains(k.ability.on, "cpu") }

// writeRanks writes how ranks run a kernel, those of GPUs one that they alone have.
func writeRanks(b *bytes.Buffer, k *kernel) error {
	device, receiver, run := "d", "d *Device", "kernels.Device."+k.name
	if k.optional {
		if !k.common() {
			device, receiver = "q.Device", "q Queued"
		}
		run = fmt.Sprintf("func(d kernels.Device, a kernels.%s) { d.(kernels.%s).%s(a) }", k.args, k.ability.name, k.name)
	}
	edge, isEdge := strings.CutPrefix(k.onRanks, "edge=")
	switch {
	case k.onRanks == "":
		edge = "0"
	case k.onRanks != "whole" && !isEdge:
		return fmt.Errorf("%s: unknown word %q in //kernel:ranks", k.name, k.onRanks)
	}
	fmt.Fprintf(b, "\n// %s runs the kernel of kernels.%s on all ranks.\nfunc (%s) %s(a kernels.%s) {\n", k.name, k.args, receiver, k.name, k.args)
	if k.onRanks == "whole" {
		fmt.Fprintf(b, "runWhole(%s, %q, a, %s)\n}\n", device, k.name, run)
	} else {
		fmt.Fprintf(b, "runSlabs(%s, %q, a, %s, %s)\n}\n", device, k.name, edge, run)
	}
	return nil
}

// writeAsked writes whether ranks have an ability: where each has it, unless what they do beside it is more than it saves, or they sum up otherwise.
func writeAsked(b *bytes.Buffer, k *kernel) {
	a, condition, receiver := k.ability, "", "q Queued"
	if k.common() {
		receiver = "q *Device"
	}
	if k.onRanks == "whole" {
		box := map[string]string{"*Elliptic": "a.Box", "Box": "a"}[a.of]
		condition = "!q.layoutOf(" + or(box, "a.Box") + ").split && "
	}
	if k.sevenOnRanks {
		condition += "a.Stencil == kernels.SevenPoint && "
	}
	fmt.Fprintf(b, "\n// %s asks a rank: see [kernels.%s].\nfunc (%s) %s(a %s) bool { return %sq.asked().%s(a) }\n", a.asks, a.name, receiver, a.asks, a.param(), condition, a.asks)
}

// rankCalls writes the methods by which rank 0 tells other ranks of kernels, and what those do then.
func rankCalls(kernels []kernel) (output, error) {
	var b, calls bytes.Buffer
	b.WriteString("package ranks\n\nimport \"convect/kernels\"\n")
	for number, k := range kernels {
		receiver, lead, run := "l *Lead", "l", "kernels.Device."+k.name
		asked := receiver
		if k.ability != nil && !k.common() {
			asked = "l leadQueued"
		}
		if k.optional {
			receiver, run = asked, lowerFirst(k.name)+"On"
			if !k.common() {
				lead = "l.Lead"
			}
			fmt.Fprintf(&b, "\nfunc %s(d kernels.Device, a kernels.%s) { Queued{d.(*Device)}.%s(a) }\n", run, k.args, k.name)
		}
		if a := k.ability; a != nil {
			fmt.Fprintf(&b, "\n// %s asks the ranks: see [kernels.%s].\nfunc (%s) %s(a %s) bool { return Queued{l.Device}.%s(a) }\n", a.asks, a.name, asked, a.asks, a.param(), a.asks)
		}
		fmt.Fprintf(&b, "\n// %s runs the kernel of kernels.%s on all ranks of a link.\nfunc (%s) %s(a kernels.%s) { lead(%s, %d, a, %s) }\n",
			k.name, k.args, receiver, k.name, k.args, lead, number, run)
		fmt.Fprintf(&calls, "follow(%s),\n", run)
	}
	writeAbilities(&b, kernels, "", "leadQueued{}")
	b.WriteString("\n// followed are the kernels by the numbers that rank 0 tells.\nvar followed = []func(*Device, *reader){\n" + calls.String() + "}\n")
	return goFile("ranks/zz_lead.go", &b)
}
