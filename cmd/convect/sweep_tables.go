package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"convect/cmd/convect/figure"
	"convect/cmd/convect/sweep"
	"convect/io/whole"
)

// writeCSV writes the tables of text.
func (s *sweeping) writeCSV(t *sweep.Table) error {
	if err := whole.WriteFile(filepath.Join(s.dir, resultsName), t.CSV()); err != nil {
		return err
	}
	if t.HasSeeds() {
		return whole.WriteFile(filepath.Join(s.dir, resultMeansName), t.MeansCSV())
	}
	return s.remove(resultMeansName)
}

// remove removes tables and pictures that are not of these runs.
func (s *sweeping) remove(names ...string) error {
	for _, name := range names {
		if err := os.Remove(filepath.Join(s.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// writeTables writes the tables and the picture.
func (s *sweeping) writeTables(t *sweep.Table) error {
	if err := s.writeCSV(t); err != nil {
		return err
	}
	title := filepath.Base(s.Case)
	if c, err := loadCase(s.Case, s.overrides(s.Runs[0], false)); err == nil {
		title = c.Title
	}
	if err := t.WriteNetCDF(filepath.Join(s.dir, resultsNetCDF), title); err != nil {
		return err
	}
	if len(t.Missing()) == len(t.Rows) { // there is nothing to draw
		return s.remove(resultsPicture)
	}
	if bars := t.BarsText(); bars != "" {
		title += "\n" + bars
	}
	pdf, err := figure.Draw("pdf", s.dots, title, t.Charts())
	if err != nil {
		return fmt.Errorf("picture of the sweep: %w", err)
	}
	return whole.WriteFile(filepath.Join(s.dir, resultsPicture), pdf)
}
