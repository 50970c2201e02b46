package stencil

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
)

// entries is the size of the tables of these tests.
const entries = 1025

// viscous returns a mobility with the table exp(2 T) on [-1, 2].
func viscous(t testing.TB, o *Operator) *Mobility {
	t.Helper()
	m := must[*Mobility](t)(NewMobility(o, entries))
	f := make([]float64, entries)
	for n := range f {
		f[n] = math.Exp(2 * (-1 + 3*float64(n)/(entries-1)))
	}
	m.SetTable(-1, 2, f)
	return m
}

// TestMobilityFollowsTheTemperature compares K f(T̄), constant and by cell, with f itself.
func TestMobilityFollowsTheTemperature(t *testing.T) {
	for _, periodic := range [][3]bool{{}, {true, true, false}} {
		for name, c := range map[string]func(n int) Coefficients{
			"constant": func(int) Coefficients { return Coefficients{Constant: [3]float64{2, 2, 0.5}} },
			"cells": func(n int) Coefficients {
				k := lognormal(n, 1, 5)
				return Coefficients{Cells: [3][]float64{k, k, lognormal(n, 1, 6)}}
			},
		} {
			g := uniform(t, device(t), [3]int{6, 4, 8}, [3]float64{1, 1, 1}, periodic)
			b := must[*Boundary](t)(NewBoundary(g, [6][]bool{}))
			given := c(cellCount(g))
			o := must[*Operator](t)(NewOperator(b, given))
			m := viscous(t, o)
			temperature := nodes(g, func(x, y, z float64) float64 { return z + 0.1*math.Cos(2*math.Pi*x)*math.Cos(2*math.Pi*y) })
			m.Update(field(t, g, temperature))
			shape, box := g.CellShape(), g.Box.N
			for d := range 3 {
				for at, got := range cellValues(t, o, d) {
					ijk := [3]int{at % shape[0], at / shape[0] % shape[1], at / (shape[0] * shape[1])}
					mean := 0.0
					for corner := range 8 {
						i, j, k := (ijk[0]+corner&1)%box[0], (ijk[1]+corner>>1&1)%box[1], ijk[2]+corner>>2
						mean += temperature[i+box[0]*(j+box[1]*k)] / 8
					}
					k := given.Constant[d]
					if given.Cells[0] != nil {
						k = given.Cells[d][at]
					}
					want := k * math.Exp(2*mean)
					near(t, fmt.Sprintf("%s, %v, axis %d, cell %d", name, periodic, d, at), got, want, 1e-5, want)
				}
			}
			o.Free()
		}
	}
}

// TestCoarseMobilityFollows compares a refreshed coarse operator with one made anew from the same conductivities.
func TestCoarseMobilityFollows(t *testing.T) {
	for _, flat := range []bool{false, true} {
		g := gradedGrid(t, device(t), flat)
		b := must[*Boundary](t)(NewBoundary(g, walls(g, kernels.Top)))
		o := must[*Operator](t)(NewOperator(b, Coefficients{Constant: [3]float64{1, 1, 0.3}}))
		m := viscous(t, o)
		factor := [3]int{2, 2, 2}
		if flat {
			factor[1] = 1
		}
		coarse := must[*Operator](t)(o.Coarsen(factor, o.Stencil()))
		before := cellValues(t, coarse, 2)
		m.Update(field(t, g, nodes(g, func(x, y, z float64) float64 { return x*z + y })))
		coarse.Refresh()
		anew := must[*Operator](t)(o.Coarsen(factor, o.Stencil()))
		for d := range 3 {
			want := cellValues(t, anew, d)
			for at, got := range cellValues(t, coarse, d) {
				near(t, fmt.Sprintf("flat %v, axis %d, cell %d", flat, d, at), got, want[at], 0, 1)
				if d == 2 && got == before[at] {
					t.Errorf("flat %v: cell %d stayed as it was", flat, at)
				}
			}
		}
		coarse.FreeAll()
		anew.FreeAll()
		o.Free()
	}
}

// TestMobilityKeepsCouplings: a viscosity acts alike in all directions, so that what coarsens stays the same.
func TestMobilityKeepsCouplings(t *testing.T) {
	g := gradedGrid(t, device(t), false)
	b := must[*Boundary](t)(NewBoundary(g, [6][]bool{}))
	constant := Coefficients{Constant: [3]float64{3, 2, 0.5}}
	want := must[*Operator](t)(NewOperator(b, constant)).Couplings()
	o := must[*Operator](t)(NewOperator(b, constant))
	viscous(t, o)
	for d, s := range o.Couplings() {
		near(t, AxisName(d), s, want[d], rounding, want[d])
	}
}
