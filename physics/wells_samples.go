package physics

import "math"

// samples returns what the wells did.
func (w *wells) samples(into []WellSample) []WellSample {
	if into = into[:0]; len(w.all) == 0 {
		return nil
	}
	for _, l := range w.all {
		into = append(into, WellSample{Rate: l.total, Pressure: l.sampled(), Scalars: append([]float64(nil), l.means...)})
	}
	return into
}

// signals lists what varies in time.
func (w *wells) signals(scalars []*scalar) (all []signal) {
	for _, l := range w.all {
		if !l.of.Varies {
			continue
		}
		add := func(name string, of Func, u *scalar) {
			if of != nil {
				all = append(all, signal{name: "the " + name + " of well " + l.of.Name, scalar: u, of: of, turns: l.of.Course.Turns, points: [][3]float64{l.x}})
			}
		}
		add("rate", l.of.Rate, nil)
		add("pressure", l.of.Pressure, nil)
		for n, u := range scalars {
			add(u.of.Name, l.of.bring(n), u)
		}
	}
	return all
}

// sampled is the pressure in a well that holds one.
func (l *well) sampled() float64 {
	if l.of.Pressure == nil {
		return math.NaN()
	}
	return l.bottom
}
