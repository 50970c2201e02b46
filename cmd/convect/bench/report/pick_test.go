package report

import (
	"math"
	"testing"
)

func TestFind(t *testing.T) {
	table := &Table{Key: "speeds", Columns: []Column{{Key: "kernel", Origin: Label}, {Key: "kind", Origin: Label}, {Key: "threads", Origin: Label},
		{Key: "speed", Origin: Model}, {Key: "says", Origin: Paper}, {Key: "block", Title: "block", Origin: Counted}}}
	table.Add(Row{"kernel": "apply", "kind": "float32", "threads": 2, "speed": 3.0, "block": 8})
	table.Add(Row{"kernel": "apply", "kind": "float64", "threads": 2, "speed": 5.0})
	table.Add(Row{"kernel": "apply", "kind": "float32", "threads": 1, "speed": 9.0})
	table.Add(Row{"kernel": "smooth", "kind": "float64", "threads": 2, "speed": 7.0, "says": "above 1"})
	table.Add(Row{"kernel": "smooth", "kind": "float64", "threads": 2, "speed": math.NaN()})
	r := &Report{Tables: []*Table{table}, Machine: Machine{Threads: 2}}
	for _, c := range []struct {
		pick  Pick
		value any
		row   string
	}{
		{Pick{Table: "speeds", Column: "speed"}, 7.0, "smooth, float64"},
		{Pick{Table: "speeds", Column: "speed", Least: true, Beside: []string{"block"}}, 3.0, "apply, float32, block 8"},
		{Pick{Table: "speeds", Column: "speed", Where: Row{"kernel": "apply"}}, 5.0, "apply, float64"},
		{Pick{Table: "speeds", Column: "speed", Prefer: Row{"kind": "float32"}}, 3.0, "apply, float32"},
		{Pick{Table: "speeds", Column: "speed", Prefer: Row{"kind": "mixed"}}, 7.0, "smooth, float64"},
		{Pick{Table: "speeds", Column: "says"}, "above 1", "smooth, float64"},
		{Pick{Table: "speeds", Column: "speed", Where: Row{"kernel": "copy"}}, nil, ""},
		{Pick{Table: "speeds", Column: "none"}, nil, ""},
		{Pick{Table: "none", Column: "speed"}, nil, ""},
	} {
		f, ok := r.Find(c.pick)
		if ok != (c.value != nil) || f.Value != c.value || f.Row != c.row {
			t.Errorf("%+v: found %+v", c.pick, f)
		}
	}
	if f, _ := r.Find(Pick{Table: "speeds", Column: "speed"}); f.Origin != Model {
		t.Errorf("origin %s", f.Origin)
	}
}
