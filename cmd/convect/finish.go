package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"convect/io/series"
	"convect/io/snapshot"
	"convect/physics"
)

// finish writes what is due at the end of a run and tells where to find it: the picture first, so that with the summary all is there.
func (s *session) finish(outcome physics.Outcome) error {
	summary, isNew := s.summary(outcome)
	if err := s.drawPictures(summary); err != nil {
		s.log.Warn().Msgf("there is no picture, or not of everything: %v", err)
	}
	if isNew {
		if err := s.writeReport(summary); err != nil {
			s.log.Warn().Msgf("there is no report, or no references: %v", err)
		}
		if err := summary.Write(s.dir.path(series.SummaryName)); err != nil {
			return s.fail(err)
		}
	}
	how := "reached the end"
	if outcome == physics.Steady {
		how = "steady"
	}
	s.log.Info().Msgf("%s: step %d, t = %s", how, s.simulation.Step(), s.c.Scales.TimeText(s.simulation.Time(), 6))
	s.console.close()
	s.results(s.out, summary, how)
	s.showProfile()
	return nil
}

// showProfile prints, where it was asked for, what the parts of a step took and which kernels they run.
func (s *session) showProfile() {
	if s.options.profile {
		printProfile(s.out, s.simulation.Profile(), s.simulation.Step())
		printPlan(s.out, s.simulation.Plan())
	}
}

// summary returns what summary.json holds of the run. One that was over before keeps what it has.
func (s *session) summary(outcome physics.Outcome) (summary *series.Summary, isNew bool) {
	sample, scalars, row := s.simulation.Sample().Clone(), s.c.Parameters.Transported(), map[string]float64(nil)
	if s.from != nil && s.from.State.Step == s.simulation.Step() {
		old, err := series.ReadSummary(s.dir.path(series.SummaryName))
		if s.inPlace && err == nil && s.isOf(old) {
			return old, false
		}
		if row, err = rowOfStep(s.dir.path(series.SeriesName), sample.Step); err != nil {
			s.log.Warn().Msgf("the Nusselt numbers are not known: %v", err)
		}
		ofStep(&sample, scalars, row)
	}
	steps, seconds := s.series.Elapsed()
	mean := s.mean()
	summary = series.Summarise(&sample, mean, s.tableOptions(), int64(s.simulation.Grid().Nodes()), steps, seconds)
	for _, numbers := range summary.Scalars {
		for name := range numbers {
			if v, ok := row[name]; ok {
				numbers[name] = series.Number(v)
			}
		}
	}
	for surface, through := range summary.Surfaces {
		for what := range through {
			if v, ok := row[surface+"_"+what]; ok {
				through[what] = series.Number(v)
			}
		}
	}
	if first := scalars[0]; s.c.Parameters.Isothermal {
		summary.NusseltMean, summary.NusseltStdErr = series.Number(math.NaN()), series.Number(math.NaN())
		summary.Scalars[first.Name][first.Number+"_mean"], summary.Scalars[first.Name][first.Number+"_stderr"] = series.Number(mean.Mean), series.Number(mean.StdErr)
	}
	summary.Rayleigh = series.Number(s.c.Parameters.Rayleigh)
	summary.Steady = outcome == physics.Steady
	summary.Device = deviceName(s.device.Info())
	summary.Precision = physics.PrecisionName(s.c.Parameters.Precision, s.c.Parameters.Mixed)
	summary.Version = s.version
	return summary, true
}

// mean returns the mean over time of the Nusselt number, or of the Sherwood number where there is no temperature, and says what is not in it.
func (s *session) mean() series.Average {
	path := s.dir.path(series.SeriesName)
	all := s.c.Parameters.Transported()[0].Transfers()
	mean, err := series.TransferAverage(path, [2]string{all[0].Name, all[1].Name}, series.HalfRun)
	switch {
	case err != nil: // the rest of the summary does not need the table
		s.log.Warn().Msgf("there are no means over time: %v", err)
		return series.Average{Mean: math.NaN(), StdErr: math.NaN()}
	case mean.Missing > 0:
		s.log.Warn().Msgf("means over time leave out %d of %d steps, of which %s has no rows", mean.Missing, s.simulation.Step()+1, path)
	}
	return mean
}

// rowOfStep returns the row of a step, which must be the last one of the table, by column.
func rowOfStep(path string, step int64) (map[string]float64, error) {
	t, err := series.Read(path)
	if err != nil {
		return nil, err
	}
	last := t.Rows() - 1
	if steps := t.Column("step"); last < 0 || steps == nil || int64(steps[last]) != step {
		return nil, fmt.Errorf("%s has no row of step %d", path, step)
	}
	row := map[string]float64{}
	for i, name := range t.Names {
		row[name] = t.Columns[i][last]
	}
	return row, nil
}

// ofStep takes the Nusselt numbers, and those of other scalars, from the row of the last step: they belong to a step, with the walls as they were during it, and
// a run that was over when it was resumed has made none. Those of which there is no row are undefined, and so are balances until the row's are written.
func ofStep(sample *physics.Sample, scalars []physics.Transported, row map[string]float64) {
	for n, of := range scalars {
		own := &sample.Scalars[n]
		own.In, own.Gain = math.NaN(), math.NaN()
		for _, transfer := range of.Transfers() {
			v, ok := row[transfer.Name]
			if !ok {
				v = math.NaN()
			}
			*transfer.In(own) = v
		}
	}
}

// results prints the end of a run.
func (s *session) results(w io.Writer, r *series.Summary, how string) {
	fmt.Fprintf(w, "\n%s: %s after %d steps, t = %s, in %.3g s (%s node steps/s)\n", s.c.Title, how, r.Steps,
		physics.TimeText(float64(r.Time), r.TimeUnit, 6), r.WallSeconds, short(float64(r.NodeStepsPerSecond)))
	if !math.IsNaN(float64(r.Nusselt)) {
		fmt.Fprintf(w, "Nusselt number %.5f (%s)", r.Nusselt, wallsText([2]string{"hot", "cold"}, float64(r.NusseltHot), float64(r.NusseltCold)))
		if !math.IsNaN(float64(r.NusseltMean)) && !r.Steady {
			fmt.Fprintf(w, "; over the last half %.5f", r.NusseltMean)
			if !math.IsNaN(float64(r.NusseltStdErr)) {
				fmt.Fprintf(w, " ± %.2g", r.NusseltStdErr)
			}
		}
		fmt.Fprintln(w)
	}
	s.transfersBeside(w, r)
	if s.c.Dimensional != nil {
		s.throughWalls(w, r)
	}
	if written := len(s.snapshots.Entries()); written > 0 {
		fmt.Fprintf(w, "  snapshots    %s (%d)\n", s.dir.path(snapshot.Folder), written)
		fmt.Fprintf(w, "  in ParaView  %s\n", s.dir.path(snapshot.XDMFName))
	}
	type file struct{ label, name string }
	var files []file
	for _, name := range s.pictures() {
		files = append(files, file{"picture", name})
	}
	for _, f := range append(files, file{"report", reportName}, file{"numbers", series.SummaryName}, file{"every step", series.SeriesName}) {
		if _, err := os.Stat(s.dir.path(f.name)); err == nil {
			fmt.Fprintf(w, "  %-12s %s\n", f.label, s.dir.path(f.name))
		}
	}
}

// transfersBeside prints the Sherwood numbers of what is carried beside the temperature.
func (s *session) transfersBeside(w io.Writer, r *series.Summary) {
	for _, of := range s.c.Parameters.Transported() {
		numbers := r.Scalars[of.Name]
		mean, ok := numbers[of.Number]
		if !ok || math.IsNaN(float64(mean)) {
			continue
		}
		all := of.Transfers()
		fmt.Fprintf(w, "Sherwood number of the %s %.5f (%s)\n", of.Name, mean, wallsText(of.Ends, float64(numbers[all[0].Name]), float64(numbers[all[1].Name])))
	}
}

// throughWalls prints what enters through walls and patches in SI units.
func (s *session) throughWalls(w io.Writer, r *series.Summary) {
	kinds := []string{"fluid"}
	for _, of := range s.c.Parameters.Transported() {
		kinds = append(kinds, of.Crossing())
	}
	depth := ""
	if s.simulation.Grid().Flat() {
		depth = ", a metre deep"
	}
	extent := s.c.Extent().Size
	area := math.Max(extent[0], extent[2]) * s.c.Scales.Length
	if depth == "" {
		area *= math.Max(extent[0], extent[1]) * s.c.Scales.Length
	}
	for n, kind := range kinds {
		most := 0.0
		for _, through := range r.Surfaces {
			most = math.Max(most, math.Abs(float64(through[kind])))
		}
		if n == 0 && most < 1e-6*float64(r.SpeedMax)*area { // what the solver leaves
			continue
		}
		var words []string
		for _, surface := range s.c.SurfaceNames() {
			if v := float64(r.Surfaces[surface][kind]); math.Abs(v) > 1e-9*most {
				words = append(words, fmt.Sprintf("%s %.5g", strings.TrimPrefix(surface, "wall_"), v))
			}
		}
		if len(words) > 0 {
			fmt.Fprintf(w, "Through walls, inward: %s in %s%s: %s\n", kind, r.SurfaceUnits[kind], depth, strings.Join(words, ", "))
		}
	}
}

// wallsText prints the Nusselt or Sherwood numbers of the walls that have one.
func wallsText(names [2]string, enters, leaves float64) string {
	var words []string
	for _, wall := range []struct {
		name  string
		value float64
	}{{names[0], enters}, {names[1], leaves}} {
		if !math.IsNaN(wall.value) {
			words = append(words, fmt.Sprintf("%s wall %.5f", wall.name, wall.value))
		}
	}
	return strings.Join(words, ", ")
}

// unitSuffix prints a unit behind a number.
func unitSuffix(unit string) string {
	if unit == "1" || unit == "" {
		return ""
	}
	return " " + unit
}

// printProfile prints the split of a step by part.
func printProfile(w io.Writer, parts []physics.PartTime, steps int64) {
	total := 0.0
	for _, p := range parts {
		total += p.Seconds
	}
	fmt.Fprintf(w, "\n%-28s %10s %8s\n", "part of a step", "ms", "%")
	per := 1e3 / math.Max(1, float64(steps))
	for _, p := range parts {
		fmt.Fprintf(w, "%-28s %10.3f %8.1f\n", p.Name, p.Seconds*per, 100*p.Seconds/total)
	}
	fmt.Fprintf(w, "%-28s %10.3f %8.1f\n", "all", total*per, 100.0)
}
