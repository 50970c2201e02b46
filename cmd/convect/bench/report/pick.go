package report

import (
	"fmt"
	"slices"
	"strings"
)

// Pick names a figure of a report: of the rows of a table that have certain values, the most or the least in a column.
type Pick struct {
	Table, Column string
	Where         Row      // values that a row must have
	Prefer        Row      // values that it should have, if any row does
	Least         bool     // the least figure; otherwise the most
	Beside        []string // keys of other columns that are told with the row
}

// Found is what a Pick has found.
type Found struct {
	Value  any // a number, or the text of a paper
	Origin Origin
	Row    string // names the row
}

// Find looks a figure up; ok tells whether there is one. Rows on fewer threads than the device has do not count.
func (r *Report) Find(p Pick) (f Found, ok bool) {
	n := slices.IndexFunc(r.Tables, func(t *Table) bool { return t.Key == p.Table })
	if n < 0 || r.Tables[n].Column(p.Column) == nil {
		return f, false
	}
	t := r.Tables[n]
	var rows, preferred []Row
	for _, row := range t.Rows {
		if _, has := row[p.Column]; !has || !row.matches(p.Where) || !r.onAllThreads(row) {
			continue
		}
		rows = append(rows, row)
		if row.matches(p.Prefer) {
			preferred = append(preferred, row)
		}
	}
	if len(preferred) > 0 {
		rows = preferred
	}
	if len(rows) == 0 {
		return f, false
	}
	best := rows[0]
	for _, row := range rows[1:] {
		a, _ := row.Number(p.Column)
		b, _ := best.Number(p.Column)
		if p.Least && a < b || !p.Least && a > b {
			best = row
		}
	}
	f = Found{Value: best[p.Column], Origin: t.Column(p.Column).Origin, Row: t.describe(best, p.Beside)}
	if v, isNumber := best.Number(p.Column); isNumber {
		f.Value = v
	}
	return f, true
}

// matches tells whether a row has values.
func (r Row) matches(values Row) bool {
	for key, v := range values {
		if fmt.Sprint(r[key]) != fmt.Sprint(v) {
			return false
		}
	}
	return true
}

// describe names a row by its labels, without the number of threads, and some of its figures.
func (t *Table) describe(r Row, beside []string) string {
	var parts []string
	for _, c := range t.Columns {
		switch _, has := r[c.Key]; {
		case !has:
		case slices.Contains(beside, c.Key):
			parts = append(parts, c.Title+" "+c.text(r))
		case c.Origin == Label && c.Key != "threads":
			parts = append(parts, c.text(r))
		}
	}
	return strings.Join(parts, ", ")
}
