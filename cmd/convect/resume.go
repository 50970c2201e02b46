package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"convect/cmd/convect/casefile"
	"convect/io/checkpoint"
	"convect/io/series"
	"convect/physics"
)

// locateRun finds where a run begins or goes on, and refuses a directory that is not to be touched.
func (s *session) locateRun() error {
	s.from, s.fromPath, s.inPlace, s.skipped = nil, "", false, nil
	s.anew, s.over, s.seen = "", "", s.dir.state()
	if !s.options.resume {
		return s.checkOverwrite("--resume goes on with it, --force overwrites it, --out takes another directory")
	}
	path, skipped, err := checkpoint.Latest(string(s.dir))
	var unreadable *checkpoint.UnreadableError
	switch s.skipped = skipped; {
	case errors.As(err, &unreadable) || err != nil && len(skipped) == 0:
		return err
	case err != nil && !s.options.force:
		return fmt.Errorf("%w; with --force the run begins anew", err)
	case path == "":
		return s.locateStart()
	}
	if s.from, err = s.readState(path); err != nil {
		return err
	}
	s.fromPath, s.inPlace = path, true
	s.keepCase()
	if err := s.honourSteering(); err != nil {
		return err
	}
	return s.checkResumable()
}

// checkResumable refuses to go on where the numbers would not be those of the case, and notes what is different.
func (s *session) checkResumable() error {
	old, err := casefile.ParseFile(s.fromPath, s.from.Header, nil)
	var earlier *casefile.EarlierError
	if errors.As(err, &earlier) {
		return err
	}
	if err != nil {
		return fmt.Errorf("the case in %s: %w", s.fromPath, &exitError{exitFailed, err})
	}
	changes, err := s.changes(old)
	if err != nil {
		return err
	}
	s.changed = nil
	for _, c := range changes {
		s.changed = append(s.changed, c.Key)
	}
	if old.Extent() != s.c.Extent() || old.Parameters.Precision != s.c.Parameters.Precision {
		return usage("%s cannot be continued with another grid, periodicity or solver.precision (changed: %v); it can be the "+
			"initial.temperature of a new run", s.fromPath, s.changed)
	}
	strict := slices.DeleteFunc(slices.Clone(changes), func(c casefile.Change) bool { return mayChange(c.Key) })
	if len(strict) > 0 && !s.isRestart {
		return s.refuseChanges(strict)
	}
	if slices.ContainsFunc(strict, func(c casefile.Change) bool { return shapesState(c.Key) }) {
		s.from.State.ForgetSteady()
	}
	return s.checkEnd(strict)
}

// changes returns the keys in which the case differs from that of the checkpoint, and those that name a file of which the content does. A file
// that has only moved is none.
func (s *session) changes(old *casefile.Case) ([]casefile.Change, error) {
	changes := casefile.Changes(old, s.c)
	if s.options.beside {
		changes = slices.DeleteFunc(changes, hasMoved)
	}
	if len(s.from.Files) == 0 {
		return changes, nil
	}
	contents, err := s.c.Contents()
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(s.from.Files)) {
		at := slices.IndexFunc(changes, func(c casefile.Change) bool { return c.Key == key })
		switch now, there := contents[key]; {
		case !there: // the change is that of the key, or of a section above it
		case now == s.from.Files[key] && at >= 0:
			changes = slices.Delete(changes, at, at+1)
		case now != s.from.Files[key] && at < 0:
			changes = append(changes, casefile.Change{Key: key})
		}
	}
	slices.SortFunc(changes, func(a, b casefile.Change) int { return strings.Compare(a.Key, b.Key) })
	return changes, nil
}

// hasMoved tells whether a change is that of the folder of a sweep alone: the same checkpoint of the same run beside it is what a run starts from.
func hasMoved(c casefile.Change) bool {
	const kept = 3 // RUN/checkpoints/FILE
	tail := func(text string) []string {
		parts := strings.Split(strings.Trim(text, `"'`), "/")
		return parts[max(0, len(parts)-kept):]
	}
	return isUnder(c.Key, "initial") && strings.HasSuffix(c.Key, ".file") && len(tail(c.New)) == kept && slices.Equal(tail(c.Old), tail(c.New))
}

// mayChange tells whether a key may change where a run goes on: it shapes what is written and when the run ends, and not what is computed.
func mayChange(key string) bool {
	return key == "time.end" || isUnder(key, "output", "checkpoint")
}

// shapesState tells whether what is steady need not be so any more after a change of a key.
func shapesState(key string) bool { return isUnder(key, "grid", "physics", "boundaries") }

// isUnder tells whether a key is one of sections, or in one.
func isUnder(key string, sections ...string) bool {
	return slices.ContainsFunc(sections, func(section string) bool {
		rest, found := strings.CutPrefix(key, section)
		return found && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// refuseChanges says which keys have changed, and with which command the run goes on under the new ones.
func (s *session) refuseChanges(changes []casefile.Change) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s was computed with another case; --resume goes on with the same one (time.end, output and checkpoint may change):\n", s.dir)
	words := []string{"convect", "restart", string(s.dir)}
	isSet := false
	for _, c := range changes {
		fmt.Fprintf(&b, "  %s\n", changeText(c))
		if c.Old != c.New {
			words = append(words, "--set", c.Key+"="+c.New)
		}
		isSet = isSet || c.Key == "time.end"
	}
	if _, over := s.from.State.Over(s.c.Controls); over && !isSet {
		words = append(words, "--set", "time.end=LATER")
	}
	fmt.Fprintf(&b, "To go on from its newest checkpoint under the new case, in a directory of its own: %s --out OTHER", shellText(words))
	return usage("%s", b.String())
}

// changeText prints a change.
func changeText(c casefile.Change) string {
	given := func(text string) string {
		if text == "" {
			return "left out"
		}
		return text
	}
	if c.Old == c.New {
		return c.Key + ": the file has another content now"
	}
	return fmt.Sprintf("%s: %s there, %s now", c.Key, given(c.Old), given(c.New))
}

// checkEnd refuses an end that lies before the checkpoint, and other parameters where no step would be made under them; where all is done
// and written it says so in over.
func (s *session) checkEnd(strict []casefile.Change) error {
	s.over = ""
	t, scales := s.from.State.Scalars["time"], s.c.Scales
	outcome, over := s.from.State.Over(s.c.Controls)
	reached := strconv.FormatFloat(t*scales.Time, 'g', -1, 64)
	switch {
	case slices.Contains(s.changed, "time.end") && s.c.Controls.End < t*(1-1e-9):
		return usage("%s has come to t = %s, past time.end: with --set time.end=%s it ends there, and a restart from an earlier checkpoint can end earlier",
			s.fromPath, scales.TimeText(t, 6), reached)
	case over && len(strict) > 0:
		return usage("%s is at the end already (t = %s): no step would be made with the new %s; a later end goes on, as --set time.end=…",
			s.fromPath, scales.TimeText(t, 6), strict[0].Key)
	case over && s.inPlace && s.isComplete():
		how := "has reached its end"
		if outcome == physics.Steady {
			how = "has become steady"
		}
		s.over = fmt.Sprintf("%s: the run %s, step %d, t = %s; there is nothing to do. A later time.end goes on.", s.dir, how,
			s.from.State.Step, scales.TimeText(t, 6))
		if outcome == physics.Steady {
			s.over = strings.TrimSuffix(s.over, "A later time.end goes on.") + "'convect restart' goes on with a smaller time.steady."
		}
	}
	return nil
}

// isComplete tells whether what is written at the end of a run is there, and belongs to the checkpoint.
func (s *session) isComplete() bool {
	summary, err := series.ReadSummary(s.dir.path(series.SummaryName))
	missing := slices.ContainsFunc(s.pictures(), func(name string) bool {
		_, err := os.Stat(s.dir.path(name))
		return err != nil
	})
	return err == nil && !missing && s.isOf(summary)
}

// isOf tells whether a summary is that of the checkpoint.
func (s *session) isOf(summary *series.Summary) bool {
	return s.from != nil && summary.Steps == s.from.State.Step && float64(summary.Time) == s.from.State.Scalars["time"]*s.c.Scales.Time &&
		float64(summary.Rayleigh) == s.from.Rayleigh
}
