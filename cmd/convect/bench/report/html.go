package report

import (
	_ "embed" // for the template
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Page is several benchmarks on one page of HTML that needs no other file.
type Page struct {
	Dir      string // with the plots
	Summary  *Table // nil: none
	Sections []Section
}

// Section is a benchmark of a page.
type Section struct {
	Name, Title, Source, Text string
	Report                    *Report // nil: there is none
	Missing                   string  // why there is none
}

// WriteHTML writes the page. Plots that cannot be read are named as missing.
func (p *Page) WriteHTML(w io.Writer) error {
	view := pageView{Warning: quickWarning}
	if p.Summary != nil {
		view.Summary = p.Summary.view("summary")
	}
	view.Runs = p.runs().view("runs")
	for _, s := range p.Sections {
		view.Sections = append(view.Sections, p.section(s))
		if s.Report != nil && s.Report.Quick {
			view.Quick = append(view.Quick, s.Name)
		}
		if f := failure(s); f != "" {
			view.Failed = append(view.Failed, s.Name+": "+f)
		}
	}
	view.Facts = p.facts()
	return pageTemplate.Execute(w, view)
}

// failure tells why a section has no figures; "" where it has.
func failure(s Section) string {
	if s.Report != nil {
		return s.Report.Error
	}
	return s.Missing
}

// The page as the template takes it.
type (
	pageView struct {
		Warning  string
		Quick    []string // benchmarks that ran quickly
		Failed   []string
		Facts    []factView
		Summary  *tableView
		Runs     *tableView
		Sections []sectionView
	}
	factView    struct{ Name, Text string }
	sectionView struct {
		Section
		Error  string
		Heads  []factView
		Checks []string
		Tables []*tableView
		Notes  []string
		Plots  []plotView
		JSON   string // file; empty: none
	}
	tableView struct {
		ID, Title string
		Columns   []columnView
		Rows      [][]cellView
	}
	columnView struct {
		Title, Unit, Mark string
		Origin            Origin
	}
	cellView struct {
		Text   string
		Value  string // of a number, all digits
		Origin Origin
	}
	plotView struct {
		File, Title string
		Image       template.URL // empty: there is none
	}
)

// view returns the table as it is shown; its identity is unique on the page.
func (t *Table) view(section string) *tableView {
	v := &tableView{ID: section + "-" + t.Key, Title: t.Title}
	for _, c := range t.Columns {
		v.Columns = append(v.Columns, columnView{Title: c.Title, Unit: c.Unit, Mark: c.mark(), Origin: c.Origin})
	}
	for _, r := range t.Rows {
		var cells []cellView
		for _, c := range t.Columns {
			cells = append(cells, cellView{Text: c.text(r), Value: r.digits(c.Key), Origin: c.Origin})
		}
		v.Rows = append(v.Rows, cells)
	}
	return v
}

// digits returns a number as JSON has it; "" where there is none.
func (r Row) digits(key string) string {
	n, ok := r.Number(key)
	if !ok {
		return ""
	}
	if j, isRead := r[key].(json.Number); isRead {
		return j.String()
	}
	return strconv.FormatFloat(n, 'g', -1, 64)
}

// section returns a benchmark as it is shown.
func (p *Page) section(s Section) sectionView {
	v := sectionView{Section: s, Error: failure(s)}
	r := s.Report
	if r == nil {
		return v
	}
	v.JSON = r.Benchmark + ".json"
	for _, line := range r.heading()[1:] { // the source stands above
		name, text, _ := strings.Cut(line, " ")
		v.Heads = append(v.Heads, factView{name, strings.TrimSpace(text)})
	}
	if r.Error != "" {
		return v
	}
	for _, c := range r.Checks {
		v.Checks = append(v.Checks, checkLine(c))
	}
	for _, t := range r.Tables {
		v.Tables = append(v.Tables, t.view(r.Benchmark))
	}
	v.Notes = r.Notes
	for _, plot := range r.Plots {
		v.Plots = append(v.Plots, plotView{plot.File, plot.Title, p.image(plot.File)})
	}
	return v
}

// image returns a PNG file of the folder as a data URI, "" where it cannot be read.
func (p *Page) image(file string) template.URL {
	png, err := os.ReadFile(filepath.Join(p.Dir, filepath.Base(file)))
	if err != nil {
		return ""
	}
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(png)) // #nosec G203 -- base64
}
