package multigrid

import (
	"fmt"
	"strings"
)

// ConvergenceError reports a solve that did not reach its target.
type ConvergenceError struct {
	Reason     string    // what ended the solve
	Target     float64   // residual norm that was wanted
	Iterations int       // cycles, or iterations of conjugate gradients
	Residuals  []float64 // norms, the first is the initial one
	Alone      bool      // cycles by themselves, where coefficients vary
}

// shown is the number of residuals at the end of the history that the message names.
const shown = 5

// Error names the reason, the target and the last residuals, and what is likely to help.
func (e *ConvergenceError) Error() string {
	last := e.Residuals[max(0, len(e.Residuals)-shown):]
	text := make([]string, len(last))
	for i, r := range last {
		text[i] = fmt.Sprintf("%.3g", r)
	}
	advice := ""
	if e.Alone {
		advice = "; cycles by themselves need not converge where coefficients vary: take the method cg"
	}
	return fmt.Sprintf("multigrid: %s after %d iterations: residual wanted %.3g, got %.3g (first %.3g, last %s)%s",
		e.Reason, e.Iterations, e.Target, e.Residuals[len(e.Residuals)-1], e.Residuals[0], strings.Join(text, ", "), advice)
}
