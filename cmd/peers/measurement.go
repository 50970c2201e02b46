package main

import (
	"fmt"
	"io"
)

// solve is one solve: its time, that of the set-up, and what it reached.
type solve struct {
	seconds, setup float64
	iterations     int
	residual       float64 // ‖f - A u‖/‖f‖, computed anew
}

// String prints time and iterations in a column.
func (s solve) String() string { return fmt.Sprintf("%11.3f (%3d) ", s.seconds, s.iterations) }

// measurement is one turn.
type measurement struct {
	copied                    float64 // copy bandwidth, bytes a second
	dirichlet, neumann, hypre solve
}

// ratio is the time of hypre over ours.
func (m measurement) ratio() float64 { return m.hypre.seconds / m.dirichlet.seconds }

func dirichletSolve(m measurement) solve { return m.dirichlet }
func neumannSolve(m measurement) solve   { return m.neumann }
func hypreSolve(m measurement) solve     { return m.hypre }

// medians returns the medians of all times.
func medians(all []measurement) measurement {
	m := all[len(all)-1]
	m.copied = median(all, func(m measurement) float64 { return m.copied })
	for of, to := range map[*solve]func(measurement) solve{&m.dirichlet: dirichletSolve, &m.neumann: neumannSolve, &m.hypre: hypreSolve} {
		of.seconds = median(all, func(m measurement) float64 { return to(m).seconds })
		of.setup = median(all, func(m measurement) float64 { return to(m).setup })
	}
	return m
}

// largest returns the largest residual.
func largest(all []measurement, of func(measurement) solve) float64 {
	most := 0.0
	for _, m := range all {
		most = max(most, of(m).residual)
	}
	return most
}

// quoted are figures of other programs for the same problem in float64, measured once with their newest versions on a
// 2-core Xeon virtual machine with AVX-512 whose copy with streaming stores ran at quotedCopy; middles of the ranges seen.
type quoted struct {
	name    string
	seconds map[int]float64 // by cells along an axis
}

// quotedCopy is the middle of 28 to 35 GB/s.
const quotedCopy = 31.5e9

func quotations() []quoted {
	return []quoted{
		{"AMReX MLMG V(2,2), 7-point", map[int]float64{128: 1.06, 256: 9.8}},
		{"AMReX MLMG V(2,2), 27-point", map[int]float64{128: 1.37, 256: 10.9}},
		{"hypre 3.1 PCG + PFMG, 27-point", map[int]float64{128: 1.8, 256: 16.4}},
	}
}

// quote prints the quoted times scaled to the copy bandwidth of this run.
func quote(w io.Writer, n int, m measurement) {
	for _, q := range quotations() {
		if s, ok := q.seconds[n]; ok {
			s *= quotedCopy / m.copied
			fmt.Fprintf(w, "not run here: %-31s %7.2f s, %.1f times convect: measured elsewhere, scaled by copy bandwidth (%.3g GB/s there)\n",
				q.name, s, s/m.dirichlet.seconds, quotedCopy/1e9)
		}
	}
}
