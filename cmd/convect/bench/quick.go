package bench

import "time"

// A quick run is a trial: it passes the same checks and writes the same tables and plots as another, in seconds.
const (
	quickRepeat = 3
	quickBudget = 20 * time.Millisecond
)

// quickSizes are the sizes of a quick run.
var quickSizes = map[string][]int{"jacobi": {64}, "poisson2d": {192}, "stencil": {49}, "multigrid": {33}, "step": {33, 33, 17},
	"cases": {17}, "pcg": {32, 32, 16}, "hierarchical": {64}}

// setQuick makes small what the options leave open.
func (b Benchmark) setQuick(o *Options) error {
	if !o.Quick {
		return nil
	}
	if len(o.Size) > 0 {
		return &OptionError{"--quick and --size exclude each other"}
	}
	o.Size = quickSizes[b.Name]
	if o.Repeat == 0 {
		o.Repeat = quickRepeat
	}
	if o.Budget == 0 {
		o.Budget = quickBudget
	}
	return nil
}
