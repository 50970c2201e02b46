package physics

import (
	"fmt"
	"math"
	"strconv"
)

// TimeUnit is a unit of simulated time.
type TimeUnit struct {
	Name    string
	Seconds float64
}

// TimeUnits lists the units of simulated time from the shortest on. A year is a Julian one, of 365.25 days.
func TimeUnits() []TimeUnit {
	const day = 86400
	return []TimeUnit{{"s", 1}, {"min", 60}, {"h", 3600}, {"d", day}, {"yr", 365.25 * day}}
}

// TimeText prints a time with so many digits: one in seconds in the longest unit of [TimeUnits] of which it is at least one, as
// "19000 yr"; one in another unit, or without any ("1"), as it is.
func TimeText(v float64, unit string, digits int) string {
	switch unit {
	case "1", "":
		return fmt.Sprintf("%.*g", digits, v)
	case "s":
	default:
		return fmt.Sprintf("%.*g %s", digits, v, unit)
	}
	units := TimeUnits()
	u := units[0]
	for _, longer := range units {
		if math.Abs(v) >= longer.Seconds {
			u = longer
		}
	}
	return Significant(v/u.Seconds, digits) + " " + u.Name
}

// Significant prints a number with so many digits, and without an exponent where it is neither large nor small.
func Significant(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'g', digits, 64)
	if rounded, err := strconv.ParseFloat(text, 64); err == nil && (math.Abs(v) >= 1e-3 && math.Abs(v) < 1e6) {
		return strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	return text
}

// TimeText prints a nondimensional time with so many digits in a unit that a person reads, see [TimeText].
func (s Scales) TimeText(t float64, digits int) string { return TimeText(t*s.Time, s.TimeUnit, digits) }
