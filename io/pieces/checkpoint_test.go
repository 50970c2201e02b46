package pieces_test

import (
	"context"
	"errors"
	"os"
	"reflect"
	"testing"

	"convect/io/checkpoint"
	"convect/io/h5"
	"convect/kernels"
	"convect/kernels/cpu"
	"convect/multigrid"
	"convect/physics"
	"convect/stencil"
)

// A checkpoint that processes write of what they have is read again by them, or by one; values that are not those of its checksum are not taken.
func TestCheckpoint(t *testing.T) {
	p := physics.Parameters{Extent: stencil.Extent{Cells: [3]int{8, 20, 8}, Size: [3]float64{1, 2.5, 1}}, Rayleigh: 300, Permeability: physics.Uniform(1),
		HeatCapacityRatio: physics.Uniform(1), Diffusivity: physics.Uniform(1), Transport: kernels.TVD, Precision: kernels.Float64,
		Pressure: multigrid.Options{Tolerance: 1e-8}, Diffusion: multigrid.Options{Tolerance: 1e-8}, Initial: physics.Initial{Conduction: true, Noise: 0.1, Seed: 3}}
	p.Walls[kernels.Bottom] = physics.Wall{Heat: physics.FixedTemperature, HeatValue: physics.Constant(1)}
	p.Walls[kernels.Top] = physics.Wall{Heat: physics.FixedTemperature, HeatValue: physics.Constant(0)}
	controls := physics.Controls{End: 0.01, Courant: 0.5}
	lead, together := team(t, 3, nil)
	s, err := physics.New(lead, p, controls)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	if _, err := s.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	want, err := s.State()
	if err != nil {
		t.Fatal(err)
	}
	w, err := checkpoint.New(checkpoint.Options{Dir: t.TempDir(), Keep: 1, Pieces: together})
	if err == nil {
		err = w.Write(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	alone, err := cpu.New(cpu.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	for _, d := range []kernels.Device{lead, alone} {
		if err := same(d, p, controls, w.Written(), want); err != nil {
			t.Error(err)
		}
	}
	later, err := checkpoint.ReadLater(w.Written())
	if err != nil {
		t.Fatal(err)
	}
	damage(t, w.Written())
	for _, d := range []kernels.Device{lead, alone} {
		if _, err := physics.Resume(d, p, controls, later.State); !errors.Is(err, h5.ErrChecksum) {
			t.Error(err)
		}
	}
	if _, err := checkpoint.ReadLater(w.Written()); err == nil {
		t.Error("a damaged file is read")
	}
}

// same resumes from a checkpoint and compares the state.
func same(d kernels.Device, p physics.Parameters, c physics.Controls, path string, want *physics.State) error {
	from, err := checkpoint.ReadLater(path)
	if err != nil {
		return err
	}
	s, err := physics.Resume(d, p, c, from.State)
	if err != nil {
		return err
	}
	defer s.Free()
	got, err := s.State()
	if err == nil && !reflect.DeepEqual(got, want) {
		err = errors.New("the state is another")
	}
	return err
}

// damage changes a bit of the values of a field.
func damage(t *testing.T, path string) {
	t.Helper()
	r, err := h5.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	bytes, _ := os.ReadFile(path)
	r.Walk(func(o h5.Object) error {
		if o.Path == "/fields/temperature" {
			bytes[o.Offset+1001] ^= 1
		}
		return nil
	})
	if err := os.WriteFile(path, bytes, 0o666); err != nil {
		t.Fatal(err)
	}
}
