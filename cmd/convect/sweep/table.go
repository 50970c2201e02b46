package sweep

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// States of a run.
const (
	Done    = "done"
	Steady  = "steady"
	Failed  = "failed"  // it ended with an error
	Missing = "missing" // it has not ended, or not begun
)

// Names of columns that are no keys and no results.
const (
	directionName = "direction"
	countName     = "runs"
)

// Row is what a run gave.
type Row struct {
	*Run
	State  string
	Values []float64 // of the results; NaN where there is none
	Errors []float64 // standard error of each result where the run tells it, else NaN
}

// Table holds the rows of all runs, in their order.
type Table struct {
	*Sweep
	Units []string // of the results; "1": none
	// KeyUnits are those of the keys that vary; "": none, or not known.
	KeyUnits []string
	Rows     []Row
}

// Missing returns the rows of runs that have no results.
func (t *Table) Missing() []Row {
	var out []Row
	for _, r := range t.Rows {
		if r.State == Missing || r.State == Failed {
			out = append(out, r)
		}
	}
	return out
}

// turns tells whether a run is the end of a branch, from which the next one goes back.
func (r Row) turns(all []Row) bool {
	return !r.Back && slices.ContainsFunc(all, func(next Row) bool { return next.Back && next.Before == r.Run })
}

// direction names the way of a run along its chain.
func direction(back bool) string {
	if back {
		return "back"
	}
	return "there"
}

// CSV returns results.csv: a row a run, the keys that vary by their short names, the results, the state and the folder of the run. The second line has the units.
func (t *Table) CSV() []byte {
	names, units := slices.Clone(t.Dims), slices.Clone(t.KeyUnits)
	if t.Back {
		names, units = append(names, directionName), append(units, "")
	}
	names, units = append(append(names, t.Results...), "state", "run"), append(append(units, t.Units...), "", "")
	b := header(names, units)
	for _, r := range t.Rows {
		var cells []string
		for _, value := range r.Run.Values {
			cells = append(cells, inTable(value))
		}
		if t.Back {
			cells = append(cells, direction(r.Back))
		}
		for _, v := range r.Values {
			cells = append(cells, numberText(v))
		}
		b = line(b, append(cells, r.State, r.Name))
	}
	return b
}

// header returns the lines of names and units.
func header(names, units []string) []byte {
	units = slices.Clone(units)
	units[0] = "#" + units[0]
	return line(line(nil, names), units)
}

// line appends cells, in quotes where they have a comma or a quote in them.
func line(b []byte, cells []string) []byte {
	for i, cell := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		if strings.ContainsAny(cell, ",\"\n") {
			cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		b = append(b, cell...)
	}
	return append(b, '\n')
}

// numberText prints a number so that it reads back to the same bits; nothing where there is none.
func numberText(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Group is the runs that differ in their seeds alone.
type Group struct {
	Values []string // of the keys that vary; "" for seeds
	Back   bool
	Rows   []Row
}

// HasSeeds tells whether runs differ in seeds alone.
func (s *Sweep) HasSeeds() bool {
	for n := range s.Vary {
		if s.IsSeed(n) {
			return true
		}
	}
	return false
}

// Groups gathers the rows, in the order of the first of each.
func (t *Table) Groups() []Group {
	var out []Group
	place := map[string]int{}
	for _, r := range t.Rows {
		values := slices.Clone(r.Run.Values)
		for n := range values {
			if t.IsSeed(n) {
				values[n] = ""
			}
		}
		key := strings.Join(values, "\x00") + direction(r.Back)
		at, known := place[key]
		if !known {
			at = len(out)
			place[key] = at
			out = append(out, Group{Values: values, Back: r.Back})
		}
		out[at].Rows = append(out[at].Rows, r)
	}
	return out
}

// Mean returns the mean of a result over the runs of the group that have it, its standard deviation from run to run (NaN of fewer than two), and how many they are.
func (g *Group) Mean(result int) (mean, deviation float64, count int) {
	sum := 0.0
	for _, r := range g.Rows {
		if v := r.Values[result]; !math.IsNaN(v) {
			sum += v
			count++
		}
	}
	mean = sum / float64(count)
	if count < 2 {
		return mean, math.NaN(), count
	}
	squares := 0.0
	for _, r := range g.Rows {
		if v := r.Values[result]; !math.IsNaN(v) {
			squares += (v - mean) * (v - mean)
		}
	}
	return mean, math.Sqrt(squares / float64(count-1)), count
}

// MeansCSV returns the means over seeds: a row a group, for each result its mean and its standard deviation from run to run.
func (t *Table) MeansCSV() []byte {
	var names, units []string
	for n, name := range t.Dims {
		if !t.IsSeed(n) {
			names, units = append(names, name), append(units, t.KeyUnits[n])
		}
	}
	if t.Back {
		names, units = append(names, directionName), append(units, "")
	}
	names, units = append(names, countName), append(units, "1")
	for i, name := range t.Results {
		names, units = append(names, name, name+"_deviation"), append(units, t.Units[i], t.Units[i])
	}
	b := header(names, units)
	for _, g := range t.Groups() {
		var cells []string
		for n, value := range g.Values {
			if !t.IsSeed(n) {
				cells = append(cells, inTable(value))
			}
		}
		if t.Back {
			cells = append(cells, direction(g.Back))
		}
		most := 0
		var numbers []string
		for i := range t.Results {
			mean, deviation, count := g.Mean(i)
			most = max(most, count)
			numbers = append(numbers, numberText(mean), numberText(deviation))
		}
		b = line(b, append(append(cells, strconv.Itoa(most)), numbers...))
	}
	return b
}
