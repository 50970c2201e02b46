package series

import (
	"fmt"
	"math"
	"sort"

	"convect/physics"
)

// batches is the number of batches of a time average, and rowsPerBatch how many rows each must have on average for
// their scatter to mean anything.
const (
	batches      = 16
	rowsPerBatch = 2
)

// Average is a mean over time with its standard error.
type Average struct {
	Mean   float64 // NaN where undefined
	StdErr float64 // by batch means; NaN where there are too few rows
	From   float64 // the window, in the unit of the case
	To     float64
	Rows   int // in the window

	// Missing counts the steps up to the last row, the initial state included, that have no row; 0 where the table does not
	// tell its steps.
	Missing int64
}

// TimeAverage returns the mean over time of the Nusselt number, (nusselt_hot + nusselt_cold)/2 or the only one of
// both, over the last fraction, 0 < lastFraction <= 1, of the time in a series.csv, and its standard error (see the
// package text). Both are NaN where the Nusselt number is undefined. Steps of which there are no rows between others are left
// out of the mean.
func TimeAverage(path string, lastFraction float64) (Average, error) {
	return TransferAverage(path, [2]string{"nusselt_hot", "nusselt_cold"}, lastFraction)
}

// TransferAverage is TimeAverage of the transfer through two walls that have the columns named.
func TransferAverage(path string, columns [2]string, lastFraction float64) (Average, error) {
	t, err := Read(path)
	if err != nil {
		return Average{}, err
	}
	time, hot, cold := t.Column("time"), t.Column(columns[0]), t.Column(columns[1])
	if len(time) == 0 || len(hot) != len(time) || len(cold) != len(time) {
		return Average{}, fmt.Errorf("%s: it has no rows with time, %s and %s", path, columns[0], columns[1])
	}
	nusselt := make([]float64, len(time))
	for i := range nusselt {
		row := physics.ScalarSample{Hot: hot[i], Cold: cold[i]}
		nusselt[i] = row.Transfer()
		if i > 0 && !(time[i] > time[i-1]) {
			return Average{}, fmt.Errorf("%s: time does not increase from row %d to row %d", path, i, i+1)
		}
	}
	a := averageHeld(time, nusselt, holes(t.Column("step")), lastFraction)
	if step := t.Column("step"); len(step) > 0 {
		a.Missing = int64(step[len(step)-1]) + 1 - int64(len(step))
	}
	return a, nil
}

// ColumnAverage returns the mean over time of a column of a series.csv and its standard error (see the package text) over the rows from a time to another one; from and to 0: the last half of
// the run. It fails where the table ends before.
func ColumnAverage(path, column string, from, to float64) (Average, error) {
	t, err := Read(path)
	if err != nil {
		return Average{}, err
	}
	time, value := t.Column("time"), t.Column(column)
	if len(time) == 0 || len(value) != len(time) {
		return Average{}, fmt.Errorf("%s: it has no rows with time and %s", path, column)
	}
	end := time[len(time)-1]
	if from == 0 && to == 0 {
		return averageHeld(time, value, holes(t.Column("step")), 0.5), nil
	}
	if slack := 1e-9 * (to - from); to > end+slack {
		return Average{}, fmt.Errorf("%s: it ends at %g, before the end of the mean at %g", path, end, to)
	}
	return averageBetween(time, value, holes(t.Column("step")), math.Max(from, time[0]), math.Min(to, end)), nil
}

// holes returns for each row whether that of the step before is missing between it and the row before; nil where none is.
func holes(step []float64) []bool {
	var out []bool
	for i := range step {
		if i > 0 && step[i] != step[i-1]+1 {
			if out == nil {
				out = make([]bool, len(step))
			}
			out[i] = true
		}
	}
	return out
}

// average returns the mean of a piecewise linear function over the last fraction of its time.
func average(time, value []float64, lastFraction float64) Average {
	return averageHeld(time, value, nil, lastFraction)
}

// averageHeld does so without the times before rows that have a hole before them.
func averageHeld(time, value []float64, hole []bool, lastFraction float64) Average {
	first, last := time[0], time[len(time)-1]
	return averageBetween(time, value, hole, last-lastFraction*(last-first), last)
}

// averageBetween does so from a time within the table to another one.
func averageBetween(time, value []float64, hole []bool, from, to float64) Average {
	a := Average{From: from, To: to, StdErr: math.NaN()}
	end := sort.SearchFloat64s(time, to)
	if end < len(time) && time[end] == to {
		end++
	}
	a.Rows = end - sort.SearchFloat64s(time, from)
	if hole != nil {
		clock := time
		time, from = withoutHoles(clock, hole, from)
		_, to = withoutHoles(clock, hole, to)
	}
	if to == from {
		a.Mean = value[max(end-1, 0)]
		return a
	}
	integral := newIntegral(time, value)
	length := (to - from) / batches
	means := make([]float64, batches)
	before := integral.to(from)
	start := before
	for i := range means {
		after := integral.to(from + float64(i+1)*length)
		means[i] = (after - before) / length
		before = after
	}
	a.Mean = (integral.to(to) - start) / (to - from)
	if a.Rows < rowsPerBatch*batches {
		return a
	}
	sum := 0.0
	for _, m := range means {
		sum += (m - a.Mean) * (m - a.Mean)
	}
	a.StdErr = math.Sqrt(sum / (batches * (batches - 1)))
	return a
}

// withoutHoles returns times on a clock that stands still within holes, and a time on that clock.
func withoutHoles(time []float64, hole []bool, at float64) (held []float64, heldAt float64) {
	held = make([]float64, len(time))
	held[0], heldAt = time[0], time[0]
	for i := 1; i < len(time); i++ {
		held[i] = held[i-1]
		if !hole[i] {
			held[i] += time[i] - time[i-1]
		}
		switch {
		case at >= time[i]:
			heldAt = held[i]
		case at > time[i-1] && !hole[i]:
			heldAt = held[i-1] + at - time[i-1]
		}
	}
	return held, heldAt
}

// integral is the integral over time of a piecewise linear function, from its first row.
type integral struct {
	time, value, sum []float64 // sum[i]: up to row i
}

func newIntegral(time, value []float64) *integral {
	sum := make([]float64, len(time))
	for i := 1; i < len(time); i++ {
		sum[i] = sum[i-1] + (value[i-1]+value[i])/2*(time[i]-time[i-1])
	}
	return &integral{time, value, sum}
}

// to returns the integral up to t, which is held within the rows.
func (f *integral) to(t float64) float64 {
	last := len(f.time) - 1
	i := sort.SearchFloat64s(f.time, t)
	switch {
	case i > last:
		return f.sum[last]
	case i == 0:
		return 0
	}
	s := (t - f.time[i-1]) / (f.time[i] - f.time[i-1])
	here := f.value[i-1] + s*(f.value[i]-f.value[i-1])
	return f.sum[i-1] + (f.value[i-1]+here)/2*(t-f.time[i-1])
}
