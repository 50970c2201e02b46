package live

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"convect/io/snapshot"
)

// still is a snapshot in the list of a page.
type still struct {
	Step int64   `json:"step"`
	Time float64 `json:"time"`
	name string
}

// stills lists the snapshots of a run directory from the sidecar that names them: reading each file would take a process each.
func stills(dir string) ([]still, error) {
	text, err := os.ReadFile(filepath.Join(dir, snapshot.XDMFName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var sidecar struct {
		Grids []struct {
			Time struct {
				Value float64 `xml:"Value,attr"`
			}
			Items []string `xml:"Attribute>DataItem"`
		} `xml:"Domain>Grid>Grid"`
	}
	if err := xml.Unmarshal(text, &sidecar); err != nil {
		return nil, fmt.Errorf("%s: %w", snapshot.XDMFName, err)
	}
	name := regexp.MustCompile(snapshot.Folder + `/(snap_(\d+)\.hdf)`)
	all := []still{}
	for _, g := range sidecar.Grids {
		for _, item := range g.Items {
			if found := name.FindStringSubmatch(item); found != nil {
				step, err := strconv.ParseInt(found[2], 10, 64)
				if err == nil {
					all = append(all, still{step, g.Time.Value, found[1]})
				}
				break
			}
		}
	}
	return all, nil
}

// shelf reads snapshots for a page, and keeps the field that it read last.
type shelf struct {
	dir string

	mutex sync.Mutex
	key   string
	held  *snapshot.Snapshot
}

// source returns what a snapshot holds of some fields.
func (h *shelf) source(step int64, fields ...string) (*source, error) {
	all, err := stills(h.dir)
	if err != nil {
		return nil, err
	}
	n := slices.IndexFunc(all, func(s still) bool { return s.Step == step })
	if n < 0 {
		return nil, fmt.Errorf("there is no snapshot of step %d", step)
	}
	path := filepath.Join(h.dir, snapshot.Folder, all[n].name)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if key := fmt.Sprint(path, info.ModTime(), info.Size(), fields); h.key != key {
		read, err := snapshot.Read(path, fields...)
		if err != nil {
			return nil, err
		}
		h.key, h.held = key, read
	}
	return snapshotSource(h.held), nil
}

// snapshotSource reads planes of a snapshot, in which the planes of periodic axes are repeated already.
func snapshotSource(s *snapshot.Snapshot) *source {
	of := &source{step: s.Step, time: s.Time, x: s.Coordinates}
	for d := range 3 {
		of.n[d] = len(s.Coordinates[d])
	}
	of.unit = func(name string) (string, bool) {
		a, known := s.Field(name)
		return a.Unit, known
	}
	of.plane = func(r request) ([][]float64, error) {
		a, _ := s.Field(r.quantity)
		first, last := [3]int{}, of.n
		first[r.axis], last[r.axis] = r.index, r.index+1
		out := make([][]float64, a.Components)
		for k := first[2]; k < last[2]; k++ {
			for j := first[1]; j < last[1]; j++ {
				for i := first[0]; i < last[0]; i++ {
					for c := range out {
						out[c] = append(out[c], a.Values[c+a.Components*(i+of.n[0]*(j+of.n[1]*k))])
					}
				}
			}
		}
		return out, nil
	}
	return of
}
