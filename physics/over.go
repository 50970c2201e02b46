package physics

import "slices"

// endSlack is the part of the end time by which a state may fall short of it and still be at the end: the end of a case is moved by
// as much to meet a multiple of its output interval (alignEnd), which another interval need not have.
const endSlack = 2e-9

// Over tells whether a run under controls has no step to make after a state, and why: its end is reached, or it was found steady by a
// criterion at least as strict.
func (st *State) Over(c Controls) (Outcome, bool) {
	reached := st.Scalars["steady_reached"]
	switch {
	case reached > 0 && c.Steady >= reached:
		return Steady, true
	case st.Scalars["time"] >= c.End*(1-endSlack):
		return Finished, true
	}
	return Interrupted, false
}

// ForgetSteady makes a run that goes on from the state begin a new steady window: what was found steady need not be so under other
// parameters.
func (st *State) ForgetSteady() {
	for _, name := range []string{"steady_reached", "steady_patience", "steady_waited"} {
		st.Scalars[name] = 0
	}
	st.Fields = slices.DeleteFunc(st.Fields, func(f StateField) bool { return f.Name == "steady_reference" })
}
