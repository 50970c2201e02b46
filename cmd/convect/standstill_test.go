package main

import (
	"strings"
	"testing"
)

// A run that is to stop when it is steady goes on from an unstable state that nothing disturbs, and says so once.
func TestStandstillIsSaid(t *testing.T) {
	dir := writeCase(t, `title: Undisturbed
grid: {cells: [8, 8], size: [1, 1]}
physics: {rayleigh: 60}
boundaries: {bottom: {temperature: 1}, top: {temperature: 0}}
time: {end: 3, steady: 1e-4}
`)
	out, log := mustRun(t, dir, "run", "small.yaml", "--out", "out")
	if got := out + log; strings.Count(got, "nothing changes any more") != 1 || !strings.Contains(got, "reached the end") {
		t.Errorf("want a sentence and the end:\n%s", got)
	}
	out, log = mustRun(t, dir, "run", "small.yaml", "--out", "calm", "--set", "physics.rayleigh=20")
	if got := out + log; strings.Contains(got, "nothing changes any more") || !strings.Contains(got, "steady after") {
		t.Errorf("want a steady state:\n%s", got)
	}
}
