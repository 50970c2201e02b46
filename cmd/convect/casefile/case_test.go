package casefile

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"convect/kernels"
	"convect/multigrid"
	"convect/physics"
	"convect/stencil"
)

// load decodes and builds a case made of the base case and changes.
func load(t *testing.T, changes string, overrides ...string) *Case {
	t.Helper()
	c, err := Parse(filepath.Join(t.TempDir(), "case.yaml"), []byte(withSections(changes)), overrides)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Build(BuildOptions{}); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDefaults(t *testing.T) {
	c := load(t, "")
	p := &c.Parameters
	if want := (stencil.Extent{Cells: [3]int{8, 0, 4}, Size: [3]float64{2, 0, 1}}); p.Extent != want {
		t.Errorf("extent %+v, want %+v", p.Extent, want)
	}
	if p.Transport != kernels.TVD || p.Precision != kernels.Float64 || !p.Mixed || p.Pressure != (multigrid.Options{Tolerance: 1e-8}) {
		t.Errorf("transport %v, precision %v, pressure %+v", p.Transport, p.Precision, p.Pressure)
	}
	if want := (physics.Controls{End: 1, Courant: 0.5}); !cmp.Equal(c.Controls, want) {
		t.Errorf("controls %+v, want %+v", c.Controls, want)
	}
	if want := (Checkpoint{Wall: 10 * time.Minute, Keep: 2}); c.Checkpoint != want {
		t.Errorf("checkpoint %+v, want %+v", c.Checkpoint, want)
	}
	if want := (Output{Fields: []string{"temperature", "pressure", "velocity"}}); !cmp.Equal(c.Output, want) {
		t.Errorf("output %+v, want %+v", c.Output, want)
	}
	if !p.Initial.Conduction || p.HeatSource != nil || p.Permeability.Constant != [3]float64{1, 1, 1} {
		t.Errorf("initial %+v, source %v, permeability %v", p.Initial, p.HeatSource, p.Permeability)
	}
	for side, want := range map[kernels.Side]float64{kernels.Bottom: 1, kernels.Top: 0} {
		w := p.Walls[side]
		if w.Heat != physics.FixedTemperature || w.Flow != physics.Closed || w.HeatValue(0, 0, 0, 0) != want {
			t.Errorf("%s: %+v", side, w)
		}
	}
	if w := p.Walls[kernels.Left]; w.Heat != physics.HeatFlux || w.HeatValue != nil || w.Flow != physics.Closed {
		t.Errorf("left: %+v is not insulated and closed", w)
	}
}

func TestEveryKey(t *testing.T) {
	c := load(t, `title: Everything
grid: {cells: [8, 6, 4], size: [2, 1.5, 1]}
physics:
  rayleigh: -50
  permeability: [1, 2, 0.5*(1 + z)]
  porosity: 0.2
  heat_capacity_ratio: 0.3 + 0.1*x
  viscosity: 2
  diffusivity: [1, 1, 2]
  heat_source: 3*z
boundaries:
  bottom: {heat_flux: "1 + t", flow: {velocity: "x < 1 ? 1 : 0"}, inflow_temperature: 0.5}
  top: {temperature: 0, flow: open}
  sides: periodic
  patches:
    - {wall: top, x: [0.5, 1], y: [0, 1], temperature: 1, flow: closed}
    - {wall: top, x: [1, 1.5], flow: {pressure: 7}, inflow_temperature: 2}
initial:
  temperature: 1 - z
  perturbation: {mode: [1, 2, 3], amplitude: 0.01, noise: 0.001, seed: 5}
time: {end: 2, cfl: 0.4, first_step: 1e-5, max_step: 0.01, steady: 1e-6}
solver:
  stencil: 27
  transport: central
  precision: float32
  pressure: {method: cg, tolerance: 1e-6, cycle: FMG, smoother: chebyshev, pre: 2, post: 2, max_iterations: 50}
output:
  every: {times: [0.5, 1.5]}
  fields: [velocity, temperature]
  precision: float64
  compress: true
  ends: false
checkpoint: {every: {steps: 100}, keep: 3, end: false}
`)
	p := &c.Parameters
	if c.Title != "Everything" || p.Rayleigh != -50 {
		t.Errorf("title %q, Rayleigh %g", c.Title, p.Rayleigh)
	}
	if want := (stencil.Extent{Cells: [3]int{8, 6, 4}, Size: [3]float64{2, 1.5, 1}, Periodic: [3]bool{true, true, false}}); p.Extent != want {
		t.Errorf("extent %+v, want %+v", p.Extent, want)
	}
	top := 8 * 6 * 3 // first cell of the top layer, centre at z = 0.875
	if k := p.Permeability.Cells; k[0][top] != 0.5 || k[1][top] != 1 || math.Abs(k[2][top]-0.25*1.875) > 1e-15 {
		t.Errorf("permeability over viscosity %g %g %g", k[0][top], k[1][top], k[2][top])
	}
	if phi := p.HeatCapacityRatio.Cells[0][1]; math.Abs(phi-(0.3+0.1*0.375)) > 1e-15 {
		t.Errorf("heat-capacity ratio %g", phi)
	}
	if p.Diffusivity.Constant != [3]float64{1, 1, 2} || p.HeatSource(0, 0, 0.5, 0) != 1.5 {
		t.Errorf("diffusivity %v, source %g", p.Diffusivity.Constant, p.HeatSource(0, 0, 0.5, 0))
	}
	bottom := p.Walls[kernels.Bottom]
	if bottom.Heat != physics.HeatFlux || bottom.HeatValue(0, 0, 0, 3) != 4 || !bottom.Varies || bottom.Flow != physics.FixedVelocity ||
		bottom.FlowValue(0.5, 0, 0, 0) != 1 || bottom.FlowValue(1.5, 0, 0, 0) != 0 || bottom.Inflow(0, 0, 0, 0) != 0.5 {
		t.Errorf("bottom %+v", bottom)
	}
	if w := p.Walls[kernels.Top]; w.Flow != physics.Open || w.Varies || w.Inflow != nil {
		t.Errorf("top %+v", w)
	}
	if len(p.Patches) != 2 {
		t.Fatalf("%d patches", len(p.Patches))
	}
	a, b := p.Patches[0], p.Patches[1]
	if a.Side != kernels.Top || !a.Heat || !a.Flow || a.Range[0] != [2]float64{0.5, 1} || a.Range[1] != [2]float64{0, 1} || a.Wall.Flow != physics.Closed {
		t.Errorf("first patch %+v", a)
	}
	if b.Heat || !b.Flow || b.Wall.FlowValue(0, 0, 0, 0) != 7 || b.Wall.Inflow(0, 0, 0, 0) != 2 || !math.IsInf(b.Range[1][0], -1) {
		t.Errorf("second patch %+v", b)
	}
	in := p.Initial
	if in.Conduction || in.Temperature(0, 0, 0.25, 0) != 0.75 || in.Mode != [3]int{1, 2, 3} || in.Amplitude != 0.01 || in.Noise != 0.001 || in.Seed != 5 {
		t.Errorf("initial %+v", in)
	}
	want := physics.Controls{End: 2, Courant: 0.4, FirstStep: 1e-5, MaxStep: 0.01, Steady: 1e-6, Output: physics.Schedule{Times: []float64{0.5, 1.5}}}
	if !cmp.Equal(c.Controls, want) {
		t.Errorf("controls %+v, want %+v", c.Controls, want)
	}
	solver := multigrid.Options{Method: multigrid.ConjugateGradients, Cycle: multigrid.FullMultigrid, Smoother: multigrid.Chebyshev, Pre: 2, Post: 2, Tolerance: 1e-6, MaxIterations: 50}
	if p.Pressure != solver || p.Diffusion != (multigrid.Options{}) || p.Stencil != kernels.TwentySevenPoint || p.Transport != kernels.Central || p.Precision != kernels.Float32 || p.Mixed {
		t.Errorf("pressure %+v, diffusion %+v, transport %v, precision %v", p.Pressure, p.Diffusion, p.Transport, p.Precision)
	}
	if want := (Output{Fields: []string{"velocity", "temperature"}, Precision: kernels.Float64, Compress: true, Scheduled: true}); !cmp.Equal(c.Output, want) {
		t.Errorf("output %+v, want %+v", c.Output, want)
	}
	if want := (Checkpoint{Steps: 100, Keep: 3, Unended: true}); c.Checkpoint != want {
		t.Errorf("checkpoint %+v, want %+v", c.Checkpoint, want)
	}
}

func TestOtherForms(t *testing.T) {
	c := load(t, `physics:
  rayleigh: 1e2
  permeability: {layers: [{top: 0.5, value: 2}, {top: 1, value: [3, 4]}]}
boundaries:
  left: {periodic: true}
  right: periodic
initial:
  perturbation: {noise: 0.1}
output: {every: {steps: 7}}
checkpoint: {every: {time: 0.25}}
`)
	if k := c.Parameters.Permeability.Cells; k[0][0] != 2 || k[2][0] != 2 || k[0][31] != 3 || k[2][31] != 4 {
		t.Errorf("layers give %v", k)
	}
	if !c.Parameters.Extent.Periodic[0] || c.Parameters.Initial.Noise != 0.1 || c.Parameters.Initial.Seed != 1 {
		t.Errorf("periodic %v, initial %+v", c.Parameters.Extent.Periodic, c.Parameters.Initial)
	}
	if c.Controls.Output.Steps != 7 || c.Checkpoint.Time != 0.25 || c.Checkpoint.Wall != 0 {
		t.Errorf("output %+v, checkpoint %+v", c.Controls.Output, c.Checkpoint)
	}
	c = load(t, "physics: {rayleigh: 1, permeability: {lognormal: {variance: 1, correlation: 0.1, seed: 3}}}\noutput: {every: {time: 0.1}}\ncheckpoint: {every: 90s}\n")
	if !c.Parameters.Permeability.Varies() || c.Controls.Output.Interval != 0.1 || c.Checkpoint.Wall != 90*time.Second {
		t.Errorf("varies %v, output %+v, checkpoint %+v", c.Parameters.Permeability.Varies(), c.Controls.Output, c.Checkpoint)
	}
}

// A retired key without a value, as files of earlier versions may hold it, is none.
func TestRetiredKeysWithoutValue(t *testing.T) {
	got := load(t, "solver: {pressure: {subiterations: null, overlap: null, block: null, max_iterations: 7}}\n").Parameters.Pressure
	if got.MaxIterations != 7 {
		t.Errorf("%+v", got)
	}
}

// Vertical lines serve both stencils.
func TestLinesWith27Points(t *testing.T) {
	for text, want := range map[string]multigrid.Options{
		"{stencil: 27, pressure: {method: cg, smoother: line}}": {Method: multigrid.ConjugateGradients, Smoother: multigrid.Line},
		"{stencil: 27, pressure: {method: line-cg}}":            {Method: multigrid.LineGradients},
	} {
		got := load(t, "solver: "+text+"\n").Parameters.Pressure
		if got.Method != want.Method || got.Smoother != want.Smoother {
			t.Errorf("%s: %s, %s", text, got.Method, got.Smoother)
		}
	}
}

func TestExplicitWallWinsOverSides(t *testing.T) {
	c := load(t, "boundaries:\n  sides: {temperature: 3, flow: open}\n  left: {heat_flux: 2}\n")
	left, right := c.Parameters.Walls[kernels.Left], c.Parameters.Walls[kernels.Right]
	if left.Heat != physics.HeatFlux || left.HeatValue(0, 0, 0, 0) != 2 || left.Flow != physics.Closed {
		t.Errorf("left %+v", left)
	}
	if right.Heat != physics.FixedTemperature || right.Flow != physics.Open {
		t.Errorf("right %+v", right)
	}
}

func TestDimensional(t *testing.T) {
	c := load(t, `grid: {cells: [20, 10], size: [2000, 1000]}
physics:
  dimensional:
    permeability: 1e-14
    viscosity: 2e-4
    density: 950
    expansivity: 8e-4
    temperature_difference: 200
    height: 1000
    conductivity: 2.5
    heat_capacity: 4200
    rock_density: 2600
    rock_heat_capacity: 840
    gravity: 9.81
  porosity: 0.1 + z/10000
  heat_source: 1e-6*x
  permeability: {layers: [{top: 400, value: 1e-14}, {top: 1000, value: 3e-14}]}
boundaries:
  bottom: {temperature: "200 + t/1e10"}
  top: {temperature: 0, flow: {pressure: 1e5}}
  left: {heat_flux: 0.08, flow: {velocity: 1e-9}}
  patches: [{wall: bottom, x: [500, 1500], temperature: 250}]
initial: {temperature: 200 - z/5, perturbation: {noise: 1}}
time: {end: 1e13, max_step: 1e11}
output: {every: {times: [1e12, 2e12]}}
`)
	p, kappa := &c.Parameters, 2.5/(950*4200.0)
	rayleigh := 1e-14 * 950 * 9.81 * 8e-4 * 200 * 1000 / (2e-4 * kappa)
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("%s = %g, want %g", name, got, want)
		}
	}
	hour := 1000 * 1000 / kappa // the unit of time
	near("Ra", p.Rayleigh, rayleigh)
	near("length", p.Extent.Size[0], 2)
	near("height", p.Extent.Size[2], 1)
	near("heat-capacity ratio", p.HeatCapacityRatio.Cells[0][0], 0.105+0.895*(2600*840)/(950*4200.0))
	near("permeability", p.Permeability.Cells[2][len(p.Permeability.Cells[2])-1], 3)
	near("source", p.HeatSource(0.5, 0, 0, 0), 1e-6*500*1000*1000/(2.5*200))
	near("bottom", p.Walls[kernels.Bottom].HeatValue(0, 0, 0, 1e12/hour), 1.5)
	near("pressure", p.Walls[kernels.Top].FlowValue(0, 0, 0, 0), 1e5*1e-14/(2e-4*kappa))
	near("flux", p.Walls[kernels.Left].HeatValue(0, 0, 0, 0), 0.08*1000/(2.5*200))
	near("velocity", p.Walls[kernels.Left].FlowValue(0, 0, 0, 0), 1e-9*1000/kappa)
	near("patch", p.Patches[0].Range[0][1], 1.5)
	near("patch temperature", p.Patches[0].Wall.HeatValue(0, 0, 0, 0), 1.25)
	near("initial", p.Initial.Temperature(0, 0, 0.5, 0), 0.5)
	near("noise", p.Initial.Noise, 1.0/200)
	near("end", c.Controls.End, 1e13/hour)
	near("output", c.Controls.Output.Times[1], 2e12/hour)
	near("layer", p.Permeability.Cells[0][39+40], 1)
	near("layer above", p.Permeability.Cells[0][199], 3)
	near("time scale", c.Scales.Time, hour)
}

func TestOverrides(t *testing.T) {
	c := load(t, "boundaries:\n  bottom: {temperature: 1}\n  patches:\n    - {wall: top, x: [0, 1], temperature: 1}\ntime: {end: 1, max_step: 0.1}\n",
		"physics.rayleigh=200", "grid.cells=[16, 8]", "boundaries.patches[0].x=[0.5, 1]", "boundaries.patches.0.temperature=2",
		"boundaries.top={temperature: 0.5}", "time.max_step=", "output.every.steps=3", "grid.size[0]=4", "physics.rayleigh=300")
	p := &c.Parameters
	if p.Rayleigh != 300 || p.Extent.Cells != [3]int{16, 0, 8} || p.Extent.Size[0] != 4 || c.Controls.MaxStep != 0 || c.Controls.Output.Steps != 3 {
		t.Errorf("Ra %g, extent %+v, controls %+v", p.Rayleigh, p.Extent, c.Controls)
	}
	if p.Patches[0].Range[0] != [2]float64{0.5, 1} || p.Patches[0].Wall.HeatValue(0, 0, 0, 0) != 2 || p.Walls[kernels.Top].HeatValue(0, 0, 0, 0) != 0.5 {
		t.Errorf("patch %+v, top %+v", p.Patches[0], p.Walls[kernels.Top])
	}
}

func TestTextAsRun(t *testing.T) {
	const text = `# what this is
title: "50 % : a [title]" # odd

grid:
  cells: [8, 4] # few
  size: [2, 1]
physics:
  rayleigh: 100
  permeability: {file: k.h5, dataset: /k}
  heat_source: |
    1 +
    x
boundaries:
  # walls
  bottom: {temperature: "x < 1 ? 1 : 0"}
  patches:
    # the first
    - wall: top
      x: [0, 1] # half
      temperature: 1
    - {wall: top, x: [1, 2], temperature: 2*x}
time:
  end: 1
`
	dir := t.TempDir()
	c, err := Parse(filepath.Join(dir, "case.yaml"), []byte(text), []string{"physics.rayleigh=200", "title='x # y'", "time.cfl=0.25"})
	if err != nil {
		t.Fatal(err)
	}
	want := `# case.yaml as run, with --set physics.rayleigh=200 --set title='x # y' --set time.cfl=0.25 absolute paths
# what this is
title: "x # y"  # odd
grid:
  cells: [8, 4]  # few
  size: [2, 1]
physics:
  rayleigh: 200
  permeability: {file: DIR/k.h5, dataset: /k}
  heat_source: "1 +\nx\n"
boundaries:
  # walls
  bottom: {temperature: "x < 1 ? 1 : 0"}
  patches:
    # the first
    - wall: top
      x: [0, 1]  # half
      temperature: 1
    - {wall: top, x: [1, 2], temperature: 2*x}
time:
  end: 1
  cfl: 0.25
`
	if diff := cmp.Diff(want, strings.ReplaceAll(c.Text, dir, "DIR")); diff != "" {
		t.Errorf("text as run (-want +got):\n%s", diff)
	}
	again, err := Parse("elsewhere/case.yaml", []byte(c.Text), nil)
	if err != nil {
		t.Fatalf("the text as run is no case: %v\n%s", err, c.Text)
	}
	if again.Text != c.Text {
		t.Errorf("the text as run changes when it is run again:\n%s", cmp.Diff(c.Text, again.Text))
	}
	if d := Differences(c, again); len(d) > 0 {
		t.Errorf("the text as run differs in %v", d)
	}
}

func TestTextUnchanged(t *testing.T) {
	text := "# mine\n" + withSections("")
	c, err := Parse("case.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Text != text {
		t.Errorf("the text was changed:\n%s", cmp.Diff(text, c.Text))
	}
}

func TestDifferences(t *testing.T) {
	a := load(t, "")
	b := load(t, "", "physics.rayleigh=7", "time.end=2", "grid.cells=[8, 8]", "solver.transport=tvd")
	if diff := cmp.Diff([]string{"grid.cells[1]", "physics.rayleigh", "solver.transport", "time.end"}, Differences(a, b)); diff != "" {
		t.Error(diff)
	}
	if d := Differences(a, load(t, "")); len(d) > 0 {
		t.Errorf("the same case differs in %v", d)
	}
}

func TestByteOrderMark(t *testing.T) {
	text := "\ufeff" + withSections("")
	c, err := Parse("case.yaml", []byte(text), nil)
	if err != nil || c.Text != text {
		t.Errorf("a file with a byte order mark is not read as it is: %v", err)
	}
}

func TestName(t *testing.T) {
	for path, want := range map[string]string{
		"runs/cube/case.yaml": "cube", "cube.yaml": "cube", "a/b/warm.case.yml": "warm.case", "/case.yaml": "case", "cube.out/case.yaml": "cube",
		"cube.out/checkpoints/ckpt_000100.h5": "cube", "ckpt_000100.h5": "ckpt_000100",
		"checkpoints/warm.yaml": "warm",
	} {
		if got := Name(path); got != want {
			t.Errorf("Name(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestReferenceHasEveryKey(t *testing.T) {
	text, err := os.ReadFile("../../../docs/case-file.md")
	if err != nil {
		t.Fatal(err)
	}
	for section, keys := range schema([]string{"NAME"}) {
		for _, key := range keys {
			path := join(section, key)
			if slices.Contains([]string{"left", "right", "front", "back", "top", "sides"}, strings.TrimPrefix(section, "boundaries.")) ||
				strings.HasPrefix(section, "boundaries.") && strings.Count(section, ".") > 1 && !strings.HasPrefix(section, "boundaries.bottom.") ||
				slices.Contains([]string{"grid.grading.y", "grid.grading.z"}, section) || strings.HasPrefix(section, "physics.dispersion.") ||
				slices.Contains(fieldFileKeys(), key) && section != "physics.permeability" && strings.HasPrefix(section, "physics.") ||
				slices.Contains(fieldFileKeys()[1:], key) && strings.HasPrefix(section, "initial.") {
				continue // the same as those of bottom, of x, of all scalars or of the permeability
			}
			if !strings.Contains(string(text), "`"+path+"`") && !strings.Contains(string(text), "\n## "+path+"\n") {
				t.Errorf("docs/case-file.md does not have %s", path)
			}
		}
	}
}

func TestExampleOfReference(t *testing.T) {
	text, err := os.ReadFile("../../../docs/case-file.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	if got := problem(example, ""); got != "no error" {
		t.Error(got)
	}
}
