package devicetest

import (
	"fmt"

	"convect/kernels"
)

func (d *hostDevice) Mobility(a kernels.MobilityArgs) {
	d.run("Mobility", func() {
		f := &table{a.Table.(*hostBuffer).values[:a.Entries], a.Low, a.PerUnit}
		k := func(Node) float64 { return round(a.T.Elem(), a.K) }
		if a.Cells != nil {
			k = fieldOf(a.Box, a.Cells).At
		}
		g := &Grid{Box: a.Box, Periodic: a.Periodic}
		writeCells(g, a.Out, g.mobility(fieldOf(a.Box, a.T), k, f))
	}, append(laidOut(a.Box, a.T, a.Cells, a.Out), want{a.Table, a.Entries, false})...)
}

func (d *hostDevice) Tabulate(a kernels.TabulateArgs) {
	if d.err == nil && a.Entries != a.Columns*a.Rows {
		d.err = fmt.Errorf("Tabulate: %d entries are not %d columns by %d rows", a.Entries, a.Columns, a.Rows)
	}
	d.run("Tabulate", func() {
		f := &tableOfTwo{a.Table.(*hostBuffer).values[:a.Entries], a.Columns, a.Rows, [2]float64{a.LowX, a.LowY}, [2]float64{a.PerX, a.PerY}}
		x, y := fieldOf(a.Box, a.X), fieldOf(a.Box, a.Y)
		write(a.Out, compute(a.Box, func(n Node) sum { return f.at(x.At(n), y.At(n)) }))
	}, append(laidOut(a.Box, a.X, a.Y, a.Out), want{a.Table, a.Entries, false})...)
}

func (d *hostDevice) CoarsenCells(a kernels.CoarsenCellsArgs) {
	wants := append(laidOut(a.Fine, a.FineK), laidOut(a.Coarse, a.CoarseK)...)
	d.run("CoarsenCells", func() {
		fine, coarse := &Grid{Box: a.Fine, Periodic: a.Periodic}, &Grid{Box: a.Coarse, Periodic: a.Periodic}
		for d, h := range a.H {
			fine.H[d] = h.(*hostBuffer).values
		}
		writeCells(coarse, a.CoarseK, coarsenCells(fine, coarse, fieldOf(a.Fine, a.FineK), a.Axis, a.Arithmetic))
	}, append(wants, axes(a.Fine, a.H)...)...)
}

func (d *hostDevice) Coupling(a kernels.CouplingArgs) {
	d.reduceTo("Coupling", a.Slot, 2, func() []sum {
		g := &Grid{Box: a.Box, Periodic: a.Periodic}
		g.RH[a.Axis] = a.RH.(*hostBuffer).values
		return g.coupling(fieldOf(a.Box, a.K), a.Axis)
	}, append(laidOut(a.Box, a.K), want{a.RH, a.Box.N[a.Axis] + 2*kernels.HaloWidth, false})...)
}

func (d *hostDevice) Conducts(a *kernels.Elliptic) bool {
	return a.Stencil == kernels.SevenPoint && a.Cells[0] != nil && !a.Box.Flat()
}

func (d *hostDevice) Conductance(a kernels.ConductanceArgs) {
	d.run("Conductance", func() {
		o := operatorOf(a.A, [3]bool{})
		for axis, b := range a.Out {
			write(b, o.conductances(axis))
		}
	}, operands(a.A, a.Out[:]...)...)
}

// writeCells stores the values of the cells of the domain.
func writeCells(g *Grid, b kernels.Buffer, r result) {
	g.cellsOf(func(n Node) { b.(*hostBuffer).store(g.Box.Index(n[0], n[1], n[2]), r.value.At(n)) })
}

// level runs a kernel on a level of a cycle.
func (d *hostDevice) level(name string, a kernels.CycleArgs, kernel func(o *Operator, omega []float64)) {
	wants := append(operands(a.A, a.Out, a.U, a.F), laidOut(a.Coarse, a.CoarseX)...)
	d.run(name, func() { kernel(operatorOf(a.A, a.Periodic), a.Omega[:a.Sweeps]) },
		append(wants, rows(a.Coarse, a.CoarseMask)...)...)
}

func (d *hostDevice) Descend(a kernels.CycleArgs) {
	d.level("Descend", a, func(o *Operator, omega []float64) {
		first := NewField(o.Box)
		if a.U != nil {
			first = fieldOf(o.Box, a.U)
		}
		u, x := o.descend(first, fieldOf(o.Box, a.F), omega, a.Coarse, a.Factor, maskOf(a.Coarse, a.CoarseMask))
		write(a.Out, u)
		write(a.CoarseX, x)
	})
}

func (d *hostDevice) Ascend(a kernels.CycleArgs) {
	d.level("Ascend", a, func(o *Operator, omega []float64) {
		x := fieldOf(a.Coarse, a.CoarseX).Clone()
		halo(x, a.Periodic, 1)
		write(a.Out, o.ascend(fieldOf(o.Box, a.U), fieldOf(o.Box, a.F), x, omega, a.Factor))
	})
	if a.Measures {
		d.Reduce(kernels.ReduceArgs{Kind: kernels.Dot, Box: a.A.Box, X: a.F, Y: a.Out, Slot: a.Slot})
	}
}

func (d *hostDevice) BuoyancySource(a kernels.BuoyancySourceArgs) {
	box := a.A.Box
	d.run("BuoyancySource", func() {
		walls := [3]bool{a.Q[0] != nil, a.Q[1] != nil, a.Q[2] != nil}
		write(a.F, operatorOf(a.A, a.Periodic).buoyancySource(
			fieldOf(box, a.T), a.TMean.(*hostBuffer).values, a.Rayleigh, flowOf(box, a.Q), walls))
	}, append(operands(a.A, append(a.Q[:], a.T, a.F)...), want{a.TMean, box.N[2], false})...)
}

func (d *hostDevice) DarcyFlux(a kernels.DarcyFluxArgs) {
	box := a.A.Box
	d.run("DarcyFlux", func() {
		o := operatorOf(a.A, a.Periodic)
		for axis, q := range a.Q {
			if q == nil {
				continue
			}
			r := o.darcyFlux(axis, fieldOf(box, a.P), fieldOf(box, a.T), a.TMean.(*hostBuffer).values, a.Rayleigh)
			EachNode(box, func(n Node) {
				if !o.inner(axis, n) {
					r.value.Set(n, fieldOf(box, q).At(n))
				}
			})
			write(q, r)
		}
	}, append(operands(a.A, append(a.Q[:], a.P, a.T)...), want{a.TMean, box.N[2], false})...)
}

func (d *hostDevice) WallFlux(a kernels.WallFluxArgs) {
	d.run("WallFlux", func() {
		periodic := [3]bool{}
		for axis := range periodic {
			periodic[axis] = a.Share[2*axis] == nil && a.Share[2*axis+1] == nil
		}
		g := gridOf(a.Box, periodic, a.W)
		for axis, r := range g.wallFlux(flowOf(a.Box, a.Q), wallsOf(a.Share)) {
			if a.Q[axis] != nil {
				d.fillWith(a.Q[axis], func(e int) float64 { return r.value.V[e] })
			}
		}
	}, append(append(laidOut(a.Box, a.Q[:]...), axes(a.Box, a.W)...), sides(a.Box, a.Share)...)...)
}

func (d *hostDevice) Advect(a kernels.AdvectArgs) {
	d.run("Advect", func() {
		g := gridOf(a.Box, a.Periodic, a.W)
		write(a.Out, g.advect(a.Scheme, flowOf(a.Box, a.Q), fieldOf(a.Box, a.T), wallsOf(a.Inflow)))
	}, append(append(laidOut(a.Box, append(a.Q[:], a.T, a.Out)...), axes(a.Box, a.W)...), sides(a.Box, a.Inflow)...)...)
}

// AdvectMeasured and what follows are those of check_step.go.
func (d *hostDevice) AdvectMeasured(a kernels.AdvectMeasuredArgs) {
	wants := append(append(operands(a.A, append(a.Q[:], a.T, a.Out)...), axes(a.Box, a.W)...), sides(a.Box, a.Inflow)...)
	if a.Flow.A != nil {
		wants = append(append(wants, operands(a.Flow.A, a.Flow.P, a.Flow.T)...), want{a.Flow.TMean, a.Box.N[2], false})
	}
	count := kernels.MeasuredSlots
	if !a.Enclosed {
		count--
	}
	d.reduceTo("AdvectMeasured", a.Slot, count, func() []sum {
		if a.Flow.A != nil {
			d.DarcyFlux(a.Flow)
			for _, q := range a.Q {
				if q != nil {
					d.Halo(kernels.HaloArgs{Box: a.Box, X: q, Periodic: a.Periodic, Width: 1})
				}
			}
		}
		o, q, t := operatorOf(a.A, a.Periodic), flowOf(a.Box, a.Q), fieldOf(a.Box, a.T)
		out := o.advect(a.Scheme, q, t, wallsOf(a.Inflow))
		write(a.Out, out)
		return o.advectMeasured(a.Scheme, a.Axis, q, t, out)[:count]
	}, wants...)
}

func (d *hostDevice) Predict(a kernels.PredictArgs) {
	box := a.A.Box
	wants := operands(a.A, a.T, a.TPrev, a.TOlder, a.N, a.NPrev, a.Source, a.G, a.F, a.Work)
	if d.err == nil && a.Norms && a.Slot+2 > kernels.Slots {
		d.err = fmt.Errorf("host: Predict: no slot %d", a.Slot+1)
	}
	d.run("Predict", func() {
		p := prediction{t: fieldOf(box, a.T), tPrev: fieldOf(box, a.TPrev), n: fieldOf(box, a.N), nPrev: fieldOf(box, a.NPrev), omega: a.Omega,
			a0: a.A0, a2: a.A2, e1: a.E1, e2: a.E2, bend: a.Bend}
		if a.Source != nil {
			p.source = fieldOf(box, a.Source)
		}
		if a.TOlder != nil {
			p.tOlder = fieldOf(box, a.TOlder)
		}
		for _, w := range a.Walls {
			if w.Where != nil {
				p.walls = append(p.walls, wallValues{w.Side, w.Where.(*hostBuffer).values, w.Value.(*hostBuffer).values})
			}
		}
		g, f, norms := operatorOf(a.A, a.Periodic).predict(p)
		write(a.G, g)
		write(a.F, f)
		for n, s := range norms {
			if a.Norms {
				d.slots[a.Slot+n] = s.value
			}
		}
	}, wants...)
}

func (d *hostDevice) Conserve(a kernels.ConserveArgs) {
	box := a.A.Box
	d.run("Conserve", func() {
		x, r := operatorOf(a.A, [3]bool{}).settle(fieldOf(box, a.X), fieldOf(box, a.U), fieldOf(box, a.F))
		write(a.X, x)
		write(a.R, r)
	}, operands(a.A, a.X, a.U, a.F, a.R)...)
}

func (d *hostDevice) NodeVelocity(a kernels.NodeVelocityArgs) {
	d.run("NodeVelocity", func() {
		g := &Grid{Box: a.Box}
		g.Periodic[a.Axis] = a.Periodic
		write(a.Out, compute(a.Box, func(n Node) sum { return g.nodeVelocity(a.Axis, fieldOf(a.Box, a.Q), n) }))
	}, laidOut(a.Box, a.Q, a.Out)...)
}

func (d *hostDevice) NodeFlux(a kernels.NodeFluxArgs) {
	d.run("NodeFlux", func() {
		o := operatorOf(a.A, a.Periodic)
		write(a.Out, o.nodeFlux(a.Axis, flowOf(a.A.Box, a.Q), fieldOf(a.A.Box, a.T), a.Longitudinal, a.Transverse))
	}, append(operands(a.A, a.T, a.Out), laidOut(a.A.Box, a.Q[:]...)...)...)
}

func (d *hostDevice) FlowStatistics(a kernels.FlowStatisticsArgs) {
	d.reduceTo("FlowStatistics", a.Slot, 6, func() []sum {
		return gridOf(a.Box, a.Periodic, a.W).flowStatistics(flowOf(a.Box, a.Q))
	}, append(laidOut(a.Box, a.Q[:]...), axes(a.Box, a.W)...)...)
}

func (d *hostDevice) HeatFlux(a kernels.HeatFluxArgs) {
	box := a.A.Box
	d.reduceTo("HeatFlux", a.Slot, 1, func() []sum {
		return []sum{operatorOf(a.A, a.Periodic).heatFlux(a.Scheme, a.Axis, fieldOf(box, a.Q), fieldOf(box, a.T))}
	}, operands(a.A, a.Q, a.T)...)
}

func (d *hostDevice) Dissipation(a kernels.DissipationArgs) {
	d.reduceTo("Dissipation", a.Slot, 1, func() []sum {
		return []sum{operatorOf(a.A, a.Periodic).dissipation(fieldOf(a.A.Box, a.T))}
	}, operands(a.A, a.T)...)
}

func (d *hostDevice) WallSum(a kernels.WallSumArgs) {
	d.reduceTo("WallSum", a.Slot, 1, func() []sum {
		return []sum{wallSum(fieldOf(a.Box, a.X), a.Side, a.Weight.(*hostBuffer).values)}
	}, want{a.X, a.Box.Len, false}, want{a.Weight, a.Box.WallNodes(a.Side), false})
}

func (d *hostDevice) WallThrough(a kernels.WallThroughArgs) {
	wants := []want{{a.Q, a.Box.Len, false}, {a.T, a.Box.Len, false}, {a.Inflow, a.Box.WallNodes(a.Side), false}, {a.Weight, a.Box.WallNodes(a.Side), false}}
	d.reduceTo("WallThrough", a.Slot, 2, func() []sum {
		var inflow []float64
		if a.Inflow != nil {
			inflow = a.Inflow.(*hostBuffer).values
		}
		flow, carried := wallThrough(fieldOf(a.Box, a.Q), fieldOf(a.Box, a.T), a.Side, inflow, a.Weight.(*hostBuffer).values)
		return []sum{flow, carried}
	}, wants...)
}

func (d *hostDevice) Streamfunction(a kernels.StreamfunctionArgs) {
	d.reduceTo("Streamfunction", a.Slot, 2, func() []sum {
		nodal, max, there := gridOf(a.Box, a.Periodic, a.W).streamfunction(flowOf(a.Box, a.Q), centre{a.Centre, a.Part})
		write(a.Out, nodal)
		return []sum{max, there}
	}, append(laidOut(a.Box, a.Q[0], a.Q[2], a.Out), axes(a.Box, a.W)...)...)
}

func (d *hostDevice) Dispersivity(a kernels.DispersivityArgs) {
	d.reduceTo("Dispersivity", a.Slot, 1, func() []sum {
		return []sum{raise(&Grid{Box: a.Box, Periodic: a.Periodic}, a.Out, flowOf(a.Box, a.Q), a.K, a.Cells, a.Length)}
	}, laidOut(a.Box, append(a.Q[:], a.Cells, a.Out)...)...)
}

// raise writes K + length |u| and returns the largest length |u|.
func raise(g *Grid, out kernels.Buffer, q flow, constant float64, cells kernels.Buffer, length float64) sum {
	if out == nil {
		return sum{}
	}
	k := func(Node) float64 { return round(out.Elem(), constant) }
	if cells != nil {
		k = fieldOf(g.Box, cells).At
	}
	r, most := g.dispersivity(q, k, length)
	writeCells(g, out, r)
	return most
}

func (d *hostDevice) Disperse(a kernels.DisperseArgs) {
	d.reduceTo("Disperse", a.Slot, 3, func() []sum {
		g := &Grid{Box: a.Box}
		for axis, h := range a.H {
			g.H[axis] = h.(*hostBuffer).values
			g.Periodic[axis] = g.present(axis) && g.H[axis].At(-1) > 0
		}
		l := dispersivities{round(a.T.Elem(), a.Longitudinal), round(a.T.Elem(), a.Transverse)}
		gain, carried, dissipated := g.disperse(flowOf(a.Box, a.Q), fieldOf(a.Box, a.T), a.Form, l, a.Axis)
		out := fieldOf(a.Box, a.Out)
		write(a.Out, compute(a.Box, func(n Node) sum { return sum{value: out.At(n) + gain.value.At(n)} }))
		return []sum{carried, dissipated, raise(g, a.Held, flowOf(a.Box, a.Q), a.HeldK, a.HeldCells, a.HeldLength)}
	}, append(append(laidOut(a.Box, append(a.Q[:], a.T, a.Out, a.HeldCells, a.Held)...), axes(a.Box, a.H)...), axes(a.Box, a.RH)...)...)
}
