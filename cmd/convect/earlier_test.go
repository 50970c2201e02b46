package main

import (
	"path/filepath"
	"strings"
	"testing"

	"convect/io/checkpoint"
	"convect/io/h5"
	"convect/io/header"
)

// rewrite writes a checkpoint anew as one of an earlier version with another case.
func rewrite(t *testing.T, path, text string) {
	t.Helper()
	c, err := checkpoint.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	c.Format, c.Version, c.Case = 1, "v0.9", text
	writeCheckpoint(t, path, c, func(string) bool { return true })
}

// writeCheckpoint writes a checkpoint anew, with those of its scalars that are kept.
func writeCheckpoint(t *testing.T, path string, c *checkpoint.Checkpoint, keep func(scalar string) bool) {
	t.Helper()
	w, err := h5.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	c.Header.Write(w)
	w.AttrString(header.Group, "device", c.Device)
	w.AttrString(header.Group, "instruction", c.Instruction)
	w.Group("/scalars")
	for name, v := range c.State.Scalars {
		if !keep(name) {
			continue
		}
		w.Float64s("/scalars/"+name, nil, []float64{v})
	}
	w.Group("/fields")
	for _, f := range c.State.Fields {
		w.Float64s("/fields/"+f.Name, []int{c.Cells[2] + 1, c.Cells[1] + 1, c.Cells[0] + 1}, f.Values)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// No run goes on from a checkpoint of an earlier version whose case means something else today; its temperature can start another.
func TestEarlierCheckpoint(t *testing.T) {
	const text = "grid: {cells: [8, 4], size: [2, 1]}\nphysics: {rayleigh: 100}\n" +
		"boundaries: {bottom: {temperature: 1}, top: {temperature: 0}}\ntime: {end: 0.01}\n"
	dir := writeCase(t, text)
	mustRun(t, dir, "run", "small.yaml", "--out", "out")
	files, _ := filepath.Glob(filepath.Join(dir, "out", "checkpoints", "*.h5"))
	last := files[len(files)-1]

	rewrite(t, last, text)
	mustRun(t, dir, "restart", last, "--set", "time.end=0.02", "--out", "same")

	rewrite(t, last, strings.Replace(text, "100", "100, porosity: 0.5", 1))
	for _, args := range [][]string{
		{"run", "small.yaml", "--set", "time.end=0.02", "--out", "out", "--resume"},
		{"restart", last, "--set", "time.end=0.02", "--out", "other"},
	} {
		code, _, problem := convect(t, dir, args...)
		if code != exitFailed || !strings.Contains(problem, "physics.porosity was the heat-capacity ratio") || !strings.Contains(problem, "v0.9") {
			t.Errorf("%s: exit code %d: %s", args[0], code, problem)
		}
	}
	mustRun(t, dir, "inspect", last)
	mustRun(t, dir, "run", "small.yaml", "--out", "new", "--set", "initial={temperature: {file: "+last+"}}")
}
