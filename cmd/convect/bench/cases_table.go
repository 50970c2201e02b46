package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"convect/cmd/convect/bench/report"
)

// The columns of a comparison.
var (
	columnName     = report.Column{Key: "case", Title: "case", Origin: report.Label}
	columnGrid     = report.Column{Key: "cells", Title: "cells", Origin: report.Label}
	columnRelative = report.Column{Key: "to_closed", Title: "to closed", Unit: "a node", Origin: report.Measured, Format: "%.2f"}
)

// casesTable is the key of the table.
const casesTable = "cases"

// quiet is what the closed box beside itself differs from 1 by at most, on a machine that does nothing else.
const quiet = 0.05

// columnsOfCases are those of the table.
func columnsOfCases() []report.Column {
	return []report.Column{columnName, columnGrid, {Key: "nodes", Title: "nodes", Origin: report.Label}, columnTime,
		{Key: "nanoseconds_per_node", Title: "a node", Unit: "ns", Origin: report.Measured, Format: "%.4g"}, columnRelative,
		{Key: "pressure_cycles", Title: "pressure", Unit: "cycles", Origin: report.Measured, Format: "%.1f"},
		{Key: "heat_cycles", Title: "heat", Unit: "cycles", Origin: report.Measured, Format: "%.1f"},
		{Key: "memory_per_node", Title: "memory", Unit: "bytes/node", Origin: report.Counted, Format: "%.0f"},
		columnBytes, columnCopy, columnFraction,
		{Key: "part", Title: "most time", Origin: report.Label},
		{Key: "share", Title: "share", Unit: "%", Origin: report.Measured, Format: "%.0f"},
		{Key: "nusselt", Title: "Nusselt", Origin: report.Measured, Format: "%.2f"}}
}

// row returns the row of a case.
func (c *caseResult) row() report.Row {
	row := report.Row{columnName.Key: c.name, columnGrid.Key: cellsText(c.cells)}
	if c.failure != nil {
		return with(row, report.Row{"part": "failed"})
	}
	return with(row, report.Row{"nodes": int(c.nodes), columnTime.Key: c.seconds * 1e3, "nanoseconds_per_node": c.seconds / c.nodes * 1e9,
		columnRelative.Key: c.relative, "pressure_cycles": c.pressure, "heat_cycles": c.heat, "memory_per_node": c.memory / c.nodes,
		columnBytes.Key: c.bytes / c.nodes, columnCopy.Key: c.copied / 1e9, columnFraction.Key: c.bytes / c.seconds / c.copied,
		"part": c.part, "share": 100 * c.share, "nusselt": c.nusselt})
}

// tableOfCases adds the table, its plot, the checks and notes, and returns what failed.
func (r *run) tableOfCases(results []*caseResult) (failed []string) {
	t := r.table(casesTable, fmt.Sprintf("A step of cases that belong to a closed box of %d³ nodes", r.options.Size[0]), columnsOfCases()...)
	worst, least := 0.0, math.Inf(1)
	bars := report.Series{Name: "a node"}
	p := &report.Plot{File: "cases.png", Title: t.Title, Y: report.Axis{Label: "time of a node over that of the closed box"}}
	for _, c := range results {
		t.Add(c.row())
		if c.failure != nil {
			failed = append(failed, fmt.Sprintf("%s: %v", c.name, c.failure))
			r.note("Failed: %s.", failed[len(failed)-1])
			continue
		}
		if !math.IsNaN(c.relative) {
			bars.Y, p.Bars = append(bars.Y, c.relative), append(p.Bars, c.name)
		}
		worst, least = max(worst, c.imbalance), min(least, c.nusselt)
	}
	if p.Series = []report.Series{bars}; len(bars.Y) > 0 {
		r.report.Plots = append(r.report.Plots, p)
	}
	if !math.IsInf(least, 1) {
		r.report.Checks = []report.Check{{Name: "gained in a step less what entered, of the content, the most of any case", Value: worst, Bound: imbalanceBound},
			{Name: "one over the Nusselt number, the most of any case", Value: 1 / least, Bound: 1}}
	}
	if last := results[len(results)-1]; math.Abs(last.relative-1) > quiet {
		r.note("The closed box takes %.2f times its own time beside itself: something else slowed the machine, and what is compared with it is as uncertain.", last.relative)
	}
	r.note("time: medians over blocks of %d steps after %d, with the row that each writes into series.csv. to closed: the median of such a block over one of the closed box that follows it. "+
		"cycles, Nusselt: means over these steps.", blockSteps, r.options.Develop)
	r.note("bytes, memory and the part that takes most time are of %d steps after these, with the device at rest after each part. "+
		"bytes: counted kernel by kernel, every array read or written once; memory: of all arrays at once.", splitSteps)
	return failed
}

// slower is how much worse a row may be than in the report that it is compared with.
const slower = 1.1

// compareCases compares what the cases take beside the closed box with the report of another run, and returns what is worse. Rows that
// the other does not have, or has on another grid, are left out.
func (r *run) compareCases(results []*caseResult) (worse []string, err error) {
	path := r.options.Against
	if path == "" {
		return nil, nil
	}
	other, err := readCases(path)
	if err != nil {
		return nil, err
	}
	compared := 0
	for _, c := range results {
		n := slices.IndexFunc(other.Tables[0].Rows, func(row report.Row) bool {
			return row[columnName.Key] == c.name && row[columnGrid.Key] == cellsText(c.cells)
		})
		if n < 0 || c.name == closedBox || c.failure != nil || math.IsNaN(c.relative) {
			continue
		}
		before, ok := other.Tables[0].Rows[n].Number(columnRelative.Key)
		if !ok {
			continue
		}
		compared++
		if now := c.relative; now > slower*before {
			worse = append(worse, fmt.Sprintf("%s takes %.2f times the closed box a node, %.2f in %s", c.name, now, before, path))
		}
	}
	if compared == 0 {
		return nil, fmt.Errorf("%s has no row to compare: it has other cases or other grids", path)
	}
	r.note("Compared %d rows with %s: %d are more than %.0f %% worse.", compared, path, len(worse), 100*(slower-1))
	if mine, theirs := r.report.Machine, other.Machine; mine.Description != theirs.Description {
		r.note("The devices differ: %s here, %s there.", mine.Description, theirs.Description)
	}
	return worse, nil
}

// readCases reads the report of another run.
func readCases(path string) (*report.Report, error) {
	other, err := report.Read(path)
	if err != nil {
		return nil, err
	}
	if other.Benchmark != "cases" || len(other.Tables) == 0 || other.Tables[0].Key != casesTable {
		return nil, fmt.Errorf("%s has no figures of bench cases", path)
	}
	return other, nil
}

// caseNames lists the rows.
func caseNames() (names []string) {
	for _, c := range ordinaryCases() {
		names = append(names, c.name)
	}
	return names
}

// checkRows checks the options of rows.
func (r *run) checkRows() error {
	o := &r.options
	if !r.Rows {
		if len(o.Rows) > 0 || o.Against != "" || o.Develop != 0 {
			return &OptionError{fmt.Sprintf("bench %s has no --cases, --against and --develop; bench cases has", r.Name)}
		}
		return nil
	}
	for _, name := range o.Rows {
		if !slices.Contains(caseNames(), name) {
			return &OptionError{fmt.Sprintf("--cases: there is no %q; there are %s", name, strings.Join(caseNames(), ", "))}
		}
	}
	if o.Develop < 0 {
		return &OptionError{fmt.Sprintf("--develop %d: accepted are 0 and above", o.Develop)}
	}
	if o.Against != "" {
		if _, err := readCases(o.Against); err != nil { // before anything runs
			return &OptionError{"--against: " + err.Error()}
		}
	}
	return nil
}
