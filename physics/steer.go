package physics

import (
	"errors"
	"fmt"
)

// SetControls replaces the controls between two steps, as an [Observer] may: the steps that follow have the bits of a run that is stopped here and
// resumed under them. It fails, and changes nothing, where the new end is reached already, or the steady stop is another.
func (s *Simulation) SetControls(c Controls) error {
	before, follow := s.controls, s.follow
	switch {
	case c.Steady != before.Steady:
		return errors.New("time.steady cannot change during a run")
	case s.time >= c.End*(1-endSlack):
		return fmt.Errorf("the end %g is not after the present time %g", c.End, s.time)
	}
	s.controls, s.follow = c, nil
	if err := s.setDefaults(); err != nil {
		s.controls, s.follow = before, follow
		return err
	}
	return nil
}
