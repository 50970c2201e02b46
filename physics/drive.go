package physics

import (
	"math"

	"convect/kernels/parallel"
)

// littleBeside is the part of what fluxes, sources and entering fluid make of a scalar below which the range of its initial values says nothing of it: it begins uniform.
const littleBeside = 0.1

// measureRange notes the ranges of the initial scalars, or what fluxes and sources will make of one beside the first that begins uniform, and makes the tables of the laws for them.
func (s *Simulation) measureRange() error {
	for _, u := range s.model.scalars {
		values, err := u.now.Download()
		if err != nil {
			return err
		}
		low, high := u.met.value(parallel.Min(values)), u.met.value(parallel.Max(values))
		outside := u.met.high - u.met.low // is not in the state, but drives it: where walls are tied, wells inject, or fluid enters that is unlike what is there
		if u.diffusion.Tied() || len(s.model.wells.all) > 0 || high-low < littleBeside*outside {
			low, high = u.met.low, u.met.high
		}
		u.difference = high - low
		if foreseen := u.foreseen(s.controls.End); u != s.model.scalars[0] && u.difference < littleBeside*foreseen {
			u.difference = foreseen
		}
		if law := s.model.flow.buoyancy.law; law != nil {
			law.note(u, low, high)
		}
		if v := s.model.flow.viscosity; v != nil {
			if err := v.note(u, low, high); err != nil {
				return err
			}
		}
	}
	if law := s.model.flow.buoyancy.law; law != nil {
		if err := law.begin("no number"); err != nil {
			return err
		}
	}
	if v := s.model.flow.viscosity; v != nil {
		return v.begin()
	}
	return nil
}

// BuoyantStep returns the time 0.5 σ μ/(|Ra| K ΔT) on which buoyancy acts, the largest step where the controls name none; +Inf without
// buoyancy. K is the permeability along z, or where it varies that with which buoyancy moves fluid up at most: the norm of what the pressure leaves of it. Beyond it the explicit coupling of flow and temperature lets disturbances of a stable layer grow: those of rounding
// too, except with 7 points on equal cells, where a stable stratification has no residual at all.
func (s *Simulation) BuoyantStep() float64 { return s.model.buoyantStep(s.difference) }

// Drive returns |Ra| Δb, the velocity scale of buoyancy times μ/K, by the ranges of the initial scalars, or the larger ones of what walls and
// entering fluid bring in time, nondimensional.
func (s *Simulation) Drive() float64 { return s.model.flow.buoyancy.drive(1, s.difference) }

// DriveBeside is the part of Drive that is not the temperature's; with a law all of it.
func (s *Simulation) DriveBeside() float64 {
	if s.model.flow.buoyancy.law != nil {
		return s.Drive()
	}
	return s.model.flow.buoyancy.drive(1, func(u *scalar) float64 {
		if u.of.Name == temperatureName {
			return 0
		}
		return s.difference(u)
	})
}

// difference returns the range of a scalar at the start, or the larger one of what walls and entering fluid bring in time.
func (s *Simulation) difference(u *scalar) float64 {
	low, high := s.follow.extremes(u)
	return math.Max(u.difference, high-low)
}
