package physics

import (
	"math"
	"reflect"
	"testing"

	"convect/kernels"
)

// Profiles are the horizontal means of the fields that Download gives, weighted by what each node has of its plane.
func TestProfiles(t *testing.T) {
	dev := openDevice(t, 0)
	e := graded(cube(12))
	e.Cells[1], e.Periodic[1] = 8, true
	p := heated(e, 200)
	p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 2, 1}, 0.1
	s := simulate(t, dev, p, Controls{End: 1e-3, Courant: 0.5})
	run(t, s)
	whole, err := s.Profiles()
	if err != nil {
		t.Fatal(err)
	}
	defer func(n int) { profileNodes = n }(profileNodes)
	profileNodes = 5 * 13 * 8 // 13 levels in three parts
	profile, err := s.Profiles()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(profile, whole) {
		t.Error("some levels at a time give other bits than all")
	}
	temperature, err := s.Download("temperature")
	if err != nil {
		t.Fatal(err)
	}
	velocity, err := s.Download("velocity")
	if err != nil {
		t.Fatal(err)
	}
	g := s.Grid()
	n := g.Box.N
	z := g.Coordinates(kernels.Z)
	for k := range n[2] {
		wantT, wantWT, speed := 0.0, 0.0, 0.0
		for j := range n[1] {
			for i := range n[0] {
				at := i + n[0]*(j+n[1]*k)
				a := g.DualWidth(0, i) * g.DualWidth(1, j) / (g.Size[0] * g.Size[1])
				w := velocity[2*len(temperature)+at]
				wantT += a * temperature[at]
				wantWT += a * temperature[at] * w
				speed = math.Max(speed, math.Abs(w))
			}
		}
		rounding := float64(n[0]*n[1]) * kernels.Float64.Epsilon()
		if profile.Z[k] != z[k] || math.Abs(profile.Scalars[0].Mean[k]-wantT) > rounding || math.Abs(profile.Scalars[0].Carried[k]-wantWT) > rounding*speed {
			t.Errorf("z = %g: T %g, w T %g, want %g, %g, %g", profile.Z[k], profile.Scalars[0].Mean[k], profile.Scalars[0].Carried[k], z[k], wantT, wantWT)
		}
	}
}
