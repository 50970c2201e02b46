package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"convect/cmd/convect/casefile"
	"convect/io/whole"
)

// steeringColumns head steering.csv.
var steeringColumns = []string{"step", "time", "clock", "action", "old", "new"}

// steeringRow is something that a viewer has done to a run.
type steeringRow struct {
	step     int64
	time     float64 // in the unit of the case
	clock    time.Time
	action   string
	old, new string // values of the key that was changed, as YAML on one line; "" where the case left it out
}

func (r *steeringRow) words() []string {
	return []string{strconv.FormatInt(r.step, 10), strconv.FormatFloat(r.time, 'g', 17, 64), r.clock.UTC().Format(time.RFC3339), r.action, r.old, r.new}
}

// steeringText writes rows as lines.
func steeringText(rows ...[]string) []byte {
	var b bytes.Buffer
	csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes()
}

// appendSteering adds a row and forces it to disk.
func appendSteering(path string, row steeringRow) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	lines := [][]string{row.words()}
	if info, err := f.Stat(); err == nil && info.Size() == 0 {
		lines = [][]string{steeringColumns, row.words()}
	}
	_, err = f.Write(steeringText(lines...))
	return errors.Join(err, f.Sync(), f.Close())
}

// readSteering returns the rows up to a step; later tells whether there are others. A line that is none, as a kill may leave, is left out.
func readSteering(path string, step int64) (rows []steeringRow, later bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	for n, line := range strings.Split(string(text), "\n") {
		words, err := csv.NewReader(strings.NewReader(line)).Read()
		if n == 0 || line == "" {
			continue
		}
		if err != nil || len(words) != len(steeringColumns) {
			later = true
			continue
		}
		row := steeringRow{action: words[3], old: words[4], new: words[5]}
		var errs [3]error
		row.step, errs[0] = strconv.ParseInt(words[0], 10, 64)
		row.time, errs[1] = strconv.ParseFloat(words[1], 64)
		row.clock, errs[2] = time.Parse(time.RFC3339, words[2])
		if errors.Join(errs[:]...) != nil || row.step > step {
			later = true
			continue
		}
		rows = append(rows, row)
	}
	return rows, later, nil
}

// cutSteering removes the rows later than a step, from which the run goes on.
func cutSteering(path string, step int64) error {
	rows, later, err := readSteering(path, step)
	if err != nil || !later {
		return err
	}
	lines := [][]string{steeringColumns}
	for _, r := range rows {
		lines = append(lines, r.words())
	}
	return whole.WriteFile(path, steeringText(lines...))
}

// honourSteering gives the case of a run that goes on what viewers have changed before the checkpoint, unless the case has been changed since: then
// that counts.
func (s *session) honourSteering() error {
	rows, _, err := readSteering(s.dir.path(steeringName), s.from.State.Step)
	if err != nil {
		return err
	}
	s.steered = nil
	var set []string
	for action, key := range steerable {
		at := slices.IndexFunc(rows, func(r steeringRow) bool { return r.action == action })
		if at < 0 {
			continue
		}
		given, last := s.c.Given(key), rows[at]
		for _, r := range rows[at:] {
			if r.action == action {
				last = r
			}
		}
		switch {
		case casefile.SameValue(given, last.new):
		case casefile.SameValue(given, rows[at].old):
			set = append(set, key+"="+last.new)
			s.steered = append(s.steered, fmt.Sprintf("%s is %s since step %d, as steered from the live page, and not %s as in %s", key, last.new, last.step, orLeftOut(given), s.c.Path))
		default:
			s.steered = append(s.steered, fmt.Sprintf("%s is %s as in %s, which has changed since the run was steered to %s at step %d", key, orLeftOut(given), s.c.Path, last.new, last.step))
		}
	}
	if len(set) == 0 {
		return nil
	}
	slices.Sort(set)
	if s.c, err = s.reload(set...); err == nil {
		s.reload = s.c.With
	}
	return err
}

// orLeftOut returns a value, or that there is none.
func orLeftOut(value string) string {
	if value == "" {
		return "left out"
	}
	return value
}
