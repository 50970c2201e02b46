package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"convect/io/checkpoint"
	"convect/io/series"
	"convect/io/snapshot"
	"convect/physics"
)

// ended is what a run that came to its end has left.
type ended struct {
	dir         string
	names       []string // of all files
	bytes       int64
	steps       int64
	rows        map[int64]string // of series.csv by step, without wall time
	profiles    string
	probes      map[string]string // tables by name
	snapshots   map[string][32]byte
	checkpoints []int64
	state       *physics.State
	summary     map[string]any // without times
	sidecars    map[string]string
	picture     bool
}

func readEnded(dir string) (e *ended, err error) {
	e = &ended{dir: dir, snapshots: map[string][32]byte{}, sidecars: map[string]string{}, probes: map[string]string{}}
	if err := e.list(); err != nil {
		return nil, err
	}
	if e.rows, err = readRows(dir); err != nil {
		return nil, err
	}
	for step := range e.rows {
		e.steps = max(e.steps, step)
	}
	profiles, err := os.ReadFile(filepath.Join(dir, series.ProfilesName))
	if err != nil {
		return nil, err
	}
	e.profiles = string(profiles)
	for _, name := range []string{snapshot.XDMFName, snapshot.SeriesName} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		e.sidecars[name] = string(text)
	}
	path, skipped, err := checkpoint.Latest(dir)
	if err = errors.Join(append(skipped, err)...); err != nil || path == "" {
		return nil, fmt.Errorf("checkpoint %q: %w", path, err)
	}
	last, err := checkpoint.Read(path)
	if err != nil {
		return nil, err
	}
	e.state = last.State
	return e, e.readSummary()
}

// list notes all files, and the content of the snapshots.
func (e *ended) list() error {
	return filepath.WalkDir(e.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, _ := filepath.Rel(e.dir, path)
		e.names = append(e.names, name)
		if info, err := entry.Info(); err == nil {
			e.bytes += info.Size()
		}
		switch {
		case filepath.Dir(name) == series.ProbesFolder:
			var text []byte
			text, err = os.ReadFile(path)
			e.probes[name] = string(text)
		case filepath.Base(filepath.Dir(name)) == snapshot.Folder:
			e.snapshots[name], err = sumOf(path)
		case filepath.Dir(name) == checkpoint.Folder && filepath.Ext(name) == ".h5":
			step, wrong := numberIn(name)
			e.checkpoints, err = append(e.checkpoints, step), wrong
		}
		e.picture = e.picture || name == "temperature.png"
		return err
	})
}

func (e *ended) readSummary() error {
	text, err := os.ReadFile(filepath.Join(e.dir, series.SummaryName))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &e.summary); err != nil {
		return err
	}
	delete(e.summary, "wall_seconds")
	delete(e.summary, "node_steps_per_second")
	return nil
}

func sumOf(path string) ([32]byte, error) {
	data, err := os.ReadFile(path)
	return sha256.Sum256(data), err
}

// readRows returns the whole rows of series.csv by step, without their wall time.
func readRows(dir string) (map[int64]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, series.SeriesName))
	if err != nil {
		return nil, err
	}
	rows := map[int64]string{}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) < 2 {
		return rows, nil
	}
	wall := slices.Index(strings.Split(lines[0], ","), "wall_seconds")
	for _, line := range lines[2:] {
		words := strings.Split(line, ",")
		var step int64
		if _, err := fmt.Sscan(words[0], &step); err != nil || wall < 0 || wall >= len(words) {
			return nil, fmt.Errorf("row %q: %w", line, err)
		}
		rows[step] = strings.Join(slices.Delete(words, wall, wall+1), ",")
	}
	return rows, nil
}

// differs tells how a run differs from another. One that was restarted elsewhere from a step has no earlier snapshots; bare is one that may
// have no picture.
func (e *ended) differs(from *ended, restarted int64, bare bool) error {
	if !maps.Equal(e.rows, from.rows) {
		return errors.New("series.csv")
	}
	if e.profiles != from.profiles {
		return errors.New("profiles.csv")
	}
	if !maps.Equal(e.probes, from.probes) {
		return errors.New("tables of probes")
	}
	if err := sameState(e.state, from.state); err != nil {
		return err
	}
	if a, b := fmt.Sprint(e.summary), fmt.Sprint(from.summary); a != b {
		return fmt.Errorf("summary.json\n%s\n%s", a, b)
	}
	if !e.picture && !bare {
		return errors.New("no picture")
	}
	want := maps.Clone(from.snapshots)
	maps.DeleteFunc(want, func(name string, _ [32]byte) bool {
		step, _ := numberIn(name)
		return step <= restarted
	})
	if !maps.Equal(e.snapshots, want) {
		return fmt.Errorf("snapshots %v and %v", slices.Sorted(maps.Keys(e.snapshots)), slices.Sorted(maps.Keys(want)))
	}
	if restarted < 0 && !maps.Equal(e.sidecars, from.sidecars) {
		return errors.New("sidecars")
	}
	return nil
}

// sameState compares to the bit.
func sameState(a, b *physics.State) error {
	if a.Step != b.Step || len(a.Fields) != len(b.Fields) || len(a.Scalars) != len(b.Scalars) {
		return errors.New("the last checkpoint")
	}
	for name, v := range a.Scalars {
		if w, ok := b.Scalars[name]; !ok || math.Float64bits(v) != math.Float64bits(w) {
			return fmt.Errorf("scalar %s of the last checkpoint", name)
		}
	}
	for n, f := range a.Fields {
		g := b.Fields[n]
		same := func(v, w float64) bool { return math.Float64bits(v) == math.Float64bits(w) }
		if f.Name != g.Name || !slices.EqualFunc(f.Values, g.Values, same) {
			return fmt.Errorf("field %s of the last checkpoint", f.Name)
		}
	}
	return nil
}
