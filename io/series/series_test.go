package series

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"convect/physics"
)

// fake is a Source whose numbers depend on the step alone.
type fake struct{ step int64 }

func (f *fake) Step() int64 { return f.step }
func (f *fake) Sample() *physics.Sample {
	r := rand.New(rand.NewPCG(uint64(f.step), 2))
	return &physics.Sample{Step: f.step, Time: float64(f.step) * 0.1, Dt: r.Float64(), NusseltHot: r.Float64(),
		NusseltCold: r.Float64(), NusseltVolume: r.Float64(), NusseltDissipation: math.NaN(), SpeedRMS: r.Float64(),
		SpeedMax: r.ExpFloat64() * 1e-300, Streamfunction: math.NaN(), StreamfunctionMid: math.NaN(), Divergence: 1e-17,
		TemperatureMean: 0.5, HeatIn: -1.0 / 3, HeatGain: 2, PressureCycles: 4, DiffusionCycles: 3}
}

func (f *fake) Profiles() (*physics.Profile, error) {
	s := float64(f.step)
	return &physics.Profile{Z: []float64{0, 0.5, 1}, T: []float64{1, s / 7, 0}, WT: []float64{0, s / 3, 0}}, nil
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// clock makes each look at the time a second later.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time {
	c.now = c.now.Add(time.Second)
	return c.now
}

func newWriter(t testing.TB, dir string) *Writer {
	t.Helper()
	w, err := New(Options{Dir: dir, Dimensions: 3, Now: (&clock{}).Now})
	must(t, err)
	return w
}

// run lets a writer observe the steps after first up to last, with output at multiples of 5; a new run starts at 0.
func run(t testing.TB, w *Writer, first, last int64) {
	t.Helper()
	must(t, w.observe(&fake{first}, physics.Event{Start: true, Output: first == 0}))
	for step := first + 1; step <= last; step++ {
		must(t, w.observe(&fake{step}, physics.Event{Output: step%5 == 0}))
	}
}

func text(t testing.TB, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	must(t, err)
	return string(data)
}

// exact is the text of series.csv without wall_seconds.
func exact(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(text(t, dir, SeriesName)) {
		b.WriteString(line[:strings.LastIndexByte(line, ',')] + "\n")
	}
	return b.String()
}

func TestText(t *testing.T) {
	dir := t.TempDir()
	w := newWriter(t, dir)
	run(t, w, 0, 5)
	must(t, w.Close())
	lines := strings.Split(text(t, dir, SeriesName), "\n")
	want := "step,time,dt,nusselt_hot,nusselt_cold,nusselt_volume,nusselt_dissipation,speed_rms,speed_max," +
		"streamfunction_max,divergence_max,temperature_mean,heat_in,heat_gain,cycles_pressure,cycles_diffusion,wall_seconds"
	if lines[0] != want {
		t.Errorf("columns %s", lines[0])
	}
	if lines[1] != "#1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,s" {
		t.Errorf("units %s", lines[1])
	}
	if len(lines) != 2+6+1 || !strings.HasPrefix(lines[7], "5,0.5,") || !strings.HasSuffix(lines[7], ",0.5,-0.33333333333333331,2,4,3,6") {
		t.Errorf("%d lines, the last row is %s", len(lines), lines[7])
	}
	if diff := cmp.Diff(`step,time,z,temperature,heat_flux
#1,1,1,1,1
0,0,0,1,0
0,0,0.5,0,0
0,0,1,0,0
5,0.5,0,1,0
5,0.5,0.5,0.7142857142857143,1.6666666666666667
5,0.5,1,0,0
`, text(t, dir, ProfilesName)); diff != "" {
		t.Errorf("profiles (-want +got):\n%s", diff)
	}
}

// Every value reads back to the same bits; what is undefined is empty.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	run(t, newWriter(t, dir), 0, 20)
	table, err := Read(filepath.Join(dir, SeriesName))
	must(t, err)
	if table.Rows() != 21 {
		t.Fatalf("%d rows", table.Rows())
	}
	for step := range int64(21) {
		s := (&fake{step}).Sample()
		for name, want := range map[string]float64{"step": float64(step), "time": s.Time, "dt": s.Dt, "nusselt_hot": s.NusseltHot,
			"speed_max": s.SpeedMax, "streamfunction_max": math.NaN(), "heat_in": s.HeatIn, "cycles_pressure": 4} {
			if got := table.Column(name)[step]; math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("step %d: %s is %.17g, want %.17g", step, name, got, want)
			}
		}
	}
	if table.Column("none") != nil {
		t.Error("there is a column called none")
	}
}

func TestUnits(t *testing.T) {
	d := physics.Dimensional{Permeability: 1e-12, Viscosity: 1e-3, Density: 1000, Expansivity: 2e-4, TemperatureDifference: 50,
		Height: 100, Conductivity: 2, HeatCapacity: 4000, Porosity: 0.1, Gravity: 9.81}
	s := d.Scales()
	for dimensions, heat := range map[int]string{2: "W/m", 3: "W"} {
		dir := t.TempDir()
		w, err := New(Options{Dir: dir, Scales: s, Dimensions: dimensions})
		must(t, err)
		run(t, w, 0, 5)
		table, err := Read(filepath.Join(dir, SeriesName))
		must(t, err)
		want := []string{"1", "s", "s", "1", "1", "1", "1", "m/s", "m/s", "m2/s", "1/s", "K", heat, heat, "1", "1", "s"}
		if diff := cmp.Diff(want, table.Units); diff != "" {
			t.Errorf("units (-want +got):\n%s", diff)
		}
		// A unit of heat flow is ρ c ΔT H^n per diffusive time H²/κ.
		unit := 1000 * 4000 * 50 * math.Pow(100, float64(dimensions)) / s.Time
		if got := table.Column("heat_gain")[3] / 2; math.Abs(got/unit-1) > 1e-12 {
			t.Errorf("unit of heat flow %g, want %g", got, unit)
		}
		if got, want := table.Column("divergence_max")[3], 1e-17/s.Time; math.Abs(got/want-1) > 1e-12 {
			t.Errorf("divergence %g, want %g", got, want)
		}
		profiles, err := Read(filepath.Join(dir, ProfilesName))
		must(t, err)
		if diff := cmp.Diff([]string{"1", "s", "m", "K", "K m/s"}, profiles.Units); diff != "" {
			t.Errorf("units of profiles (-want +got):\n%s", diff)
		}
		if got := profiles.Column("z")[2]; got != 100 {
			t.Errorf("height %g", got)
		}
	}
}

// However a run is torn, cutting at a checkpoint and running on gives the tables of an uninterrupted run.
func TestCutAndResume(t *testing.T) {
	whole := t.TempDir()
	run(t, newWriter(t, whole), 0, 23)
	for _, torn := range []struct{ series, profiles string }{
		{"", ""}, {"18,1.8000000000000000", "20,2,0"}, {"18", "20,2,0,1,0\n20,2,0.5,2.8"},
		{"\x00\x00\x00\n\x00\x00", "20,\n\x00\x00"},
	} {
		dir := t.TempDir()
		w := newWriter(t, dir)
		run(t, w, 0, 17)
		must(t, w.Sync(17))
		appendTo(t, filepath.Join(dir, SeriesName), torn.series)
		appendTo(t, filepath.Join(dir, ProfilesName), torn.profiles)
		must(t, Cut(dir, 12))
		w = newWriter(t, dir)
		run(t, w, 12, 23)
		if diff := cmp.Diff(exact(t, whole), exact(t, dir)); diff != "" {
			t.Errorf("series (-uninterrupted +resumed):\n%s", diff)
		}
		if diff := cmp.Diff(text(t, whole, ProfilesName), text(t, dir, ProfilesName)); diff != "" {
			t.Errorf("profiles (-uninterrupted +resumed):\n%s", diff)
		}
		// Wall time goes on from that of the row of the checkpoint: 13 s there, then a second a row.
		if steps, seconds := w.Elapsed(); steps != 23 || seconds != 13+11 {
			t.Errorf("%d steps in %g s", steps, seconds)
		}
	}
}

func appendTo(t testing.TB, path, s string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(s)
	must(t, err, f.Close())
}

// Without a cut a torn line goes, and nothing else.
func TestTornLine(t *testing.T) {
	dir := t.TempDir()
	run(t, newWriter(t, dir), 0, 5)
	want := text(t, dir, SeriesName)
	appendTo(t, filepath.Join(dir, SeriesName), "6,0.6,1.2")
	table, err := Read(filepath.Join(dir, SeriesName))
	must(t, err)
	if table.Rows() != 6 {
		t.Errorf("%d rows", table.Rows())
	}
	newWriter(t, dir)
	if got := text(t, dir, SeriesName); got != want {
		t.Errorf("the table is now\n%s", got)
	}
	must(t, os.Truncate(filepath.Join(dir, SeriesName), 100)) // within the header
	must(t, Cut(dir, 5))
	run(t, newWriter(t, dir), 5, 6)
	if got := strings.Count(text(t, dir, SeriesName), "\n"); got != 3 {
		t.Errorf("%d lines after a torn header", got)
	}
}

func TestCut(t *testing.T) {
	dir := t.TempDir()
	must(t, Cut(dir, 3), Cut(dir, -1)) // nothing there
	run(t, newWriter(t, dir), 0, 5)
	must(t, Cut(dir, -1))
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("%d files after everything was cut", len(files))
	}
	// A row that a checkpoint relies on is not dropped silently.
	path := filepath.Join(dir, SeriesName)
	run(t, newWriter(t, dir), 0, 5)
	must(t, os.WriteFile(path, []byte(strings.Replace(text(t, dir, SeriesName), "\n3,", "\n3;", 1)), 0o666))
	err := Cut(dir, 4)
	if err == nil || !strings.Contains(err.Error(), path+":6: ") {
		t.Errorf("error %v, want %s:6", err, path)
	}
	must(t, Cut(dir, 2))
}

// A table with other columns, or rows later than the start, is refused.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, SeriesName), []byte("step,time\n#1,1\n0,0\n"), 0o666))
	if _, err := New(Options{Dir: dir, Dimensions: 2}); err == nil || !strings.Contains(err.Error(), "other columns") {
		t.Errorf("error %v", err)
	}
	dir = t.TempDir()
	run(t, newWriter(t, dir), 0, 5)
	err := newWriter(t, dir).observe(&fake{3}, physics.Event{Start: true})
	if err == nil || !strings.Contains(err.Error(), "step 5") {
		t.Errorf("error %v", err)
	}
	if _, err := New(Options{Dir: filepath.Join(dir, "none"), Dimensions: 2}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if _, err := New(Options{Dir: t.TempDir()}); err == nil {
		t.Error("a case without dimensions is accepted")
	}
}

// A checkpoint of a step whose row is not there is refused.
func TestSync(t *testing.T) {
	w := newWriter(t, t.TempDir())
	run(t, w, 0, 5)
	must(t, w.Sync(5))
	if err := w.Sync(6); err == nil {
		t.Error("synced a step without a row")
	}
	// A run resumed in another directory has no row of its first step, which is fine.
	w = newWriter(t, t.TempDir())
	run(t, w, 7, 7)
	must(t, w.Sync(7))
	run(t, w, 7, 10)
	if steps, _ := w.Elapsed(); steps != 3 {
		t.Errorf("%d steps", steps)
	}
}

// The end of a run whose last step was observed before adds nothing.
func TestRowsOnce(t *testing.T) {
	dir := t.TempDir()
	w := newWriter(t, dir)
	run(t, w, 0, 5)
	before := text(t, dir, SeriesName) + text(t, dir, ProfilesName)
	must(t, w.observe(&fake{5}, physics.Event{Output: true, End: true}))
	if after := text(t, dir, SeriesName) + text(t, dir, ProfilesName); after != before {
		t.Errorf("tables grew:\n%s", cmp.Diff(before, after))
	}
}

// On a full disk the table ends with a whole row, and no checkpoint can follow.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	w := newWriter(t, dir)
	run(t, w, 0, 3)
	before := text(t, dir, SeriesName)
	release := limitFileSize(t, uint64(len(before)+50))
	err := w.observe(&fake{4}, physics.Event{})
	release()
	if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), SeriesName) {
		t.Errorf("error %v, want EFBIG and the path", err)
	}
	if after := text(t, dir, SeriesName); after != before {
		t.Errorf("the table changed:\n%s", cmp.Diff(before, after))
	}
	if err := w.Sync(3); err == nil {
		t.Error("synced after a failure")
	}
}

func limitFileSize(t *testing.T, bytes uint64) (release func()) {
	t.Helper()
	var old syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: old.Max}); err != nil {
		t.Skip(err)
	}
	return func() {
		must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old))
		signal.Reset(syscall.SIGXFSZ)
	}
}

func TestReadErrors(t *testing.T) {
	for content, want := range map[string]string{
		"":                          "no header",
		"step,time\n":               "no header",
		"step,time\n0,0\n":          ":2: ",
		"step,time\n#1,1\n0,0\n1\n": ":4: ",
		"step,time\n#1,1\n0,zero\n": `"zero" is no number`,
	} {
		path := filepath.Join(t.TempDir(), SeriesName)
		must(t, os.WriteFile(path, []byte(content), 0o666))
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: error %v, want %q and the path", content, err, want)
		}
	}
}

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

func TestSummary(t *testing.T) {
	sample := (&fake{20}).Sample()
	sample.NusseltHot, sample.NusseltCold, sample.StreamfunctionMid = 3, 2, -1.5
	s := Summarise(sample, Average{Mean: 2.5, StdErr: math.NaN()}, physics.Nondimensional(), 1000, 20, 4)
	s.Device, s.Precision, s.Version, s.Steady, s.Rayleigh = "cpu", "float64", "v1", true, 100
	path := filepath.Join(t.TempDir(), SummaryName)
	must(t, s.Write(path))
	content := text(t, filepath.Dir(path), SummaryName)
	for _, want := range []string{`"nusselt": 2.5,`, `"nusselt_hot": 3,`, `"nusselt_cold": 2,`, `"nusselt_dissipation": null,`,
		`"nusselt_mean": 2.5,`, `"nusselt_stderr": null,`, `"psi_max": null,`, `"psi_centre": -1.5,`, `"time": 2,`, `"steps": 20,`,
		`"steady": true,`, `"wall_seconds": 4,`, `"nodes": 1000,`, `"node_steps_per_second": 5000,`, `"device": "cpu",`,
		`"precision": "float64",`, `"version": "v1"`, `"nusselt_volume": `} {
		if !strings.Contains(content, want) {
			t.Errorf("no %s in\n%s", want, content)
		}
	}
	back, err := ReadSummary(path)
	must(t, err)
	if fmt.Sprint(back) != fmt.Sprint(s) { // NaN differs from itself, but not in print
		t.Errorf("read back\n%+v, want\n%+v", back, s)
	}
	must(t, os.WriteFile(path, []byte("{"), 0o666))
	if _, err := ReadSummary(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}
