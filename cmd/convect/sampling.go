package main

import (
	"convect/io/sampling"
	"convect/io/series"
)

// probeTables are the tables of the probes of the case.
func (s *session) probeTables() (all []series.Probe) {
	o := s.c.Output.Probes
	values := sampling.NewProbes(s.simulation, s.c.Scales, o)
	for n := range o {
		p := series.Probe{Name: o[n].Name, Due: o[n].Every.Due, Values: func() ([]float64, error) { return values.Values(n) }}
		p.Columns, p.Units = o[n].Columns(s.simulation.Quantities(), s.simulation.Grid().Flat(), s.c.Scales)
		all = append(all, p)
	}
	return all
}

// prepareSampling opens the writers of slices and averages.
func (s *session) prepareSampling() (err error) {
	out := s.c.Output
	o := sampling.Options{Dir: string(s.dir), Precision: out.Precision, Compress: out.Compress, Scales: s.c.Scales, Case: s.c.Text, Version: s.version, Present: s.sampled}
	if s.slices, err = sampling.NewSlices(s.simulation, o, out.Slices); err != nil {
		return err
	}
	var sums map[string][]float64
	if s.from != nil {
		if sums = s.from.Sums; sums == nil {
			sums = map[string][]float64{}
		}
	}
	s.averages, s.unsummed, err = sampling.NewAverages(s.simulation, o, out.Averages, sums)
	return err
}
