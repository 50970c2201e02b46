package main

import (
	"strings"
	"testing"
)

// A largest step beyond 0.5 σ/(Ra ΔT) draws a warning from check and run with 27 points and on graded cells, where rounding may grow.
func TestMaxStepWarning(t *testing.T) {
	dir := writeCase(t, `title: Stable
grid: {cells: [8, 8], size: [1, 1]}
physics: {rayleigh: 250, heat_capacity_ratio: 0.5}
boundaries: {bottom: {temperature: 0}, top: {temperature: 2}}
time: {end: 0.01}
`)
	const text = "time.max_step is 0.004, beyond the 0.0005 on which buoyancy acts"
	for _, c := range []struct {
		set  []string
		want bool
	}{
		{[]string{"solver.stencil=27", "time.max_step=0.004"}, true},
		{[]string{"grid.grading={z: {cluster: both, ratio: 3}}", "time.max_step=0.004"}, true},
		{[]string{"time.max_step=0.004"}, false},
		{[]string{"solver.stencil=27", "time.max_step=0.0005"}, false},
		{[]string{"solver.stencil=27"}, false},
		{[]string{"solver.stencil=27", "time.max_step=0.004", "physics.rayleigh=0"}, false},
	} {
		var set []string
		for _, s := range c.set {
			set = append(set, "--set", s)
		}
		checked, _ := mustRun(t, dir, append([]string{"check", "small.yaml"}, set...)...)
		out, log := mustRun(t, dir, append([]string{"run", "small.yaml", "--out", "out", "--force"}, set...)...)
		for command, got := range map[string]string{"check": checked, "run": out + log} {
			if strings.Contains(got, text) != c.want || strings.Contains(got, "time.max_step is") != c.want {
				t.Errorf("%s with %v, warning wanted: %v\n%s", command, c.set, c.want, got)
			}
		}
	}
}
