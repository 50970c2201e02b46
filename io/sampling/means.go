package sampling

import (
	"fmt"
	"math"
	"strings"

	"convect/physics"
	"convect/stencil"
)

// Grid returns the grid without the axes that are averaged over.
func (m *mean) Grid() *stencil.Grid { return m.grid }

// Window returns the time that the mean is of.
func (m *mean) Window() (from, to float64) { return m.began, m.Time() }

// fluctuationSuffix ends the names of fluctuations.
const fluctuationSuffix = "_fluctuation"

// Quantities lists the means and, where they are asked for, fluctuations.
func (m *mean) Quantities() []physics.Quantity {
	var axes strings.Builder
	for d, name := range []string{"x", "y", "z"} {
		if m.Over[d] {
			axes.WriteString(name + ": ")
		}
	}
	var all []physics.Quantity
	for _, q := range m.quantities {
		q.Method, q.Extra = "time: "+axes.String()+"mean", false
		all = append(all, q)
		if m.Fluctuations {
			q.Name, q.Method = q.Name+fluctuationSuffix, "time: "+axes.String()+"standard_deviation"
			q.Meaning = "root mean square of the fluctuations of the " + q.Meaning
			all = append(all, q)
		}
	}
	return all
}

// Freeze gives a mean, or the root of a mean squared deviation.
func (m *mean) Freeze(name string, into *physics.Frozen) error {
	of, isFluctuation := strings.CutSuffix(name, fluctuationSuffix)
	if _, found := m.sums[of]; !found || isFluctuation && !m.Fluctuations {
		return fmt.Errorf("there is no mean %q", name)
	}
	into.Components, into.Column = nil, nil
	for _, sums := range m.sums[of] {
		values, squares, err := sums.Sums()
		if err != nil {
			return err
		}
		if isFluctuation {
			for n, square := range squares {
				values[n] = math.Sqrt(math.Max(square/m.weight, 0))
			}
		}
		into.Components = append(into.Components, stencil.FrozenOf(values))
	}
	return nil
}
