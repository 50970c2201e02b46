package call

import (
	"slices"

	"convect/kernels"
)

// Plan notes the kernels of calls that a device makes without running them.
type Plan struct{ choices []kernels.Choice }

// Begin notes that a call begins.
func (p *Plan) Begin(call string) { p.choices = append(p.choices, kernels.Choice{Call: call}) }

// Add notes a kernel of a call.
func (p *Plan) Add(call, kernel string) {
	l := p.last(call)
	l.Kernels = append(l.Kernels, kernel)
}

// Because notes why a call does not take a faster form, "" where it does. The first reason counts.
func (p *Plan) Because(call, why string) {
	if l := p.last(call); l.Reason == "" {
		l.Reason = why
	}
}

// last returns the choice of the call of a name that came last.
func (p *Plan) last(call string) *kernels.Choice {
	for n := len(p.choices) - 1; n >= 0; n-- {
		if p.choices[n].Call == call {
			return &p.choices[n]
		}
	}
	p.Begin(call)
	return &p.choices[len(p.choices)-1]
}

// Choices returns what calls that have kernels run, and the failure of one, if there was one.
func (p *Plan) Choices(failure error) []kernels.Choice {
	choices := slices.DeleteFunc(p.choices, func(c kernels.Choice) bool { return len(c.Kernels) == 0 })
	if failure != nil {
		choices = append(choices, kernels.Choice{Call: "failure", Reason: failure.Error()})
	}
	return choices
}

// Reasons why kernels for simple operators do not know one, as plans of all devices word them. Widths have one for each axis.
const (
	OnCells      = "K on cells"
	ThreeOnCells = "K on cells along each axis"
	MassOfNodes  = "a capacity at each node"
)

// WidthsDiffer is the reason that the widths of an axis differ.
func WidthsDiffer(axis int) string {
	return [...]string{"a width of x differs", "a width of y differs", "a width of z differs"}[axis]
}
