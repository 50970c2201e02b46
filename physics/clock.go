package physics

import "time"

// PartTime is the time spent in one part of the steps so far.
type PartTime struct {
	Name    string
	Seconds float64
}

// clock splits the time of steps by part. A nil clock does nothing.
type clock struct {
	sync  func() error
	last  time.Time
	parts []PartTime
}

// start begins a step.
func (c *clock) start() {
	if c != nil {
		c.last = time.Now()
	}
}

// lap adds the time since the last lap to a part.
func (c *clock) lap(name string) {
	if c == nil {
		return
	}
	_ = c.sync() // a failure stays with the device and is met again where it matters
	now := time.Now()
	spent := now.Sub(c.last).Seconds()
	c.last = now
	for i := range c.parts {
		if c.parts[i].Name == name {
			c.parts[i].Seconds += spent
			return
		}
	}
	c.parts = append(c.parts, PartTime{name, spent})
}
