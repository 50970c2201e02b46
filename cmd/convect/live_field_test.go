package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"testing"

	"convect/cmd/convect/live"
	"convect/io/snapshot"
)

// What a page gets of planes across each axis is what a snapshot of the same step holds, on the processor and on a GPU.
func TestFieldsAreThoseOfASnapshot(t *testing.T) {
	withGPU(t, emulated{})
	for _, device := range []string{"cpu", "cuda:0"} {
		dir := writeCase(t, cubeCase)
		r := startLive(t, dir, "run", "small.yaml", "--device", device, "--set", "grid.cells=[7, 6, 9]", "--set", "time.end=50")
		r.do(live.Pause, "")
		r.do(live.Snapshot, "")
		s, err := snapshot.Read(r.dir.path(filepath.Join(snapshot.Folder, fmt.Sprintf("snap_%06d.hdf", r.state().Step))))
		if err != nil {
			t.Fatal(err)
		}
		x := s.Coordinates
		for name, of := range map[string]struct {
			quantity  string
			component int
		}{"temperature": {"temperature", 0}, "pressure": {"pressure", 0}, "velocity.z": {"velocity", 2}} {
			whole, _ := s.Field(of.quantity)
			for axis, letter := range []string{"x", "y", "z"} {
				index := len(x[axis]) - 1
				got := fieldValues(t, r, fmt.Sprintf("field?name=%s&axis=%s&index=%d", name, letter, index))
				for n, v := range got {
					var ijk [3]int
					ijk[axis] = index
					a, b := (axis+1)%3, (axis+2)%3
					a, b = min(a, b), max(a, b)
					ijk[a], ijk[b] = n%len(x[a]), n/len(x[a])
					want := whole.Values[of.component+whole.Components*(ijk[0]+len(x[0])*(ijk[1]+len(x[1])*ijk[2]))]
					if v != want {
						t.Fatalf("%s: %s at %v is %v, in the snapshot %v", device, name, ijk, v, want)
					}
				}
				if len(got) != len(x[0])*len(x[1])*len(x[2])/len(x[axis]) {
					t.Errorf("%s: %s across %s: %d values", device, name, letter, len(got))
				}
			}
		}
		r.do(live.Stop, "")
		endOf(t, r.process)
	}
}

// fieldValues returns the first array of a field.
func fieldValues(t *testing.T, r *liveRun, path string) []float64 {
	t.Helper()
	status, body := r.get(path)
	if status != http.StatusOK {
		t.Fatalf("%s: %d %s", path, status, body)
	}
	length := int(binary.LittleEndian.Uint32(body))
	var head struct {
		X      [][]float64 `json:"x"`
		Arrays int         `json:"arrays"`
	}
	if err := json.Unmarshal(body[4:4+length], &head); err != nil {
		t.Fatal(err)
	}
	var values []float64
	for at := 4 + length; len(values) < len(head.X[0])*len(head.X[1]); at += 4 {
		values = append(values, float64(math.Float32frombits(binary.LittleEndian.Uint32(body[at:]))))
	}
	return values
}
