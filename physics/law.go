package physics

import "math"

// Law is a property of the fluid as a function of the temperature and of the concentration of the first solute, which is 0 where there is none. Both are nondimensional.
type Law struct {
	Of func(temperature, concentration float64) float64
	// OfTemperature and OfConcentration tell what it depends on: at least one of them.
	OfTemperature, OfConcentration bool
}

// ByTemperature makes a law of a function of the temperature alone.
func ByTemperature(of func(temperature float64) float64) *Law {
	return &Law{Of: func(t, _ float64) float64 { return of(t) }, OfTemperature: true}
}

// alone is the law as a function of one scalar, the temperature or the first solute, where it depends on that alone, else nil.
func (l *Law) alone(temperature bool) func(value float64) float64 {
	switch {
	case l == nil || l.OfTemperature == l.OfConcentration || l.OfTemperature != temperature:
		return nil
	case temperature:
		return func(v float64) float64 { return l.Of(v, 0) }
	}
	return func(v float64) float64 { return l.Of(0, v) }
}

// both tells whether the law depends on two scalars.
func (l *Law) both() bool { return l != nil && l.OfTemperature && l.OfConcentration }

// Values are ranges of the temperature and of the concentration of the first solute, in this order; 0 to 0 of what is not there.
type Values struct{ Low, High [2]float64 }

// Middle is the law in the middle of the ranges.
func (l *Law) Middle(v Values) float64 {
	return l.Of((v.Low[0]+v.High[0])/2, (v.Low[1]+v.High[1])/2)
}

// Range returns the least and the greatest value of the law over the ranges, by a hundred points along each scalar that it depends on.
func (l *Law) Range(v Values) (least, most float64) {
	const points = 100
	least, most = math.Inf(1), math.Inf(-1)
	count := [2]int{}
	for n, depends := range [2]bool{l.OfTemperature, l.OfConcentration} {
		if depends {
			count[n] = points
		}
	}
	at := func(d, n int) float64 { return v.Low[d] + (v.High[d]-v.Low[d])*float64(n)/points }
	for i := 0; i <= count[0]; i++ {
		for j := 0; j <= count[1]; j++ {
			value := l.Of(at(0, i), at(1, j))
			least, most = math.Min(least, value), math.Max(most, value)
		}
	}
	return least, most
}
