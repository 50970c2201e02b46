package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"convect/cmd/convect/bench"
	results "convect/cmd/convect/bench/report"
	"convect/io/whole"
)

// pageName is the page of all benchmarks in their folder.
const pageName = "report.html"

// runReport writes the page of the reports that lie in a folder.
func (o *benchOptions) runReport(e *environment) error {
	if other := o.given("out"); other != "" {
		return usage("bench report takes --out alone, not --%s", other)
	}
	dir := *o.out
	if dir == "" {
		dir = everyOut
	}
	return writePage(e, dir)
}

// writePage writes the page from the NAME.json and PNG files of a folder. What cannot be read is told on the page, and is an error.
func writePage(e *environment, dir string) error {
	page := &results.Page{Dir: dir}
	var reports []*results.Report
	var unreadable []string
	for _, b := range bench.All() {
		s := results.Section{Name: b.Name, Title: b.Title, Source: b.Source, Text: b.Text}
		file := b.Name + ".json"
		r, err := results.Read(filepath.Join(dir, file))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			s.Missing = "there is no " + file
		case err == nil && r.Benchmark != b.Name:
			err = fmt.Errorf("%s is the report of %s", file, r.Benchmark)
			fallthrough
		case err != nil:
			s.Missing = err.Error()
			unreadable = append(unreadable, err.Error())
		default:
			s.Report, s.Title, s.Source = r, r.Title, r.Source
			if r.Text != "" {
				s.Text = r.Text
			}
			reports = append(reports, r)
		}
		page.Sections = append(page.Sections, s)
	}
	if len(reports) == 0 {
		return errors.Join(fmt.Errorf("there is no report of a benchmark in %s", dir), asError(unreadable))
	}
	page.Summary = bench.Summary(reports)
	var html bytes.Buffer
	if err := page.WriteHTML(&html); err != nil {
		return fmt.Errorf("%s: %w", pageName, err)
	}
	path := filepath.Join(dir, pageName)
	if err := whole.WriteFile(path, html.Bytes()); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(e.out, "\nreport: %s\n", path); err != nil {
		return err
	}
	return asError(unreadable)
}

// asError makes an error of texts, nil of none.
func asError(texts []string) error {
	if len(texts) == 0 {
		return nil
	}
	return errors.New(strings.Join(texts, "; "))
}
