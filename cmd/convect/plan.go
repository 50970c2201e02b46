package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"convect/cmd/convect/casefile"
	"convect/kernels"
	"convect/physics"
)

// checkPlan prints the kernels of a case that check has built.
func checkPlan(w io.Writer, dev kernels.Device, c *casefile.Case) error {
	if memoryFloor(c) > roomOn(dev.Info()).free {
		return errors.New("the kernels are not known: the memory does not suffice for the case")
	}
	parts, err := physics.Plan(dev, c.Parameters)
	if err != nil {
		return err
	}
	printPlan(w, parts)
	return nil
}

// printPlan prints the kernels of each part of a step, and why a faster form was not taken.
func printPlan(w io.Writer, parts []physics.PartPlan) {
	if len(parts) == 0 {
		return
	}
	fmt.Fprintf(w, "\nkernels of a step\n")
	for _, p := range parts {
		name := p.Part
		if p.Cells != [3]int{} {
			name += ", " + cellsText(p.Cells) + " cells"
		}
		fmt.Fprintf(w, "  %s\n", name)
		printChoices(w, p.Choices)
	}
}

// printChoices prints a line for each call of a part, calls that are alike once.
func printChoices(w io.Writer, choices []kernels.Choice) {
	var lines []string
	times := map[string]int{}
	for _, c := range choices {
		line := fmt.Sprintf("%-16s %s", c.Call, strings.Join(c.Kernels, ", "))
		if c.Reason != "" {
			line += " (" + c.Reason + ")"
		}
		if times[line]++; times[line] == 1 {
			lines = append(lines, line)
		}
	}
	for _, line := range lines {
		count := ""
		if times[line] > 1 {
			count = fmt.Sprintf(" × %d", times[line])
		}
		fmt.Fprintf(w, "    %s%s\n", line, count)
	}
}
