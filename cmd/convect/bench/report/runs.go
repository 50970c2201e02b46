package report

import (
	"fmt"
	"slices"
	"strings"
)

// runs lists the benchmarks of a page with when, how and beside which copy each was measured.
func (p *Page) runs() *Table {
	label := func(key, title string) Column { return Column{Key: key, Title: title, Origin: Label} }
	copied := func(key, title string) Column {
		return Column{Key: key, Title: title, Unit: "GB/s", Origin: Measured, Format: "%.2f"}
	}
	t := &Table{Key: "benchmarks", Title: "What ran: the copy is that of random data in turns with the benchmark, bytes read plus bytes written", Columns: []Column{
		label("benchmark", "benchmark"), label("state", "state"), label("date", "date"), label("version", "version"), label("size", "size"),
		label("precision", "precision"), {Key: "samples", Title: "samples", Unit: "at most", Origin: Label},
		copied("least", "copy, least"), copied("median", "copy, median"), copied("most", "copy, most")}}
	for _, s := range p.Sections {
		row := Row{"benchmark": s.Name, "state": "done"}
		switch r := s.Report; {
		case r == nil:
			row["state"] = "no report"
		case r.Error != "":
			row["state"], row["date"], row["version"] = "failed", r.Date, r.Version
		default:
			if r.Quick {
				row["state"] = "quick"
			}
			row["date"], row["version"], row["size"] = r.Date, r.Version, joined(r.Size, "x")
			row["precision"], row["samples"] = strings.Join(r.Precision, ", "), r.Repeat
			if v := r.copies(); len(v) > 0 {
				row["least"], row["median"], row["most"] = v[0], middle(v), v[len(v)-1]
			}
		}
		t.Add(row)
	}
	return t
}

// facts tells the machine, the device, the time, the version, the command and the copy, each once where all reports agree.
func (p *Page) facts() []factView {
	var machines, devices, dates, versions, commands []string
	var copied []float64
	for _, s := range p.Sections {
		r := s.Report
		if r == nil {
			continue
		}
		dates, versions, commands = append(dates, r.Date), append(versions, r.Version), append(commands, r.Command)
		if r.Error != "" { // it may have had no device
			continue
		}
		m := r.Machine
		machines = append(machines, fmt.Sprintf("%s, %d cores", m.Platform, m.Cores))
		devices = append(devices, fmt.Sprintf("%s: %s, %s, %s, %.0f GB", m.Device, m.Description, m.parallel(), m.Instruction, float64(m.Memory)/1e9))
		copied = append(copied, r.copies()...)
	}
	facts := []factView{{"machine", distinct(machines)}, {"device", distinct(devices)}, {"date", extremes(dates)},
		{"version", distinct(versions)}, {"command", distinct(commands)}}
	if slices.Sort(copied); len(copied) > 0 {
		facts = append(facts, factView{"copy", fmt.Sprintf("median %.1f GB/s, %.1f to %.1f over all tables (bytes read plus bytes written)", middle(copied), copied[0],
			copied[len(copied)-1])})
	}
	return facts
}

// distinct joins texts that differ.
func distinct(texts []string) string {
	var all []string
	for _, t := range texts {
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return strings.Join(all, "; ")
}

// extremes returns the first and the last of times.
func extremes(dates []string) string {
	if len(dates) == 0 {
		return ""
	}
	if first, last := slices.Min(dates), slices.Max(dates); first != last {
		return first + " to " + last
	}
	return dates[0]
}

// middle returns the median of numbers in order.
func middle(v []float64) float64 { return (v[(len(v)-1)/2] + v[len(v)/2]) / 2 }

// copies returns the bandwidths of the copy in all rows in order, without those on fewer threads than the device has.
func (r *Report) copies() (all []float64) {
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			if v, ok := row.Number(CopyKey); ok && r.onAllThreads(row) {
				all = append(all, v)
			}
		}
	}
	slices.Sort(all)
	return all
}

// onAllThreads tells whether a row is not of fewer threads than the device has.
func (r *Report) onAllThreads(row Row) bool {
	n, ok := row.Number("threads")
	return !ok || int(n) == r.Machine.Threads
}

// joined writes numbers with a separator.
func joined(numbers []int, separator string) string {
	s := make([]string, len(numbers))
	for i, n := range numbers {
		s[i] = fmt.Sprint(n)
	}
	return strings.Join(s, separator)
}
