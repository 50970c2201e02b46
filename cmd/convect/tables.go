package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"convect/io/checkpoint"
	"convect/io/sampling"
	"convect/io/series"
	"convect/io/snapshot"
)

// tableOptions are those of the tables of the run.
func (s *session) tableOptions() series.Options {
	return series.Options{Dir: string(s.dir), Scales: s.c.Scales, Dimensions: s.simulation.Grid().Dimensions(), Hold: series.UsualHold,
		Scalars: s.c.Parameters.Transported(), Probes: s.probeTables(), Wells: s.c.WellColumns(), Surfaces: s.c.SurfaceNames(), Notice: func(said string) { s.log.Warn().Msg(said) }}
}

// cut removes what is later than the step that the run goes on from, and mends the tables up to it: checkpoints go first, so that the
// newest one is always one whose tables are whole.
func (s *session) cut(step int64) (err error) {
	if err := checkpoint.Cut(string(s.dir), step); err != nil {
		return err
	}
	if err := s.cutSummary(step); err != nil {
		return err
	}
	if s.mended, err = series.Mend(s.tableOptions(), step); err != nil {
		return err
	}
	if err := series.Cut(string(s.dir), step); err != nil {
		return err
	}
	if err := sampling.Cut(string(s.dir), step, s.sampled); err != nil {
		return err
	}
	if err := cutSteering(s.dir.path(steeringName), step); err != nil {
		return err
	}
	return snapshot.Cut(string(s.dir), step, s.present)
}

// cutSummary removes the summary and the pictures of a later step where a restart goes back behind it: another run may come to that step.
func (s *session) cutSummary(step int64) error {
	path := s.dir.path(series.SummaryName)
	summary, err := series.ReadSummary(path)
	if err != nil || !s.isRestart || summary.Steps <= step { // what cannot be read is written anew at the end
		return nil
	}
	if err := s.dir.removeOwn(); err != nil {
		return err
	}
	for _, name := range append([]string{series.SummaryName}, s.pictures()...) {
		if err := os.Remove(s.dir.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove what is later than the checkpoint: %w", err)
		}
	}
	return nil
}

// warnOfLostRows says so where the table of all steps, of which means over time are made, has no rows of some before the checkpoint.
func (s *session) warnOfLostRows() {
	table, step := s.dir.path(series.SeriesName), s.from.State.Step
	held, err := series.Held(string(s.dir), step)
	switch {
	case err != nil:
		s.log.Warn().Err(err).Msg("rows of steps before the checkpoint cannot be read")
	case len(held) == 0:
		s.log.Warn().Msgf("%s has no rows of the steps before: means over time leave them out", table)
	case len(held) > 1 || held[0] != series.Range{First: 0, Last: step}:
		s.log.Warn().Msgf("%s has rows of steps %s alone: means over time leave out the others", table, series.RangesText(held))
	}
}
