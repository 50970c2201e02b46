package main

import (
	"math"
	"path/filepath"
	"testing"

	"convect/io/checkpoint"
)

// near compares the ends of two runs, each field to a part of its largest value.
func near(t *testing.T, a, b directory, tolerance float64) {
	t.Helper()
	var ends [2]*checkpoint.Checkpoint
	for i, d := range []directory{a, b} {
		path, _, err := checkpoint.Latest(string(d))
		if err != nil {
			t.Fatal(err)
		}
		if ends[i], err = checkpoint.Read(path); err != nil {
			t.Fatal(err)
		}
	}
	if ends[0].Step != ends[1].Step || ends[0].Time != ends[1].Time {
		t.Fatalf("%s ends at step %d, t = %g, %s at step %d, t = %g", a, ends[0].Step, ends[0].Time, b, ends[1].Step, ends[1].Time)
	}
	for n, f := range ends[0].State.Fields {
		most, apart := 0.0, 0.0
		for i, v := range f.Values {
			w := ends[1].State.Fields[n].Values[i]
			most, apart = math.Max(most, math.Abs(w)), math.Max(apart, math.Abs(v-w))
		}
		t.Logf("%s: %.2g of %.3g", f.Name, apart, most)
		if !(apart <= tolerance*most) {
			t.Errorf("%s of %s and %s differs by %.2g of %.3g", f.Name, filepath.Base(string(a)), filepath.Base(string(b)), apart, most)
		}
	}
}
