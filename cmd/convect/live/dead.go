package live

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"convect/io/checkpoint"
	"convect/io/lock"
	"convect/io/series"
)

// stateOfFiles tells from the files of a directory how far its run is, which another process makes or has made.
func (r *Run) stateOfFiles() State {
	s := State{Time: nan, End: nan, Part: nan, Rate: nan, Points: nan}
	c, err := r.theCase()
	if err != nil {
		s.State, s.Said = "failed", err.Error()
		return s
	}
	names, first, last := lastRows(filepath.Join(r.Dir, series.SeriesName))
	at := func(row []float64, name string) float64 {
		if n := slices.Index(names, name); n >= 0 && row != nil {
			return row[n]
		}
		return math.NaN()
	}
	end := c.Controls.End * c.Scales.Time
	s.End, s.EndText = series.Number(end), c.Scales.TimeText(c.Controls.End, 6)
	s.Every = c.Given("output.every")
	if last != nil {
		s.Step, s.Time = int64(last[0]), series.Number(last[1])
		s.TimeText = c.Scales.TimeText(last[1]/c.Scales.Time, 6)
		s.Part = series.Number(math.Min(1, last[1]/end))
	}
	holder, sure := lock.Look(filepath.Join(r.Dir, r.lock))
	if holder == "" {
		s.State, s.Said = r.ended(s.Step)
		return s
	}
	s.State, s.Said = "running", holder
	if !sure {
		s.Said = fmt.Sprintf("%s, if it has not been killed: from here that cannot be seen; its last row was written %s ago", holder, r.age())
	}
	if contact, ok := ReadFile(r.Dir); ok && contact.Socket == "" {
		s.Page = contact.URL
	}
	if last == nil {
		s.State = "waiting"
		return s
	}
	if seconds := at(last, "wall_seconds") - at(first, "wall_seconds"); seconds > 0 {
		s.Rate = series.Number((last[0] - first[0]) / seconds)
		s.Points = s.Rate * series.Number(c.Nodes())
		if pace := (last[1] - first[1]) / seconds; pace > 0 {
			s.Left = leftText((end - last[1]) / pace)
		}
	}
	return s
}

var nan = series.Number(math.NaN())

// age is how long ago the last row was written.
func (r *Run) age() time.Duration {
	info, err := os.Stat(filepath.Join(r.Dir, series.SeriesName))
	if err != nil {
		return 0
	}
	return time.Since(info.ModTime()).Round(time.Second)
}

// ended tells how a run ended that nobody makes any more.
func (r *Run) ended(step int64) (state, said string) {
	if summary, err := series.ReadSummary(filepath.Join(r.Dir, series.SummaryName)); err == nil && summary.Steps == step {
		if summary.Steady {
			return "steady", ""
		}
		return "finished", ""
	}
	state, said = "killed", "no process makes it any more, and it did not come to an end"
	text, _ := endOf(filepath.Join(r.Dir, logName), logShown) // without a log it is not known
	for line := range strings.Lines(text) {
		_, message, _ := strings.Cut(strings.TrimSpace(line), " WRN ")
		if strings.HasPrefix(message, "stopped at step ") {
			state, said = "stopped", message
		}
		if _, message, found := strings.Cut(strings.TrimSpace(line), " ERR "); found {
			state, said = "failed", message
		}
		if strings.Contains(line, " INF ") && (strings.Contains(line, " node") && strings.Contains(line, ", into ")) { // it began again
			state, said = "killed", "no process makes it any more, and it did not come to an end"
		}
	}
	if newest := newestCheckpoint(r.Dir); newest >= 0 {
		said += fmt.Sprintf("; its newest checkpoint is of step %d, from which convect run … --resume goes on", newest)
	} else {
		said += "; there is no checkpoint"
	}
	return state, said
}

// newestCheckpoint returns the step of the newest checkpoint by the names of the files, -1 where there is none.
func newestCheckpoint(dir string) int64 {
	newest := int64(-1)
	files, _ := os.ReadDir(filepath.Join(dir, checkpoint.Folder)) // where it cannot be read none is known
	for _, f := range files {
		number, isOne := strings.CutPrefix(strings.TrimSuffix(f.Name(), ".h5"), "ckpt_")
		if step, err := strconv.ParseInt(number, 10, 64); isOne && err == nil && strings.HasSuffix(f.Name(), ".h5") {
			newest = max(newest, step)
		}
	}
	return newest
}

// lastRows returns the names of the columns, the last row, and one up to some fifty before it; nil where there is none.
func lastRows(path string) (names []string, first, last []float64) {
	const bytes, rows = 64 << 10, 50
	head, err := headOf(path)
	if err != nil {
		return nil, nil, nil
	}
	if names = strings.Split(head, ","); len(names) < 2 || names[0] != "step" {
		return nil, nil, nil
	}
	text, err := endOf(path, bytes)
	if err != nil || !strings.Contains(text, "\n") {
		return names, nil, nil
	}
	lines := strings.Split(text[:strings.LastIndexByte(text, '\n')], "\n")
	var all [][]float64
	for _, line := range lines[max(0, len(lines)-rows):] {
		if row, ok := numbers(line, len(names)); ok {
			all = append(all, row)
		}
	}
	if len(all) == 0 {
		return names, nil, nil
	}
	return names, all[0], all[len(all)-1]
}

// headOf returns the first line of a table.
func headOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, 64<<10)
	n, _ := f.Read(head)
	first, _, _ := strings.Cut(string(head[:n]), "\n")
	return first, nil
}

// numbers reads a line of so many numbers, NaN where one is left out.
func numbers(line string, n int) (row []float64, ok bool) {
	words := strings.Split(line, ",")
	if len(words) != n {
		return nil, false
	}
	for _, word := range words {
		v, err := strconv.ParseFloat(word, 64)
		if word == "" {
			v, err = math.NaN(), nil
		}
		if err != nil {
			return nil, false
		}
		row = append(row, v)
	}
	return row, true
}

// leftText prints a time left in seconds.
func leftText(seconds float64) string {
	if !(seconds >= 0 && seconds < 1e9) {
		return ""
	}
	d := time.Duration(seconds * float64(time.Second))
	if d < time.Minute {
		return fmt.Sprintf("%.0f s left", d.Seconds())
	}
	if d < time.Hour {
		return d.Round(time.Second).String() + " left"
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s") + " left"
}
