package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// heading returns the lines that say what was measured, where, when and how.
func (r *Report) heading() []string {
	m := r.Machine
	if r.Error != "" {
		return []string{"source     " + r.Source, fmt.Sprintf("run        %s, convect %s", r.Date, r.Version),
			"command    " + r.Command, "failed     " + r.Error}
	}
	lines := []string{
		"source     " + r.Source,
		fmt.Sprintf("machine    %s: %s, %s, %s, %.0f GB, %s", m.Device, m.Description, m.parallel(), m.Instruction,
			float64(m.Memory)/1e9, m.Platform),
		fmt.Sprintf("run        %s, convect %s", r.Date, r.Version),
		"command    " + r.Command,
		fmt.Sprintf("precision  %s; medians of at most %d samples", strings.Join(r.Precision, ", "), r.Repeat),
	}
	if r.Quick {
		lines = append(lines, "quick      "+quickWarning)
	}
	return lines
}

// quickWarning is what every form of a quick report says.
const quickWarning = "QUICK RUN at small sizes with few samples: a trial of the program, no measurement"

// checkLine describes a check.
func checkLine(c Check) string {
	return fmt.Sprintf("%s: %.2g (at most %.2g)", c.Name, c.Value, c.Bound)
}

// WriteText writes everything but the plots for a terminal.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n", r.Title)
	for _, line := range r.heading() {
		fmt.Fprintln(&b, line)
	}
	for n, c := range r.Checks {
		label := "           "
		if n == 0 {
			label = "checked    "
		}
		fmt.Fprintln(&b, label+checkLine(c))
	}
	for _, t := range r.Tables {
		fmt.Fprintf(&b, "\n%s\n", t.Title)
		t.writeText(&b)
	}
	if len(r.Notes) > 0 {
		fmt.Fprintln(&b)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "- %s\n", n)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeText writes the table with aligned columns: titles, units and, where not measured, origins, then the rows.
func (t *Table) writeText(b *bytes.Buffer) {
	lines := make([][]string, 3, len(t.Rows)+3)
	for _, c := range t.Columns {
		lines[0] = append(lines[0], c.Title)
		lines[1] = append(lines[1], c.Unit)
		lines[2] = append(lines[2], c.mark())
	}
	for _, r := range t.Rows {
		var line []string
		for _, c := range t.Columns {
			line = append(line, c.text(r))
		}
		lines = append(lines, line)
	}
	widths := make([]int, len(t.Columns))
	for _, line := range lines {
		for i, s := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(s))
		}
	}
	for _, line := range lines {
		var out strings.Builder
		for i, s := range line {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(s))
			if t.Columns[i].Origin == Label {
				out.WriteString(s + space + "  ")
			} else {
				out.WriteString(space + s + "  ")
			}
		}
		if text := strings.TrimRight(out.String(), " "); text != "" {
			fmt.Fprintf(b, "  %s\n", text)
		}
	}
}

// mark names the origin of figures that were not measured.
func (c Column) mark() string {
	if c.Origin == Measured || c.Origin == Label {
		return ""
	}
	return string(c.Origin)
}

// WriteMarkdown writes everything, with references to the plots beside it.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "## %s: %s\n\n```\n%s\n```\n", r.Benchmark, r.Title, strings.Join(r.heading(), "\n"))
	if len(r.Checks) > 0 {
		fmt.Fprint(&b, "\nChecked before the timing:\n\n")
	}
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "- %s\n", checkLine(c))
	}
	for _, t := range r.Tables {
		fmt.Fprintf(&b, "\n%s\n\n", t.Title)
		t.writeMarkdown(&b)
	}
	if len(r.Notes) > 0 {
		fmt.Fprintln(&b)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "- %s\n", n)
	}
	for _, p := range r.Plots {
		fmt.Fprintf(&b, "\n![%s](%s)\n", p.Title, p.File)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (t *Table) writeMarkdown(b *bytes.Buffer) {
	for _, c := range t.Columns {
		title := c.Title
		if c.Unit != "" {
			title += ", " + c.Unit
		}
		if mark := c.mark(); mark != "" {
			title += " (" + mark + ")"
		}
		fmt.Fprintf(b, "| %s ", title)
	}
	b.WriteString("|\n")
	for _, c := range t.Columns {
		if c.Origin == Label {
			b.WriteString("|---")
		} else {
			b.WriteString("|--:")
		}
	}
	b.WriteString("|\n")
	for _, r := range t.Rows {
		for _, c := range t.Columns {
			fmt.Fprintf(b, "| %s ", c.text(r))
		}
		b.WriteString("|\n")
	}
}

// WriteJSON writes the report as one JSON object; a row is an object by column key without what is empty.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
