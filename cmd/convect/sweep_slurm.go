package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"convect/io/whole"
)

// Names of the scripts for Slurm in the folder of a sweep.
const (
	slurmName  = "sweep.slurm"
	submitName = "submit.sh"
)

// writeScripts writes an array job with one task a chain, and the script that submits it and after it the job that makes the tables.
func (s *sweeping) writeScripts() error {
	if strings.Contains(s.dir, `\`) {
		return usage("--slurm: Slurm writes no logs into %s, since it takes the \\ away; --out names another folder", s.dir)
	}
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	here, err := os.Getwd() // paths of the arguments are relative to it
	if err != nil {
		return err
	}
	o := s.options
	command := append([]string{binary}, s.again()...)
	array := fmt.Sprintf("0-%d", len(s.Chains)-1)
	if o.jobs > 0 {
		array += fmt.Sprintf("%%%d", o.jobs)
	}
	threads := max(1, o.threads)
	resource := fmt.Sprintf("#SBATCH --cpus-per-task=%d\n", threads)
	if _, isGPU := gpuOrdinal(o.device); isGPU || isGPUList(o.device) {
		resource = "#SBATCH --gpus=1\n"
	}
	name := strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return '_'
		}
		return r
	}, filepath.Base(s.dir))
	task := fmt.Sprintf(`#!/bin/sh
# A task a chain of runs: sh %s submits it. Memory, partition and account are yours to add; a task that is stopped goes on when it is submitted again.
#SBATCH --job-name=%s
#SBATCH --array=%s
#SBATCH --output=slurm-%%a.log
%s#SBATCH --signal=B:TERM@120
cd %s || exit
exec %s --threads "${SLURM_CPUS_PER_TASK:-%d}" --task "$SLURM_ARRAY_TASK_ID"
`, submitName, name, array, resource, shellText([]string{here}), shellText(append(command, "--resume")), threads)
	submit := fmt.Sprintf(`#!/bin/sh
# Submits the tasks, and after them the job that makes the tables of what they have left.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
logs=$(printf %%s "$folder" | sed 's/%%/%%%%/g') # as Slurm reads names of files
job=$(sbatch --parsable --output="$logs/slurm-%%a.log" "$@" "$folder/%s")
sbatch --dependency=afterany:"${job%%%%;*}" --job-name=%s --output="$logs/slurm-tables.log" "$@" --wrap %s
`, slurmName, name+"-tables", shellText([]string{"cd " + shellText([]string{here}) + " && " + shellText(append(command, "--collect"))}))
	for _, f := range []struct{ name, text string }{{slurmName, task}, {submitName, submit}} {
		if err := whole.WriteFile(filepath.Join(s.dir, f.name), []byte(f.text)); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.out, "%s in %d tasks; submit them with: sh %s\n", countText(len(s.Runs), "run"), len(s.Chains), shellText([]string{filepath.Join(s.dir, submitName)}))
	return nil
}

// again returns the words of a command line that tells this sweep: those that choose runs, cases and results.
func (s *sweeping) again() []string {
	o := s.options
	path := s.Path
	if path == "" {
		path = s.Case
	}
	words := []string{"sweep", path, "--out", s.dir}
	add := func(name, value string) { words = append(words, "--"+name, value) }
	for _, v := range o.vary {
		add("vary", v)
	}
	for _, v := range o.set {
		add("set", v)
	}
	if o.combine != "" {
		add("combine", o.combine)
	}
	if o.samples != 0 {
		add("samples", strconv.Itoa(o.samples))
	}
	if o.flags.Changed("seed") {
		add("seed", strconv.FormatUint(o.seed, 10))
	}
	if o.along != "" {
		add("continue", o.along)
	}
	if o.back {
		words = append(words, "--back")
	}
	if len(o.results) > 0 {
		add("results", strings.Join(o.results, ","))
	}
	if o.device != "auto" {
		add("device", o.device)
	}
	if o.walltime > 0 {
		add("walltime", o.walltime.String())
	}
	return words
}
