package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"convect/io/checkpoint"
	"convect/io/h5"
	"convect/io/header"
	"convect/kernels/cuda"
	"convect/physics"
)

// fail logs a failure with what helps to understand it.
func (s *session) fail(err error) error {
	var step *physics.StepError
	if errors.As(err, &step) {
		s.log.Error().Msgf("step %d, t = %s, field %s: %v", step.Step, s.c.Scales.TimeText(step.Time, 6), step.Field, inUnits(step.Err, s.c))
		if len(step.Residuals) > 0 {
			s.log.Error().Msgf("residuals: %s", residualText(step.Residuals))
		}
		if blewUp(err) && s.simulation != nil {
			s.log.Error().Msg(blowUpAdvice(s.c, s.simulation.BuoyantStep()))
		}
	} else {
		s.log.Error().Msg(err.Error())
	}
	path, _, latest := checkpoint.Latest(string(s.dir))
	if s.series == nil && s.from == nil { // the directory still has what is to be overwritten
		path, latest = "", nil
	}
	switch {
	case latest != nil:
		s.log.Error().Msgf("the run failed; %v", latest)
	case path == "":
		s.log.Error().Msg("the run failed; there is no checkpoint yet")
	default:
		s.log.Error().Msgf("the run failed; the last whole checkpoint is %s%s", path, whenWritten(path))
	}
	var lost *cuda.DriverError
	if errors.As(err, &lost) && latest == nil { // else what it says comes first
		s.log.Error().Msgf("%s is of no use to this run any more; on the processor it goes on with: %s", lost.GPU, s.onCPU(path))
	}
	return &exitError{code: exitFailed}
}

// whenWritten tells the step and the time of a checkpoint.
func whenWritten(path string) string {
	r, err := h5.Open(path)
	if err != nil {
		return ""
	}
	defer r.Close()
	h, err := header.Read(r, header.Checkpoint)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(", of step %d, t = %s", h.Step, physics.TimeText(h.Time, h.TimeUnit, 6))
}

// onCPU returns the command that goes on with the run on the processor: from its newest checkpoint, or as it began where there is
// none.
func (s *session) onCPU(latest string) string {
	words := []string{"convect", "run", s.c.Path}
	if s.isRestart {
		words = []string{"convect", "restart", s.fromPath}
		if latest != "" {
			words[2] = latest
		}
	}
	for _, v := range s.options.set {
		words = append(words, "--set", v)
	}
	switch {
	case s.isRestart && latest != "": // in its own directory
	case latest != "":
		words = append(words, "--out", string(s.dir), "--resume")
	default:
		words = append(words, "--out", string(s.dir), "--force")
	}
	if s.options.walltime > 0 {
		words = append(words, "--walltime", s.options.walltime.String())
	}
	return shellText(append(words, "--device", "cpu"))
}

// shellText joins words so that a shell reads them as they are.
func shellText(words []string) string {
	plain := regexp.MustCompile(`^[\w./:=,+@%-]+$`)
	quoted := make([]string, len(words))
	for i, w := range words {
		if quoted[i] = w; !plain.MatchString(w) {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// residualText prints a history of residuals.
func residualText(r []float64) string {
	words := make([]string, len(r))
	for i, v := range r {
		words[i] = fmt.Sprintf("%.3g", v)
	}
	return strings.Join(words, " ")
}
