package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"convect/io/series"
)

// The page of the run that docs/benchmarks/h200 shows has the figures of the files beside it (scripts/step-run.py).
func TestCommittedRun(t *testing.T) {
	const folder = "../../docs/benchmarks/h200"
	page := readFile(t, filepath.Join(folder, "step-run.md"))
	summary, err := series.ReadSummary(filepath.Join(folder, "step-run", series.SummaryName))
	if err != nil {
		t.Fatal(err)
	}
	table, err := series.Read(filepath.Join(folder, "step-run", series.SeriesName))
	if err != nil {
		t.Fatal(err)
	}
	var means struct {
		Pressure float64 `json:"cycles_pressure"`
		Heat     float64 `json:"cycles_diffusion"`
		Dt       float64
	}
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(folder, "step-run", "means.json"))), &means); err != nil {
		t.Fatal(err)
	}
	steps, seconds := float64(summary.Steps), float64(summary.WallSeconds)
	want := []string{
		"| machine | " + summary.Device + " |", "| precision | " + summary.Precision + " |", fmt.Sprintf(", %d |", summary.Nodes),
		fmt.Sprintf("| steps | %d |", summary.Steps), fmt.Sprintf("| simulated time | %.6g |", summary.Time),
		fmt.Sprintf("| mean step | %.4g |", means.Dt), fmt.Sprintf("| %.2f |", seconds), fmt.Sprintf("| steps a second | %.1f |", steps/seconds),
		fmt.Sprintf("| cycles a step: pressure, temperature | %.2f, %.2f |", means.Pressure, means.Heat),
		fmt.Sprintf("| %.3f, %.3f, %.3f |", summary.Nusselt, summary.NusseltHot, summary.NusseltCold),
		fmt.Sprintf("| %.3f ± %.3f |", summary.NusseltMean, summary.NusseltStdErr),
	}
	column := table.Column
	step, time, hot, cold, wall := column("step"), column("time"), column("nusselt_hot"), column("nusselt_cold"), column("wall_seconds")
	for _, n := range []int{0, len(step) - 1} {
		want = append(want, fmt.Sprintf("| %.5f | %.0f | %.3f | %.3f | %.2f |", time[n], step[n], hot[n], cold[n], wall[n]))
	}
	for _, text := range want {
		if !strings.Contains(page, text) {
			t.Errorf("%q is not on the page", text)
		}
	}
	if last := len(step) - 1; int64(step[last]) != summary.Steps || hot[last] != float64(summary.NusseltHot) || wall[last] != seconds {
		t.Errorf("the table ends with step %v, Nu %v, %v s, the summary with %+v", step[last], hot[last], wall[last], summary)
	}
	if mean := float64(summary.Time) / steps; mean > 1.001*means.Dt || mean < 0.999*means.Dt {
		t.Errorf("a mean step of %v in %v", means.Dt, mean)
	}
}
