package casefile

import (
	"math"
	"slices"
)

// checkSolutes refuses steady states of solutes (asked for, or of diffusion at the start) that cannot be, since they are neither held anywhere nor decay.
func (c *Case) checkSolutes(restart bool) {
	for n, of := range c.carried() {
		if n > 0 && of.absent(c) == "" {
			c.checkSteadySolute(n, &of, restart)
		}
	}
}

// checkSteadySolute is checkSolutes for the n-th of the scalars.
func (c *Case) checkSteadySolute(n int, of *carried, restart bool) {
	s := &c.Parameters.Solutes[slices.Index(c.plan.solutes, c.soluteOf(of))]
	if s.Decay.Rate != nil || c.prescribes(func(w *wall) bool { return w.scalar(n).takes() }) {
		return
	}
	at, conduction := c.Controls.End, s.Initial.Conduction && !restart
	if conduction {
		at = 0
	}
	unit := soluteFluxUnit(&c.Scales)
	walls, sides := c.overWalls(func(w *wall) (*field, bool) { return w.scalar(n).prescribed() }, at)
	net, gross := c.amount(s.Source.Gain, at)
	net, gross = net+walls/unit, gross+sides/unit
	if math.Abs(net) <= balanceTolerance*gross {
		return
	}
	const accepted = "solute fluxes and a source that add up to nothing, decay, or a wall with a concentration"
	switch {
	case conduction:
		of.start(c).value.refuse(accepted+", or another start",
			"no steady diffusion exists: solute comes in at a net rate of %.6g and no wall has a concentration", net*unit*math.Pow(c.Scales.Length, float64(c.dimensions()-1)))
	case c.Controls.Steady > 0 && !c.prescribes(func(w *wall) bool { return w.flow.of.kind.Rule().Passes }):
		c.refuseAt("time", "steady", accepted, "no steady state exists: solute comes in at a net rate of %.6g and no wall has a concentration", net*unit*math.Pow(c.Scales.Length, float64(c.dimensions()-1)))
	}
}

// soluteOf returns the solute that a scalar is.
func (c *Case) soluteOf(of *carried) *solute {
	return c.plan.solutes[slices.IndexFunc(c.plan.solutes, func(p *solute) bool { return p.called() == of.name })]
}
