package physics

import "time"

// PartTime is the time spent in one part of the steps so far, and what a counter counted meanwhile.
type PartTime struct {
	Name    string
	Seconds float64
	Count   float64
}

// clock splits the time of steps by part. A nil clock does nothing.
type clock struct {
	sync    func() error
	counter func() float64 // nil: none
	last    time.Time
	counted float64
	parts   []PartTime
}

// count returns the counter.
func (c *clock) count() float64 {
	if c.counter == nil {
		return 0
	}
	return c.counter()
}

// start begins a step.
func (c *clock) start() {
	if c != nil {
		c.last, c.counted = time.Now(), c.count()
	}
}

// lap adds the time since the last lap to a part.
func (c *clock) lap(name string) {
	if c == nil {
		return
	}
	_ = c.sync() // a failure stays with the device and is met again where it matters
	now := time.Now()
	part := PartTime{Name: name, Seconds: now.Sub(c.last).Seconds(), Count: c.count() - c.counted}
	c.last, c.counted = now, c.count()
	for i := range c.parts {
		if c.parts[i].Name == name {
			c.parts[i].Seconds += part.Seconds
			c.parts[i].Count += part.Count
			return
		}
	}
	c.parts = append(c.parts, part)
}
