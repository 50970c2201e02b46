package devicetest

import (
	"math"

	"convect/kernels"
)

func (d *brokenDevice) Mobility(a kernels.MobilityArgs) {
	d.hostDevice.Mobility(a)
	t, out := fieldOf(a.Box, a.T), fieldOf(a.Box, a.Out)
	g := &Grid{Box: a.Box, Periodic: a.Periodic}
	g.cellsOf(func(n Node) {
		switch {
		case d.defect == "Mobility/extrapolates" && t.At(n) > 1e5:
			out.Set(n, out.At(n)*2)
		case d.defect == "Mobility/forgets a corner" && out.At(n) != a.K:
			out.Set(n, out.At(n)*(1+1e-3*t.At(n)))
		}
	})
}

func (d *brokenDevice) Tabulate(a kernels.TabulateArgs) {
	if d.defect == "Tabulate/takes one for the other" {
		a.X, a.Y = a.Y, a.X
	}
	d.hostDevice.Tabulate(a)
}

func (d *brokenDevice) CoarsenCells(a kernels.CoarsenCellsArgs) {
	if d.defect == "CoarsenCells/averages harmonically across" {
		a.Axis = (a.Axis + 1) % 3
	}
	d.hostDevice.CoarsenCells(a)
}

func (d *brokenDevice) Conductance(a kernels.ConductanceArgs) {
	if d.defect == "Conductance/takes x for y" {
		a.Out[0], a.Out[1] = a.Out[1], a.Out[0]
	}
	d.hostDevice.Conductance(a)
}

func (d *brokenDevice) Coupling(a kernels.CouplingArgs) {
	if d.defect == "Coupling/looks beyond walls" {
		a.Periodic = [3]bool{true, true, true}
	}
	d.hostDevice.Coupling(a)
}

func (d *brokenDevice) BuoyancySource(a kernels.BuoyancySourceArgs) {
	d.hostDevice.BuoyancySource(a)
	if d.defect == "BuoyancySource/applies the mask" {
		mask := maskOf(a.A.Box, a.A.Mask)
		EachNode(a.A.Box, func(n Node) {
			spoil(a.F, a.A.Box, n, func(v float64) float64 { return v * mask.At(n) })
		})
	}
}

func (d *brokenDevice) DarcyFlux(a kernels.DarcyFluxArgs) {
	d.hostDevice.DarcyFlux(a)
	if d.defect == "DarcyFlux/adds a circulation" && a.A.Stencil == kernels.TwentySevenPoint && a.A.Box.N[0] > 2 {
		spoil(a.Q[0], a.A.Box, Node{}, func(v float64) float64 { return v + 1e-3 })
		spoil(a.Q[2], a.A.Box, Node{}, func(v float64) float64 { return v - 1e-3 })
	}
	if d.defect == "DarcyFlux/writes wall faces" {
		spoil(a.Q[0], a.A.Box, Node{a.A.Box.N[0] - 1, 0, 0}, func(float64) float64 { return 0 })
	}
}

func (d *brokenDevice) NodeFlux(a kernels.NodeFluxArgs) {
	if d.defect == "NodeFlux/disperses alike in all directions" {
		a.Longitudinal = a.Transverse
	}
	d.hostDevice.NodeFlux(a)
	if d.defect == "NodeFlux/takes the gradient of the node's own faces" && a.A.Box.N[a.Axis] > 2 && !a.Periodic[a.Axis] {
		o := operatorOf(a.A, a.Periodic)
		t := fieldOf(a.A.Box, a.T)
		spoil(a.Out, a.A.Box, Node{}, func(v float64) float64 {
			first := o.conductance(a.Axis, Node{}) / o.area(a.Axis, Node{}) * (t.At(shift(Node{}, a.Axis, 1)) - t.At(Node{}))
			return v + o.nodeSlope(a.Axis, t, Node{}, true).value - first
		})
	}
}

func (d *brokenDevice) WallFlux(a kernels.WallFluxArgs) {
	d.hostDevice.WallFlux(a)
	if d.defect == "WallFlux/turns the flow around" {
		EachNode(a.Box, func(n Node) {
			if a.Share[kernels.Right] != nil && onSide(a.Box, kernels.Right, n) {
				spoil(a.Q[0], a.Box, n, func(v float64) float64 { return -v })
			}
		})
	}
}

func (d *brokenDevice) WallThrough(a kernels.WallThroughArgs) {
	if d.defect == "WallThrough/lets the node's value in" {
		a.Inflow = nil
	}
	d.hostDevice.WallThrough(a)
}

func (d *brokenDevice) Advect(a kernels.AdvectArgs) {
	d.hostDevice.Advect(a)
	d.calls++
	switch d.defect {
	case "Advect/is not reproducible":
		spoil(a.Out, a.Box, Node{}, func(v float64) float64 {
			if d.calls%2 == 0 {
				return math.Nextafter(v, 10)
			}
			return v
		})
	case "Advect/divides zero by zero":
		x := fieldOf(a.Box, a.T)
		EachNode(a.Box, func(n Node) {
			if x.At(n) == x.At(shift(n, 0, 1)) && x.At(n) == x.At(shift(n, 0, -1)) {
				spoil(a.Out, a.Box, n, func(float64) float64 { return math.NaN() })
			}
		})
	}
}

func (d *brokenDevice) AdvectMeasured(a kernels.AdvectMeasuredArgs) {
	if d.defect == "AdvectMeasuredFlow/takes Q as it is" {
		a.Flow.A = nil
	}
	d.hostDevice.AdvectMeasured(a)
}

func (d *brokenDevice) FlowStatistics(a kernels.FlowStatisticsArgs) {
	d.hostDevice.FlowStatistics(a)
	if d.defect == "FlowStatistics/writes a seventh slot" {
		d.slots[a.Slot+6]++
	}
}

func (d *brokenDevice) Dispersivity(a kernels.DispersivityArgs) {
	if d.defect == "Dispersivity/takes x for y" && a.Q[kernels.Y] != nil {
		a.Q[kernels.Y] = a.Q[kernels.X]
	}
	d.hostDevice.Dispersivity(a)
}

func (d *brokenDevice) Disperse(a kernels.DisperseArgs) {
	switch {
	case d.defect == "Disperse/holds nothing":
		a.HeldLength = 0
	case d.defect == "Disperse/forgets the slopes across":
		a.Longitudinal = a.Transverse
	case d.defect == "Disperse/leaves the slopes unlimited" && a.Form == kernels.SpreadLimited,
		d.defect == "Disperse/takes edges for elements" && a.Form == kernels.SpreadTrilinear:
		a.Form = kernels.SpreadEdges
	}
	d.hostDevice.Disperse(a)
}
