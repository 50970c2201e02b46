package main

import (
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"convect/cmd/convect/sweep"
	"convect/io/series"
)

// caseError says that the case of a run could not be read, which is told when it is run.
type caseError struct{ error }

func (e *caseError) Unwrap() error { return e.error }

// located finds where a run goes on under the very case that the sweep asks for.
func (s *sweeping) located(r *sweep.Run) (*session, error) {
	c, err := loadCase(s.Case, s.overrides(r, true))
	if err != nil {
		return nil, &caseError{err}
	}
	one := &session{environment: s.environment, options: &runOptions{resume: true, beside: true}, c: c, reload: c.With, dir: s.folder(r)}
	return one, one.locateRun()
}

// blankRow is the row of a run that has left nothing.
func (s *sweeping) blankRow(r *sweep.Run) sweep.Row {
	row := sweep.Row{Run: r, State: sweep.Missing, Values: make([]float64, len(s.Results)), Errors: make([]float64, len(s.Results))}
	for i := range s.Results {
		row.Values[i], row.Errors[i] = math.NaN(), math.NaN()
	}
	return row
}

// blankRows are those of runs that have left nothing.
func (s *sweeping) blankRows() (all []sweep.Row) {
	for _, r := range s.Runs {
		all = append(all, s.blankRow(r))
	}
	return all
}

// look reads what a run has left. It fails where the run does not go on, or what it has left cannot be read.
func (s *sweeping) look(r *sweep.Run) (sweep.Row, error) {
	row := s.blankRow(r)
	if _, err := os.Stat(s.failurePath(r)); err == nil {
		row.State = sweep.Failed
	}
	if !s.hasFolder(r) {
		return row, nil
	}
	one, err := s.located(r)
	if err != nil || one.over == "" {
		return row, err
	}
	summary, err := series.ReadSummary(one.dir.path(series.SummaryName))
	if err != nil {
		return row, err
	}
	full := row
	full.Values, full.Errors = slices.Clone(row.Values), slices.Clone(row.Errors)
	if full.State = sweep.Done; summary.Steady {
		full.State = sweep.Steady
	}
	for i, name := range s.Results {
		value, err := valueAtEnd(string(one.dir), name)
		if err != nil && !errors.Is(err, errNoQuantity) {
			return row, err
		}
		if err == nil {
			full.Values[i] = value
		}
		if of, isMean := strings.CutSuffix(name, "_mean"); isMean {
			if value, err := valueAtEnd(string(one.dir), of+"_stderr"); err == nil {
				full.Errors[i] = value
			}
		}
	}
	return full, nil
}

// survey reads what all runs have left, and refuses to go on where the folder holds runs of another case, before any of the tables changes.
func (s *sweeping) survey() error {
	var first error
	var of *sweep.Run
	count := 0
	for n, r := range s.Runs {
		row, err := s.look(r)
		s.rows[n] = row
		var unread *caseError
		var own *exitError
		if !errors.As(err, &unread) && errors.As(err, &own) && own.code == exitUsage { // another failure is told when it is run
			if count++; first == nil {
				first, of = err, r
			}
		}
	}
	if first == nil {
		return nil
	}
	why, _, _ := strings.Cut(first.Error(), "\nTo go on")
	return usage("%d of the runs in %s do not go on; %s: %s\n--force begins all runs anew, --out takes another folder", count, s.dir, s.Describe(of), why)
}

// table returns the rows as they are known.
func (s *sweeping) table() *sweep.Table {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return &sweep.Table{Sweep: s.Sweep, Units: s.units, KeyUnits: s.keyUnits, Rows: slices.Clone(s.rows)}
}

// isKnown tells whether the row of a run says that it is over.
func (s *sweeping) isKnown(r *sweep.Run) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	state := s.rows[s.places[r]].State
	return state == sweep.Done || state == sweep.Steady
}

// renew reads again what a run has left.
func (s *sweeping) renew(r *sweep.Run) error {
	row, err := s.look(r)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.rows[s.places[r]] = row
	return err
}

// tableShare is the part of the time that goes into tables at most while runs are under way, one in so many.
const tableShare = 20

// keep writes results.csv as far as it is known; not again at once where there are so many runs that this takes long. The end of the sweep writes it in any case.
func (s *sweeping) keep() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if began := time.Now(); began.Sub(s.wrote) > tableShare*s.took {
		err := s.writeCSV(s.table())
		s.wrote = time.Now()
		s.took = s.wrote.Sub(began)
		return err
	}
	return nil
}
