package casefile

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tabled loads the base case with sections changed, beside a table w.csv.
func tabled(t *testing.T, csv, changes string) (*Case, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "w.csv"), []byte(csv), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := Parse(filepath.Join(dir, "case.yaml"), []byte(withSections(changes)), nil)
	if err != nil {
		return nil, err
	}
	return c, c.Build(BuildOptions{})
}

// rows is a table of four rows.
const rows = "time,T,q\n0,1,5\n1,3,6\n3,2,7\n4,1,8\n"

// A table gives its values at its rows, and between them by lines or steps, once or again and again.
func TestTableValues(t *testing.T) {
	for form, want := range map[string]map[float64]float64{
		"column: T":                                   {0: 1, 0.5: 2, 1: 3, 2: 2.5, 3: 2, 3.5: 1.5},
		"column: q":                                   {0.5: 5.5},
		"column: T, interpolation: step":              {0: 1, 0.5: 1, 1: 3, 2.9: 3, 3: 2, 3.9: 2},
		"column: T, repeat: 4":                        {0.5: 2, 3.5: 1.5, 4: 1, 4.5: 2, 39: 2, 41: 3},
		"column: T, repeat: 5":                        {3.5: 1.5, 4.25: 1, 5: 1, 5.5: 2, 44: 1},
		"column: q, repeat: 5":                        {4: 8, 4.5: 6.5, 5: 5},
		"column: q, repeat: 4":                        {3.5: 7.5, 4: 5, 7.5: 7.5},
		"column: T, repeat: 4, interpolation: step":   {3.5: 2, 4.5: 1, 5: 3},
		"column: q, repeat: 5, interpolation: step":   {4.5: 8, 5: 5},
		"column: T, time: q, repeat: 3":               {5: 1, 2: 1, 0: 3, 1: 2}, // times 5, 6, 7, 8
		"column: T, interpolation: linear, repeat: 8": {4: 1, 6: 1},
	} {
		c, err := tabled(t, rows, "boundaries:\n  left: {temperature: {table: w.csv, "+form+"}}\ntime: {end: "+map[bool]string{true: "100", false: "3.9"}[strings.Contains(form, "repeat")]+"}\n")
		if err != nil {
			t.Errorf("%s: %v", form, err)
			continue
		}
		w := c.Parameters.Walls[0]
		if !w.Varies || !w.Course.Uniform || len(w.Course.Turns) != 1 {
			t.Errorf("%s: %+v", form, w)
		}
		for at, v := range want {
			if got := w.HeatValue(0, 0, 0, at); math.Abs(got-v) > 1e-12 {
				t.Errorf("%s: %g at %g, want %g", form, got, at, v)
			}
		}
	}
}

// A table turns at each of its rows, in every period.
func TestTableTurns(t *testing.T) {
	for _, c := range []struct {
		repeat string
		rows   []float64
	}{{"", []float64{1, 3}}, {", repeat: 4", []float64{1, 3, 4, 5, 7, 8, 9}}, {", repeat: 5", []float64{1, 3, 4, 5, 6, 8, 9}}} {
		end := map[bool]string{true: "10", false: "4"}[c.repeat != ""]
		loaded, err := tabled(t, rows, "physics: {rayleigh: 1, heat_source: {table: w.csv, column: T"+c.repeat+"}}\ntime: {end: "+end+"}\n")
		if err != nil {
			t.Fatal(err)
		}
		turn := loaded.Parameters.SourceCourse.Turns[0]
		for _, at := range []float64{0.5, 1, 2, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 7.5, 8, 8.5, 9} {
			if at > 4.5 && c.repeat == "" {
				break
			}
			changes := turn(0, 0, 0, at-1e-9)*turn(0, 0, 0, at+1e-9) < 0
			isEnd := c.repeat == "" && at == 4
			if changes != slices.Contains(c.rows, at) && !isEnd {
				t.Errorf("%q: turns at %g: %v", c.repeat, at, changes)
			}
		}
	}
}

// A table stands wherever an expression in time may; its times have a unit in a dimensional case.
func TestTableEverywhere(t *testing.T) {
	const table = "{table: w.csv, column: T}"
	for key, of := range map[string]func(c *Case) float64{
		"boundaries:\n  sides: {temperature: " + table + "}\n":                            func(c *Case) float64 { return c.Parameters.Walls[1].HeatValue(0, 0, 0, 0.5) },
		"boundaries:\n  left: {heat_flux: " + table + "}\n  right: {temperature: 0}\n":    func(c *Case) float64 { return c.Parameters.Walls[0].HeatValue(0, 0, 0, 0.5) },
		"boundaries:\n  top: {flow: open, inflow_temperature: " + table + "}\n":           func(c *Case) float64 { return c.Parameters.Walls[5].Inflow(0, 0, 0, 0.5) },
		"boundaries:\n  top: {flow: {pressure: " + table + "}}\n":                         func(c *Case) float64 { return c.Parameters.Walls[5].FlowValue(0, 0, 0, 0.5) },
		"boundaries:\n  top: {flow: {velocity: " + table + "}}\n  bottom: {flow: open}\n": func(c *Case) float64 { return c.Parameters.Walls[5].FlowValue(0, 0, 0, 0.5) },
		"boundaries:\n  patches:\n    - {wall: top, temperature: " + table + "}\n":        func(c *Case) float64 { return c.Parameters.Patches[0].Wall.HeatValue(0, 0, 0, 0.5) },
	} {
		c, err := tabled(t, rows, key)
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		if v := of(c); v != 2 {
			t.Errorf("%s: %g", key, v)
		}
		if !strings.Contains(c.Text, "table: /") && !strings.Contains(c.Text, "table: \"/") {
			t.Errorf("the path is not absolute in\n%s", c.Text)
		}
		if len(c.Files()) != 1 {
			t.Errorf("%s: files %v", key, c.Files())
		}
	}
	c, err := tabled(t, rows, material+"boundaries:\n  left: {temperature: {table: w.csv, column: T, time_unit: h}}\ntime: {end: 4 h}\n")
	if err != nil {
		t.Fatal(err)
	}
	if v := c.Parameters.Walls[0].HeatValue(0, 0, 0, 2*3600/c.Scales.Time) * c.Scales.Temperature; math.Abs(v-2.5) > 1e-12 {
		t.Errorf("after two hours it is %g K", v)
	}
}

// What is wrong with a table is said with the lines of the case and of the table.
func TestWrongTables(t *testing.T) {
	for _, c := range []struct{ csv, form, want string }{
		{rows, "{table: none.csv, column: T}", "case.yaml:7:31: boundaries.left.temperature.table: there is no file "},
		{rows, "{table: w.csv, column: U}", "w.csv:1: there is no column U; there are time, T, q"},
		{rows, "{table: w.csv, column: T, time: hour}", "w.csv:1: there is no column hour"},
		{"time,T\n0,1\n0,2\n", "{table: w.csv, column: T}", "w.csv:3: the time 0 does not come after that of the row before, 0"},
		{"time,T\n0,1\n1,x\n", "{table: w.csv, column: T}", `w.csv:3: column T: "x" is no number`},
		{"time,T\n0,1\n0.5,x\n", "{table: w.csv, column: T}", `w.csv:3`},
		{"time,T\n0,1\n0.5,2\n", "{table: w.csv, column: T}", "case.yaml:7:23: boundaries.left.temperature: the table ends at 0.5, but the run at 1; accepted: a table that lasts until time.end"},
		{"time,T\n0.1,1\n2,2\n", "{table: w.csv, column: T}", "the table begins at 0.1, after the start of the run"},
		{rows, "{table: w.csv, column: T, repeat: 3}", "the table lasts 4, longer than the 3"},
		{rows, "{table: w.csv, column: T, repeat: 0}", "boundaries.left.temperature.repeat: 0 is out of range"},
		{rows, "{table: w.csv, column: T, time_unit: h}", "needs physics.dimensional"},
		{rows, "{table: w.csv, column: T, interpolation: cubic}", "boundaries.left.temperature.interpolation"},
		{rows, "{table: w.csv}", "boundaries.left.temperature.column: missing"},
		{rows, "{t < 5 ? 0 : 1}", "an expression that holds a colon needs quotes"},
		{rows, "{column: T}", "boundaries.left.temperature.table: missing"},
		{rows, "{table: w.csv, colum: T}", "did you mean column?"},
	} {
		_, err := tabled(t, c.csv, fmt.Sprintf("boundaries:\n  left: {temperature: %s}\n", c.form))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.form, err, c.want)
		}
	}
	if _, err := tabled(t, rows, "physics: {rayleigh: 1, permeability: {table: w.csv, column: T}}\n"); err == nil {
		t.Error("a table in time is accepted for the permeability")
	}
	if _, err := tabled(t, rows, "boundaries:\n  sides: {temperature: {table: none.csv, column: T}}\n"); err == nil || strings.Count(err.Error(), "no file") != 1 {
		t.Errorf("a missing file of all sides: %v", err)
	}
	if _, err := tabled(t, "time,T\n0,1\n", "boundaries:\n  sides: {temperature: {table: w.csv, column: U}}\n"); err == nil || strings.Count(err.Error(), "no column U") != 1 {
		t.Errorf("a fault of all sides: %v", err)
	}
}
