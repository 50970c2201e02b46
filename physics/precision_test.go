package physics

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/multigrid"
)

// mixed returns parameters with solvers of mixed precision.
func mixed(p Parameters) Parameters {
	p.Precision, p.Mixed = kernels.Float64, true
	return p
}

// Mixed precision gives the fields of float64 to the tolerance of the solvers, step after step.
func TestMixedPrecisionFollowsDouble(t *testing.T) {
	dev := openDevice(t, 0)
	for name, make := range restartCases() {
		p, c := make(kernels.Float64)
		c.MaxStep = 1e-4
		double, other := simulate(t, dev, p, c), simulate(t, dev, mixed(p), c)
		runTo(t, double, 40)
		runTo(t, other, 40)
		if other.PressureSolver().Options().Mixed != true || other.DiffusionSolvers()[0].Options().Mixed != true {
			t.Errorf("%s: a solver is not of mixed precision", name)
		}
		for _, field := range []string{"temperature", "pressure"} {
			got, size := download(t, other, field), 0.0
			want, worst := download(t, double, field), 0.0
			for n, v := range want {
				size, worst = math.Max(size, math.Abs(v)), math.Max(worst, math.Abs(got[n]-v))
			}
			if !(worst < 1e-6*size) {
				t.Errorf("%s: %s differs by %.2g of %.2g", name, field, worst, size)
			}
		}
	}
}

// A stable stratification rests to the rounding of float64, which float32 cannot.
func TestStableStratificationRestsInMixedPrecision(t *testing.T) {
	dev := openDevice(t, 0)
	p := mixed(heated(plane(16), 1000))
	p.Walls[kernels.Bottom].HeatValue, p.Walls[kernels.Top].HeatValue = Constant(0), Constant(1)
	s := simulate(t, dev, p, Controls{End: 0.1, Courant: 0.5, MaxStep: 1e-3})
	run(t, s)
	if limit := 30 * 1000 * kernels.Float64.Epsilon(); s.Sample().SpeedMax > limit {
		t.Errorf("max |u| = %g, above rounding (%g)", s.Sample().SpeedMax, limit)
	}
}

func TestRestartInMixedPrecisionContinuesToTheSameBits(t *testing.T) {
	dev := openDevice(t, 0)
	for name, make := range restartCases() {
		p, c := make(kernels.Float64)
		p = mixed(p)
		whole, part := simulate(t, dev, p, c), simulate(t, dev, p, c)
		runTo(t, whole, 30)
		runTo(t, part, 17)
		state, err := part.State()
		if err != nil {
			t.Fatal(err)
		}
		resumed, err := Resume(dev, p, c, state)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(resumed.Free)
		runTo(t, resumed, 30)
		t.Run(name, func(t *testing.T) { sameState(t, resumed, whole) })
	}
}

// The rounding floors by which cycles are planned are part of a state; one of an earlier version lacks them, and solves begin without.
func TestStatesHoldTheFloors(t *testing.T) {
	dev := openDevice(t, 0)
	p := heated(cube(16), 300)
	p.Precision, p.Pressure.Method, p.Pressure.Tolerance = kernels.Float32, multigrid.Multigrid, 1e-7
	p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 1, 1}, 0.1
	c := Controls{End: 1, Courant: 0.5}
	s := simulate(t, dev, p, c)
	runTo(t, s, 10)
	state, err := s.State()
	if err != nil {
		t.Fatal(err)
	}
	floors := []string{"pressure_floor_part", "diffusion_floor_part"}
	for _, name := range floors {
		if !(state.Scalars[name] > 0) {
			t.Errorf("%s is %g", name, state.Scalars[name])
		}
	}
	resumed, err := Resume(dev, p, c, state)
	if err != nil {
		t.Fatal(err)
	}
	defer resumed.Free()
	again, err := resumed.State()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range floors {
		if again.Scalars[name] != state.Scalars[name] {
			t.Errorf("%s is %g, not %g, after it was resumed", name, again.Scalars[name], state.Scalars[name])
		}
		delete(state.Scalars, name)
	}
	earlier, err := Resume(dev, p, c, state)
	if err != nil {
		t.Fatalf("a state without floors: %v", err)
	}
	earlier.Free()
}
