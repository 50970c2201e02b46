package series

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// writeNusselt writes a table with given times and Nusselt numbers at the hot wall; those at the cold one are 2 less.
func writeNusselt(t testing.TB, time, nusselt []float64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), SeriesName)
	b := []byte("time,nusselt_hot,nusselt_cold\n#1,1,1\n")
	for i := range time {
		b = format(b, []float64{time[i], nusselt[i] + 1, nusselt[i] - 1})
	}
	must(t, os.WriteFile(path, b, 0o666))
	return path
}

// The average is weighted by time, and exact for what is linear between rows.
func TestTimeAverageWeights(t *testing.T) {
	time := []float64{0, 1, 1.5, 1.75, 4}
	value := []float64{9, 2, 4, 4, 1}
	a, err := TimeAverage(writeNusselt(t, time, value), 0.5)
	must(t, err)
	// Over [2, 4]: at 2 the value is 4 - 3·0.25/2.25 = 11/3.
	if want := (11.0/3 + 1) / 2; math.Abs(a.Mean-want) > 1e-14 || a.From != 2 || a.To != 4 || a.Rows != 1 || !math.IsNaN(a.StdErr) {
		t.Errorf("%+v, want mean %g", a, want)
	}
	a, err = TimeAverage(writeNusselt(t, time, value), 1)
	must(t, err)
	if want := (5.5 + 1.5 + 1 + 2.5*2.25) / 4; math.Abs(a.Mean-want) > 1e-14 {
		t.Errorf("mean %g, want %g", a.Mean, want)
	}
	a, err = TimeAverage(writeNusselt(t, []float64{3}, []float64{7}), 0.5)
	must(t, err)
	if a.Mean != 7 || !math.IsNaN(a.StdErr) {
		t.Errorf("one row: %+v", a)
	}
}

// A ramp from 0 to 1 has the batch means (i + 1/2)/16, whose variance about 1/2 is 1.328125/15.
func TestTimeAverageOfRamp(t *testing.T) {
	var time, value []float64
	for i := range 161 {
		time, value = append(time, float64(i)), append(value, float64(i)/160)
	}
	a, err := TimeAverage(writeNusselt(t, time, value), 1)
	must(t, err)
	if want := math.Sqrt(1.328125 / 15 / 16); math.Abs(a.Mean-0.5) > 1e-14 || math.Abs(a.StdErr-want) > 1e-14 {
		t.Errorf("%+v, want an error of %g", a, want)
	}
}

// A constant has no error; an undefined Nusselt number has no average.
func TestTimeAverageLimits(t *testing.T) {
	var time, constant, undefined []float64
	for i := range 100 {
		time, constant, undefined = append(time, float64(i)), append(constant, 3), append(undefined, math.NaN())
	}
	a, err := TimeAverage(writeNusselt(t, time, constant), 0.5)
	must(t, err)
	if a.Mean != 3 || a.StdErr > 1e-14 {
		t.Errorf("constant: %+v", a)
	}
	a, err = TimeAverage(writeNusselt(t, time, undefined), 0.5)
	must(t, err)
	if !math.IsNaN(a.Mean) || !math.IsNaN(a.StdErr) {
		t.Errorf("undefined: %+v", a)
	}
	if _, err := TimeAverage(writeNusselt(t, []float64{0, 2, 1}, []float64{1, 1, 1}), 0.5); err == nil {
		t.Error("time that goes back is accepted")
	}
}

// The mean of an Ornstein–Uhlenbeck process of variance 1 and correlation time τ over a time T >> τ has the standard
// error √(2τ/T). Batch means must find it, sampled finely or coarsely, evenly or not; taking the rows for
// independent would be wrong by a factor of ten.
func TestTimeAverageError(t *testing.T) {
	const tau, window = 1.0, 400.0
	random := rand.New(rand.NewPCG(3, 4))
	ratio, deviation, runs := 0.0, 0.0, 60
	for range runs {
		var time, value []float64
		now, x := 0.0, random.NormFloat64()
		for now < 2*window {
			time, value = append(time, now), append(value, 5+x)
			dt := 0.01 + 0.08*random.Float64()
			decay := math.Exp(-dt / tau)
			x = decay*x + math.Sqrt(1-decay*decay)*random.NormFloat64()
			now += dt
		}
		a := average(time, value, 0.5)
		ratio += a.StdErr * a.StdErr / float64(runs)
		deviation += (a.Mean - 5) * (a.Mean - 5) / float64(runs)
	}
	exact := 2 * tau / window
	// The variance of 15 degrees of freedom over 60 runs scatters by 5 %, the squared deviations by 18 %; batches of
	// 25 τ lack 4 % of the variance.
	if r := ratio / exact; math.Abs(r-1) > 0.2 {
		t.Errorf("mean squared standard error is %.3f of the exact one", r)
	}
	if r := deviation / exact; math.Abs(r-1) > 0.6 {
		t.Errorf("the means scatter with %.3f of the exact variance", r)
	}
}
