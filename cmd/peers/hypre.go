package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// hypre runs the driver of hypre.
type hypre struct {
	program, mpirun string
	ranks           int
}

// solve runs the driver once and reads the line that it prints.
func (h *hypre) solve(n int, tolerance float64) (s solve, err error) {
	args := []string{"--oversubscribe", "-n", strconv.Itoa(h.ranks)}
	if os.Getuid() == 0 {
		args = append(args, "--allow-run-as-root")
	}
	c := exec.Command(h.mpirun, append(args, h.program, strconv.Itoa(n), strconv.FormatFloat(tolerance, 'g', -1, 64))...)
	var failure bytes.Buffer
	c.Stderr = &failure
	out, err := c.Output()
	if err != nil {
		return s, fmt.Errorf("%s: %w\n%s", c, err, failure.Bytes())
	}
	line := strings.TrimSpace(string(out))
	if _, err = fmt.Sscan(line, &s.iterations, &s.setup, &s.seconds, &s.residual); err != nil {
		return s, fmt.Errorf("%s printed %q: %w", c, line, err)
	}
	return s, nil
}
