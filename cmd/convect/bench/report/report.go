package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Report is what one run of a benchmark found.
type Report struct {
	Benchmark string   `json:"benchmark"`
	Title     string   `json:"title"`
	Source    string   `json:"source"`          // the paper that the benchmark follows
	Text      string   `json:"text,omitempty"`  // what it measures
	Error     string   `json:"error,omitempty"` // why there are no figures; empty where there are
	Quick     bool     `json:"quick,omitempty"` // small sizes and few samples: a trial, no measurement
	Command   string   `json:"command"`         // that made the report
	Date      string   `json:"date"`            // RFC 3339
	Version   string   `json:"version"`         // of convect
	Machine   Machine  `json:"machine"`
	Size      []int    `json:"size"`      // as the option
	Precision []string `json:"precision"` // element types measured
	Repeat    int      `json:"repeat"`    // samples behind each median
	Checks    []Check  `json:"checks"`
	Tables    []*Table `json:"tables"`
	Notes     []string `json:"notes"`
	Plots     []*Plot  `json:"plots"`
}

// Machine describes what the benchmark ran on.
type Machine struct {
	Device      string `json:"device"` // "cpu", "cuda:0"
	Description string `json:"description"`
	Instruction string `json:"instruction"`
	Threads     int    `json:"threads"` // of a GPU: multiprocessors
	Cores       int    `json:"cores"`   // of the host
	Memory      int64  `json:"memory"`  // bytes, the device's
	Platform    string `json:"platform"`
}

// parallel tells how many of what the device computes with.
func (m Machine) parallel() string {
	if m.Device == "cpu" {
		return fmt.Sprintf("%d of %d cores", m.Threads, m.Cores)
	}
	return fmt.Sprintf("%d multiprocessors", m.Threads)
}

// Check is a comparison with a plain reference, made before the timing.
type Check struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"` // what was found, mostly an error
	Bound float64 `json:"bound"` // what it may be at most
}

// Passed tells whether the value is within its bound.
func (c Check) Passed() bool { return c.Value <= c.Bound }

// Origin tells where figures come from.
type Origin string

// Origins.
const (
	Label    Origin = "label"    // names what was measured
	Measured Origin = "measured" // in this run
	Counted  Origin = "counted"  // from the algorithm: bytes, operations, blocks
	Model    Origin = "model"    // counts over the copy bandwidth measured in this run
	Paper    Origin = "paper"    // quoted
	Various  Origin = "various"  // each row names its own in another column
)

// CopyKey is the key of columns with the bandwidth of the copy, GB/s.
const CopyKey = "copy_gigabytes_per_second"

// Column is a column of a table.
type Column struct {
	Key    string `json:"key"`
	Title  string `json:"title"`
	Unit   string `json:"unit,omitempty"`
	Origin Origin `json:"origin"`
	Format string `json:"format,omitempty"` // of numbers, as %.3g, or Significant; empty: whole numbers as they are
}

// Row holds values by column key: strings, whole numbers or float64. What is absent, nil or not finite is left empty.
type Row map[string]any

// Table is a table.
type Table struct {
	Key     string   `json:"key"`
	Title   string   `json:"title"`
	Columns []Column `json:"columns"`
	Rows    []Row    `json:"rows"`
}

// Add appends a row.
func (t *Table) Add(r Row) {
	for key, v := range r {
		if f, ok := v.(float64); v == nil || ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			delete(r, key)
		}
	}
	t.Rows = append(t.Rows, r)
}

// Column returns the column of a key, nil where there is none.
func (t *Table) Column(key string) *Column {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Key == key })
	if i < 0 {
		return nil
	}
	return &t.Columns[i]
}

// Number returns a value of a row as a number; ok tells whether it is one.
func (r Row) Number(key string) (v float64, ok bool) {
	switch n := r[key].(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	case json.Number: // of a report that was read
		v, err := n.Float64()
		return v, err == nil
	}
	return 0, false
}

// Significant is a format of numbers of three digits without an exponent.
const Significant = "significant"

// text returns a value as it stands in a table.
func (c Column) text(r Row) string {
	v, ok := r[c.Key]
	if !ok {
		return "–"
	}
	n, isNumber := r.Number(c.Key)
	switch {
	case !isNumber:
		return fmt.Sprint(v)
	case c.Format == Significant:
		return significant(n)
	case c.Format != "":
		return fmt.Sprintf(c.Format, n)
	case n == math.Trunc(n):
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprintf("%.4g", n)
}

// significant writes three digits, and all those of a large whole part.
func significant(v float64) string {
	if v == 0 {
		return "0"
	}
	_, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', 2, 64), "e") // once rounded: 0.9996 has the digits of 1.00
	power, err := strconv.Atoi(exponent)
	if err != nil { // infinite or not a number
		return fmt.Sprint(v)
	}
	return strconv.FormatFloat(v, 'f', max(2-power, 0), 64)
}

// Verify fails where a row has a value without a column, a column without an origin, or a check was not passed.
func (r *Report) Verify() error {
	for _, t := range r.Tables {
		for _, c := range t.Columns {
			if c.Origin == "" {
				return fmt.Errorf("report: table %s: column %s has no origin", t.Key, c.Key)
			}
		}
		for n, row := range t.Rows {
			for key := range row {
				if t.Column(key) == nil {
					return fmt.Errorf("report: table %s, row %d: there is no column %s", t.Key, n+1, key)
				}
			}
		}
	}
	for _, c := range r.Checks {
		if !c.Passed() {
			return fmt.Errorf("report: %s: %.3g is more than %.3g", c.Name, c.Value, c.Bound)
		}
	}
	return nil
}
