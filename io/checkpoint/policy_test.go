package checkpoint

import (
	"slices"
	"testing"
	"time"

	"convect/physics"
)

// clock is a settable time.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// run lets a writer observe steps 1 to n at times 0.05 step, a second apart, and returns the steps that got checkpoints.
func run(t *testing.T, o Options, first, last int64, event func(step int64) physics.Event) []int64 {
	t.Helper()
	c := &clock{now: time.Unix(0, 0)}
	o.Now, o.Keep = c.Now, 1000
	w := newWriter(t, o)
	at := func(step int64) *fake { return &fake{step: step, time: float64(step) * 0.05} }
	must(t, w.observe(at(first), physics.Event{Start: true}))
	var found []int64
	for step := first + 1; step <= last; step++ {
		c.now = c.now.Add(time.Second)
		before := w.Written()
		must(t, w.observe(at(step), event(step)))
		if w.Written() != before {
			found = append(found, step)
		}
	}
	return found
}

func never(int64) physics.Event { return physics.Event{} }

func TestPolicies(t *testing.T) {
	tests := map[string]struct {
		policy Policy
		want   []int64
	}{
		"none":     {Policy{}, nil},
		"wall":     {Policy{Wall: 7 * time.Second}, []int64{7, 14}},
		"steps":    {Policy{Steps: 6}, []int64{6, 12, 18}},
		"interval": {Policy{Interval: 0.3}, []int64{6, 12, 18}}, // 6*0.05 < 0.3 by a rounding error
		"uneven":   {Policy{Interval: 0.12}, []int64{3, 5, 8, 10, 12, 15, 17, 20}},
	}
	for name, test := range tests {
		o := options(t.TempDir())
		o.Policy = test.policy
		if got := run(t, o, 0, 20, never); !slices.Equal(got, test.want) {
			t.Errorf("%s: checkpoints of steps %v, want %v", name, got, test.want)
		}
		// A resumed run goes on with the same multiples.
		if test.policy.Wall > 0 || test.want == nil {
			continue
		}
		resume := test.want[1]
		if got := run(t, o, resume, 20, never); !slices.Equal(got, test.want[2:]) {
			t.Errorf("%s: resumed at %d, checkpoints of steps %v, want %v", name, resume, got, test.want[2:])
		}
	}
}

func TestEndAlwaysWrites(t *testing.T) {
	end := func(step int64) physics.Event { return physics.Event{End: step == 20, Output: step%3 == 0} }
	if got := run(t, options(t.TempDir()), 0, 20, end); !slices.Equal(got, []int64{20}) {
		t.Errorf("checkpoints of steps %v", got)
	}
}

func TestRequest(t *testing.T) {
	o := options(t.TempDir())
	w := newWriter(t, o)
	must(t, w.observe(&fake{}, physics.Event{Start: true}))
	w.Request()
	w.Request()
	for step := range int64(3) {
		must(t, w.observe(&fake{step: step + 1}, physics.Event{}))
	}
	if got := steps(t, o.Dir); !slices.Equal(got, []int64{1}) {
		t.Errorf("checkpoints of steps %v, want one of the first step after the request", got)
	}
	must(t, w.Write(&fake{step: 3})) // as an interruption does
	if got := steps(t, o.Dir); !slices.Equal(got, []int64{1, 3}) {
		t.Errorf("checkpoints of steps %v", got)
	}
}
