package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"convect/cmd/convect/casefile"
	"convect/cmd/convect/sweep"
	"convect/io/checkpoint"
	"convect/io/series"
	"convect/physics"
)

// checkedNodes is how many nodes the cases of a sweep may have together to be built for the check; of more the first alone is.
const checkedNodes = 2e7

// checkCases reads all cases and evaluates their fields, and says all that is wrong.
func (s *sweeping) checkCases() error {
	var faults []string
	note := func(text string) {
		if !slices.Contains(faults, text) {
			faults = append(faults, text)
		}
	}
	nodes, ran := 0.0, s.Runs
	if s.options.task >= 0 { // those of other tasks are checked there
		ran = s.Chains[s.options.task]
	}
	for n, r := range ran {
		c, err := loadCase(s.Case, s.overrides(r, false))
		if err != nil {
			if !isCaseError(err) {
				return err
			}
			note(s.explain(r, err))
			continue
		}
		if s.Continue != "" && c.Checkpoint.Unended {
			note("checkpoint.end: false leaves out the checkpoints that runs of this sweep would continue from")
			continue
		}
		if s.largest == nil || c.Nodes() > s.largest.Nodes() {
			s.largest = c
		}
		if nodes += c.Nodes(); nodes < checkedNodes || n == 0 {
			if err := c.Build(casefile.BuildOptions{Restart: r.Before != nil}); err != nil {
				note(s.explain(r, err))
				continue
			}
			s.notice(c)
		}
		if s.units == nil {
			if err := s.checkResults(c); err != nil {
				return err
			}
		}
	}
	if len(faults) > 0 {
		const most = 20
		more := ""
		if len(faults) > most {
			more = fmt.Sprintf("\nand %d more", len(faults)-most)
			faults = faults[:most]
		}
		return usage("no run was started:\n%s%s", strings.Join(faults, "\n"), more)
	}
	if nodes >= checkedNodes {
		s.words = append(s.words, fmt.Sprintf("the cases have %.3g nodes together: fields and walls were checked of the first ones alone, the files of all", nodes))
	}
	return nil
}

// explain says which run a fault belongs to, and where its values come from.
func (s *sweeping) explain(r *sweep.Run, err error) string {
	text := err.Error()
	for i, v := range s.Vary {
		if strings.Contains(text, "--set "+v.Key+"="+r.Values[i]) {
			return strings.ReplaceAll(text, "--set "+v.Key+"="+r.Values[i], v.At+": "+v.Key+"="+r.Values[i])
		}
	}
	return fmt.Sprintf("%s: %s", s.Describe(r), text)
}

// notice gathers what the cases warn of, each once.
func (s *sweeping) notice(c *casefile.Case) {
	for _, w := range c.Warnings() {
		if !slices.Contains(s.words, w) {
			s.words = append(s.words, w)
		}
	}
}

// overrides returns what a run sets: the options' own, its values, and where it continues from.
func (s *sweeping) overrides(r *sweep.Run, continued bool) []string {
	set := slices.Concat(s.Set, s.options.set, s.Overrides(r))
	if r.Before == nil || !continued {
		return set
	}
	return append(set, s.continuation(r)...)
}

// continuation returns the overrides by which a run starts from the last state of the one before.
func (s *sweeping) continuation(r *sweep.Run) []string {
	path, _, err := checkpoint.Latest(string(s.folder(r.Before)))
	if err != nil || path == "" {
		path = filepath.Join(string(s.folder(r.Before)), checkpoint.Folder, "none.h5") // whoever needs it says that it is not there
	}
	var set []string
	keys, _ := s.carries(r) // a run whose case cannot be evaluated fails before it begins
	for _, key := range keys {
		set = append(set, fmt.Sprintf("%s={file: %q}", key, path))
	}
	return set
}

// carries lists the keys of the case that take what a run carries over from the one before: its fields have to be evaluated for that, once.
func (s *sweeping) carries(r *sweep.Run) (keys []string, err error) {
	if r.Before == nil {
		return nil, nil
	}
	if known, isKnown := s.carried.Load(r); isKnown {
		return known.([]string), nil
	}
	c, err := loadCase(s.Case, s.overrides(r, false))
	if err == nil {
		err = c.Build(casefile.BuildOptions{Restart: true})
	}
	if err != nil {
		return nil, err
	}
	for _, of := range c.Parameters.Transported() {
		key := "initial.tracers." + of.Name
		if of.Name == "temperature" || of.Name == "concentration" {
			key = "initial." + of.Name
		}
		keys = append(keys, key)
	}
	s.carried.Store(r, keys)
	return keys, nil
}

// checkResults refuses names of results that no run will have, and finds the units of the others. Without names it takes the usual ones.
func (s *sweeping) checkResults(c *casefile.Case) error {
	for _, v := range s.Vary {
		s.keyUnits = append(s.keyUnits, keyUnit(c, v.Key))
	}
	number := "nusselt"
	if c.Parameters.Isothermal {
		first := c.Parameters.Transported()[0]
		number = first.Name + "." + first.Number
	}
	if len(s.Results) == 0 {
		s.Results = []string{number, number + "_mean", number + "_stderr", "speed_rms"}
	}
	known := s.resultUnits(c)
	for i, name := range s.Results {
		unit, ok := known[name]
		if !ok {
			at := "--results"
			if s.Path != "" && len(s.options.results) == 0 {
				at = s.Path + ": results"
			}
			near := ""
			if like := casefile.Nearest(name, slices.Sorted(maps.Keys(known))); like != "" {
				near = fmt.Sprintf(" (did you mean %s?)", like)
			}
			return usage("%s: a run has no number %q%s; accepted: %s", at, name, near, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		if slices.Contains(s.Results[:i], name) || slices.Contains([]string{"state", "run"}, name) {
			return usage("results: %s stands in the table already", name)
		}
		s.units = append(s.units, unit)
	}
	return nil
}

// resultUnits lists the numbers of a run with their units: those of summary.json, and the columns of series.csv, whose last value counts.
func (s *sweeping) resultUnits(c *casefile.Case) map[string]string {
	dimensions := 3
	if c.Extent().Cells[1] == 0 {
		dimensions = 2
	}
	o := series.Options{Scales: c.Scales, Dimensions: dimensions, Scalars: c.Parameters.Transported(), Wells: c.WellColumns(), Surfaces: c.SurfaceNames()}
	units := map[string]string{}
	names, symbols := series.Columns(o)
	for i, name := range names {
		units[name] = symbols[i]
	}
	text, _ := json.Marshal(&series.Summary{}) // of plain values
	var summary map[string]any
	_ = json.Unmarshal(text, &summary)
	for name, value := range summary {
		if _, isNumber := value.(float64); !isNumber || c.Parameters.Isothermal && (strings.HasPrefix(name, "nusselt") || name == "temperature_mean") {
			continue
		}
		if _, there := units[name]; !there {
			units[name] = "1"
		}
	}
	units["psi_max"], units["psi_centre"] = units["streamfunction_max"], units["streamfunction_max"]
	units["time"], units["wall_seconds"] = c.Scales.TimeUnit, "s"
	for n := range o.Scalars {
		of := &o.Scalars[n]
		if of.Name == "temperature" {
			continue
		}
		for _, name := range []string{of.Number, of.Number + "_mean", of.Number + "_stderr"} {
			if strings.Contains(name, "_") && !c.Parameters.Isothermal {
				continue // means over time are those of the first scalar
			}
			units[of.Name+"."+name] = "1"
		}
		for i, name := range names {
			if strings.HasPrefix(name, of.Name) || strings.HasPrefix(name, of.Content) || slices.ContainsFunc(of.Transfers(), func(t physics.Transfer) bool { return t.Name == name }) {
				units[of.Name+"."+name] = symbols[i]
			}
		}
	}
	return units
}

// siUnits are those of keys of a case in SI units, by their last parts.
var siUnits = map[string]string{
	"permeability": "m²", "viscosity": "Pa s", "density": "kg/m³", "expansivity": "1/K", "temperature_difference": "K", "height": "m", "conductivity": "W/(m K)",
	"heat_capacity": "J/(kg K)", "rock_density": "kg/m³", "rock_heat_capacity": "J/(kg K)", "gravity": "m/s²", "solute_diffusivity": "m²/s",
	"temperature": "K", "heat_flux": "W/m²", "heat_source": "W/m³", "end": "s", "max_step": "s", "first_step": "s", "longitudinal": "m", "transverse": "m",
}

// keyUnit returns the unit of the values of a key; "" where it has none, or it is not known.
func keyUnit(c *casefile.Case, key string) string {
	if c.Dimensional == nil {
		return ""
	}
	return siUnits[key[strings.LastIndexByte(key, '.')+1:]]
}
