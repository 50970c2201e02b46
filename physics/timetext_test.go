package physics

import "testing"

// A time is said in the unit that a person would choose, with as many digits as asked for; a year has 365.25 days.
func TestTimeText(t *testing.T) {
	const day, year = 86400.0, 365.25 * 86400
	for _, c := range []struct {
		v      float64
		unit   string
		digits int
		want   string
	}{
		{0, "s", 5, "0 s"}, {0.25, "s", 5, "0.25 s"}, {1e-9, "s", 3, "1e-09 s"}, {59, "s", 3, "59 s"}, {90, "s", 3, "1.5 min"},
		{3600, "s", 3, "1 h"}, {6 * 3600, "s", 3, "6 h"}, {day, "s", 5, "1 d"}, {30 * day, "s", 5, "30 d"}, {2 * 365 * day, "s", 5, "1.9986 yr"},
		{year, "s", 5, "1 yr"}, {6e11, "s", 5, "19013 yr"}, {19000 * year, "s", 3, "19000 yr"}, {123456 * year, "s", 3, "123000 yr"},
		{5e6 * year, "s", 3, "5e+06 yr"}, {-2 * day, "s", 3, "-2 d"},
		{0.123456, "1", 4, "0.1235"}, {1e-7, "1", 4, "1e-07"}, {3, "", 4, "3"}, {3, "ms", 4, "3 ms"},
	} {
		if got := TimeText(c.v, c.unit, c.digits); got != c.want {
			t.Errorf("%g %s with %d digits is %q, want %q", c.v, c.unit, c.digits, got, c.want)
		}
	}
	s := Nondimensional()
	if got := s.TimeText(0.5, 3); got != "0.5" {
		t.Errorf("without units %q", got)
	}
	s.Time, s.TimeUnit = 2*year, "s"
	if got := s.TimeText(0.5, 3); got != "1 yr" {
		t.Errorf("half of two years is %q", got)
	}
}
