package series

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
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
	return &physics.Sample{Step: f.step, Time: float64(f.step) * 0.1, Dt: r.Float64(), Scalars: []physics.ScalarSample{{Hot: r.Float64(), Cold: r.Float64(),
		Volume: r.Float64(), Dissipation: math.NaN(), Mean: 0.5, In: -1.0 / 3, Gain: 2, Cycles: 3}}, SpeedRMS: r.Float64(),
		SpeedMax: r.ExpFloat64() * 1e-300, Streamfunction: math.NaN(), StreamfunctionMid: math.NaN(), Divergence: 1e-17,
		PressureCycles: 4}
}

func (f *fake) Profiles() (*physics.Profile, error) {
	s := float64(f.step)
	return &physics.Profile{Z: []float64{0, 0.5, 1}, Scalars: []physics.ScalarProfile{{Mean: []float64{1, s / 7, 0}, Carried: []float64{0, s / 3, 0}}}}, nil
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
		for name, want := range map[string]float64{"step": float64(step), "time": s.Time, "dt": s.Dt, "nusselt_hot": s.Heat().Hot,
			"speed_max": s.SpeedMax, "streamfunction_max": math.NaN(), "heat_in": s.Heat().In, "cycles_pressure": 4} {
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
