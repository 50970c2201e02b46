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

// writeTables writes the tables and the picture.
func (s *sweeping) writeTables(t *sweep.Table) error {
	if err := whole.WriteFile(filepath.Join(s.dir, resultsName), t.CSV()); err != nil {
		return err
	}
	means := filepath.Join(s.dir, resultMeansName)
	if t.HasSeeds() {
		if err := whole.WriteFile(means, t.MeansCSV()); err != nil {
			return err
		}
	} else if err := os.Remove(means); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	title := filepath.Base(s.Case)
	if c, err := loadCase(s.Case, s.overrides(s.Runs[0], false)); err == nil {
		title = c.Title
	}
	if err := t.WriteNetCDF(filepath.Join(s.dir, resultsNetCDF), title); err != nil {
		return err
	}
	if len(t.Missing()) == len(t.Rows) {
		return nil // there is nothing to draw
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
