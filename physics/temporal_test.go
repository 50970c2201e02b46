package physics

import (
	"math"
	"testing"

	"convect/kernels"
)

// TestTemporalOrder checks, by halving the step three times, that the time stepping is of second order, also with walls
// that vary in time and flow through them.
func TestTemporalOrder(t *testing.T) {
	dev := openDevice(t, 0)
	closed := convecting(plane(16), 100)
	closed.Initial.Mode = [3]int{1, 0, 1}
	varying := closed
	varying.Walls[kernels.Bottom] = Wall{Heat: FixedTemperature, Varies: true,
		HeatValue: func(x, _, _, t float64) float64 { return 1 + 0.2*(1-math.Cos(30*t))*math.Cos(math.Pi*x) }}
	varying.Walls[kernels.Left] = Wall{Flow: FixedVelocity, Varies: true, Inflow: func(_, _, z, t float64) float64 { return 1 - z + 0.2*math.Sin(math.Pi*z) + 0.1*math.Sin(20*t) },
		FlowValue: func(_, _, z, t float64) float64 { return 10 * (1 - math.Cos(30*t)) * z * (1 - z) }}
	varying.Walls[kernels.Right] = Wall{Flow: Open, Inflow: func(_, _, z, _ float64) float64 { return 1 - z - 0.2*math.Sin(math.Pi*z) }}
	for name, p := range map[string]Parameters{"closed": closed, "walls that vary": varying} {
		var previous []float64
		var change [3]float64
		for i := range 4 {
			dt := 0.002 / float64(int(1)<<i)
			s := simulate(t, dev, p, Controls{End: 0.05, Courant: 1e9, FirstStep: dt, MaxStep: dt})
			run(t, s)
			now := download(t, s, "temperature")
			if i > 0 {
				for n := range now {
					previous[n] -= now[n]
				}
				change[i-1] = norm(previous)
			}
			previous = now
		}
		order := math.Log2(change[1] / change[2])
		t.Logf("%s: changes %.3g, order %.2f then %.2f", name, change, math.Log2(change[0]/change[1]), order)
		if !(order > 1.9) {
			t.Errorf("%s: order %.2f in time", name, order)
		}
	}
}
