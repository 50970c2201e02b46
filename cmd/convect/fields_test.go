package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const fieldsCase = `title: From files
grid: {cells: [16, 8], size: [2, 1]}
physics: {rayleigh: 100, permeability: {file: data/k.csv}, heat_source: {file: data/log.csv, column: q}}
boundaries: {bottom: {temperature: 1}, top: {temperature: 0}}
initial: {temperature: {file: data/log.csv, column: T}}
time: {end: 0.002}
output: {every: {time: 0.001}}
`

// writeFields makes the files of fieldsCase.
func writeFields(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"k.csv": "x,z,k\n0,0,1\n2,0,2\n0,1,3\n2,1,4\n", "log.csv": "z,T,q\n0,1,0\n0.4,0.7,2\n1,0,1\n"} {
		if err := os.WriteFile(filepath.Join(dir, "data", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// check and the log of a run say what was read from files and how it gets onto the grid; a run of them repeats from case.yaml in its directory, and goes on from its
// checkpoint to the same bits.
func TestFieldsFromFiles(t *testing.T) {
	dir := writeCase(t, fieldsCase)
	writeFields(t, dir)
	out, _ := mustRun(t, dir, "check", "small.yaml")
	mustRun(t, dir, "run", "small.yaml", "--out", "one")
	log := fileText(t, filepath.Join(dir, "one", "run.log"))
	for _, want := range []string{
		"physics.permeability: column k of data/k.csv, 2 × 2 values, 1…4; nodes, linear between them, x from 0 to 2, z from 0 to 1",
		"physics.heat_source: column q of data/log.csv, 3 values, 0…2; nodes, linear between them, the same for all x, z from 0 to 1",
		"initial.temperature: column T of data/log.csv, 3 values, 0…1; nodes, linear between them, the same for all x, z from 0 to 1",
	} {
		if !strings.Contains(strings.ReplaceAll(out, dir+"/", ""), "file         "+want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
		if !strings.Contains(strings.ReplaceAll(log, dir+"/", ""), want) {
			t.Errorf("%q is not in the log\n%s", want, log)
		}
	}
	mustRun(t, dir, "run", "one/case.yaml", "--out", "two")
	mustRun(t, dir, "run", "small.yaml", "--out", "three", "--set", "time.end=0.001")
	mustRun(t, dir, "restart", "three/"+newestCheckpoint(t, filepath.Join(dir, "three")), "--set", "time.end=0.002")
	for _, name := range []string{"two", "three"} {
		if got, want := lastRow(t, filepath.Join(dir, name)), lastRow(t, filepath.Join(dir, "one")); got != want {
			t.Errorf("%s ends with\n%s\nnot\n%s", name, got, want)
		}
	}
}

// newestCheckpoint names the last checkpoint of a run.
func newestCheckpoint(t *testing.T, dir string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "checkpoints", "*.h5"))
	if err != nil || len(all) == 0 {
		t.Fatal("no checkpoint", err)
	}
	return "checkpoints/" + filepath.Base(all[len(all)-1])
}

// lastRow returns the last row of a run's series, without the time that it took.
func lastRow(t *testing.T, dir string) string {
	t.Helper()
	rows := strings.Split(strings.TrimSpace(fileText(t, filepath.Join(dir, "series.csv"))), "\n")
	last := rows[len(rows)-1]
	return last[:strings.LastIndex(last, ",")]
}

// A file that takes more memory than is free is refused before it is read.
func TestFilesThatDoNotFit(t *testing.T) {
	dir := writeCase(t, fieldsCase)
	writeFields(t, dir)
	c, err := loadCase(filepath.Join(dir, "small.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	err = checkReading(lean{tinyCPU(t), 100}, c, false)
	if err == nil || !strings.Contains(err.Error(), "physics.permeability.file: reading "+dir+"/data/k.csv takes about") {
		t.Error(err)
	}
	if err := checkReading(lean{tinyCPU(t), 1 << 30}, c, false); err != nil {
		t.Error(err)
	}
}
