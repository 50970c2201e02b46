package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"convect/cmd/convect/casefile"
	"convect/io/series"
)

// tableName is what a table is called: a run by its directory.
func tableName(path string) string {
	if strings.HasSuffix(path, ".csv") {
		absolute, err := filepath.Abs(path)
		if err == nil && (filepath.Base(path) == series.SeriesName || filepath.Base(path) == series.ProfilesName) {
			return runName(filepath.Dir(absolute))
		}
		return strings.TrimSuffix(filepath.Base(path), ".csv")
	}
	return runName(path)
}

// caseTitle returns the title of the case of a run directory; "" where there is none.
func caseTitle(path string) string {
	dir := directory(path)
	if strings.HasSuffix(path, ".csv") {
		dir = directory(filepath.Dir(path))
	}
	if _, err := os.Stat(dir.path(caseName)); err != nil {
		return ""
	}
	return titleOf(dir)
}

// tableAt reads a table: a CSV file, or one of a run directory.
func tableAt(path, name string) (*series.Table, error) {
	if !strings.HasSuffix(path, ".csv") {
		dir := path
		path = filepath.Join(dir, name)
		if _, err := os.Stat(path); err != nil && name == series.SeriesName { // the folder of a sweep
			if results := filepath.Join(dir, resultsName); fileExists(results) {
				path = results
			}
		}
	}
	t, err := readAnyTable(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, usage("there is no %s", path)
	}
	if err == nil && t.Rows() == 0 {
		err = usage("%s has no rows", path)
	}
	return t, err
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// readAnyTable reads a table of columns, of which some may hold texts: these are no numbers. A second line that begins with # has the units.
func readAnyTable(path string) (*series.Table, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(text, []byte("step,")) { // a run may be writing its last row
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.ReuseRecord, r.FieldsPerRecord = false, 0
	t := &series.Table{}
	for row := 0; ; row++ {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		switch {
		case row == 0:
			t.Names, t.Units, t.Columns = cells, make([]string, len(cells)), make([][]float64, len(cells))
		case row == 1 && strings.HasPrefix(cells[0], "#"):
			cells[0] = strings.TrimPrefix(cells[0], "#")
			t.Units = cells
		default:
			for i, cell := range cells {
				v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
				if err != nil {
					v = math.NaN()
				}
				t.Columns[i] = append(t.Columns[i], v)
			}
		}
	}
	if len(t.Names) == 0 {
		return nil, usage("%s is empty", path)
	}
	return t, nil
}

// column returns a column with its unit.
func column(t *series.Table, path, name string) ([]float64, string, error) {
	at := slices.Index(t.Names, name)
	if at < 0 {
		near := ""
		if like := casefile.Nearest(name, t.Names); like != "" {
			near = fmt.Sprintf(" (did you mean %s?)", like)
		}
		return nil, "", usage("%s has no column %q%s; there are %s", path, name, near, strings.Join(t.Names, ", "))
	}
	return t.Columns[at], t.Units[at], nil
}

// family is what columns of one kind begin with: nusselt of nusselt_hot and nusselt_cold.
func family(name string) string {
	first, _, _ := strings.Cut(name, "_")
	return first
}
