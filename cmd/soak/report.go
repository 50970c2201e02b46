package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// print says what was done and found.
func (t *tally) print(left []string) {
	fmt.Printf("soak: %d cases, %d chains of disturbances, each resumed to its end\n", t.rounds, t.chains)
	if t.refused > 0 {
		fmt.Printf("soak: %d drawn cases were refused or failed without any disturbance, and left out\n", t.refused)
	}
	all := 0
	for _, kind := range slices.Sorted(maps.Keys(t.ends)) {
		var words []string
		sum := 0
		for _, end := range slices.Sorted(maps.Keys(t.ends[kind])) {
			words = append(words, fmt.Sprintf("%s %d", end, t.ends[kind][end]))
			sum += t.ends[kind][end]
		}
		all += sum
		fmt.Printf("  %-24s %6d   %s\n", kind, sum, strings.Join(words, ", "))
	}
	for _, text := range left {
		fmt.Println("soak: LEFT OUT:", text)
	}
	fmt.Printf("soak: seed %d: %d disturbances, %d findings\n", t.seed, all, len(t.findings))
}
