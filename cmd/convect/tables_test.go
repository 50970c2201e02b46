package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"convect/io/checkpoint"
	"convect/io/series"
)

// A table that is emptied or removed during a run is noticed at the next step, the rows that follow are there, and the end says what means
// over time leave out; a run that goes on from a checkpoint does so whatever has become of the tables.
func TestTablesLostDuringTheRun(t *testing.T) {
	dir := writeCase(t, strings.Replace(longCase, "end: 0.06", "end: 60", 1))
	d := directory(filepath.Join(dir, "small.out"))
	c := program(t, dir, "run", "small.yaml")
	var errs strings.Builder
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	waitForRows(t, d, 30)
	if err := os.Remove(d.path(series.SeriesName)); err != nil {
		t.Fatal(err)
	}
	waitForRows(t, d, 40)
	if rows := readSeries(t, d); rows[0][0] != 0 {
		t.Errorf("the table that was removed begins with step %g", rows[0][0])
	}
	if err := os.Truncate(d.path(series.SeriesName), 0); err != nil {
		t.Fatal(err)
	}
	waitForRows(t, d, 20)
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != exitInterrupted {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}
	log := fileText(t, d.path(logName))
	for _, says := range []string{"series.csv was removed during the run: the table is there again; no row is lost", "was cut during the run by somebody else; the rows of steps 0 to "} {
		if !strings.Contains(errs.String(), says) || !strings.Contains(log, says) {
			t.Errorf("%q is not in\n%s", says, errs.String())
		}
	}
	rows := readSeries(t, d)
	first, last := int64(rows[0][0]), int64(rows[len(rows)-1][0])
	if first < 40 || last-first+1 != int64(len(rows)) {
		t.Errorf("%d rows of steps %d to %d", len(rows), first, last)
	}
	// A hole of zeroes, as a run of an earlier version left it, and no profiles.
	text := fileText(t, d.path(series.SeriesName))
	if err := os.WriteFile(d.path(series.SeriesName), []byte(strings.Repeat("\x00", 3000)+text[len(text)/2:]), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(d.path(series.ProfilesName)); err != nil {
		t.Fatal(err)
	}
	path, _, err := checkpoint.Latest(string(d))
	if err != nil {
		t.Fatal(err)
	}
	end := fmt.Sprintf("time.end=%g", lastCheckpoint(t, d).Time+0.01)
	_, said := mustRun(t, dir, "restart", path, "--set", end)
	for _, says := range []string{"is written anew with the rows that can be read", "alone: means over time leave out the others", "means over time leave out "} {
		if !strings.Contains(said, says) {
			t.Errorf("%q is not in\n%s", says, said)
		}
	}
	summary, err := series.ReadSummary(d.path(series.SummaryName))
	if err != nil || summary.RowsMissing < first || summary.RowsMissing > last {
		t.Errorf("summary %+v: %v", summary, err)
	}
}
