package gridded

import (
	"slices"
	"strings"
)

// unit is a unit that files name: what it measures, and its value in SI.
type unit struct {
	of     string
	factor float64
}

// knownUnits are units by their spelling without spaces, signs of powers and products, and brackets, in lower case.
func knownUnits() map[string][]unit {
	all := map[string][]unit{}
	for _, u := range []struct {
		of        string
		factor    float64
		spellings string
	}{
		{"length", 1, "m metre metres meter meters"}, {"length", 1000, "km kilometre kilometer kilometres kilometers"}, {"length", 0.01, "cm"}, {"length", 0.001, "mm"}, {"length", 0.3048, "ft feet foot"},
		{"permeability", 1, "m2"}, {"permeability", 9.869233e-16, "md millidarcy millidarcys mdarcy"}, {"permeability", 9.869233e-13, "d darcy darcys"},
		{"permeability", 1e-4, "cm2"}, {"permeability", 1e-6, "mm2"}, {"permeability", 1e-12, "um2"},
		{"viscosity", 1, "pas kg/ms kgm-1s-1 ns/m2"}, {"viscosity", 1e-3, "cp centipoise mpas"}, {"viscosity", 0.1, "p poise"},
		{"conductivity", 1, "w/mk wm-1k-1 w/m/k w/m°c wm-1°c-1 w/mdegc"}, {"conductivity", 1e-3, "mw/mk mwm-1k-1"},
		{"source", 1, "w/m3 wm-3"}, {"source", 1e-3, "mw/m3 mwm-3"}, {"source", 1e-6, "uw/m3 uwm-3"},
		{"temperature", 1, "k kelvin degc °c celsius degreescelsius degreecelsius c"}, {"temperature", 5.0 / 9, "f degf °f fahrenheit"},
		{"number", 1, "1 - dimensionless unitless none fraction m3/m3 m3m-3 v/v"}, {"number", 0.01, "% percent pct p.u. pu"},
	} {
		for _, s := range strings.Fields(u.spellings) {
			all[s] = append(all[s], unit{u.of, u.factor})
		}
	}
	return all
}

// spelling brings the name of a unit into the form of knownUnits.
func spelling(name string) string {
	return strings.NewReplacer(" ", "", "^", "", "*", "", "·", "", "(", "", ")", "", "[", "", "]", "", "²", "2", "³", "3", "µ", "u", "μ", "u", "⁻", "-", "¹", "1",
		"−", "-", "_", "").Replace(strings.ToLower(strings.TrimSpace(name)))
}

// checkUnit refuses values whose unit, as the file names it, is known and another than wanted. An unknown spelling is accepted.
func checkUnit(part, what, name, wanted string) error {
	if name == "" || wanted == "" {
		return nil
	}
	if text := strings.ToLower(strings.TrimSpace(name)); strings.HasPrefix(text, "log") || strings.HasPrefix(text, "ln") {
		return wrong(part, "the values themselves", "%s holds logarithms, in the words of the file %q", what, name)
	}
	known := knownUnits()
	found, want := known[spelling(name)], known[spelling(wanted)]
	if len(found) == 0 || len(want) == 0 || slices.Contains(found, want[0]) {
		return nil
	}
	takes := "the case takes " + wanted
	if want[0].of == "number" {
		takes = "the case takes numbers without a unit"
	}
	for _, u := range found {
		if u.of == want[0].of && u.of != "temperature" {
			return wrong(part, "values times "+short(u.factor/want[0].factor), "%s is in %s, and %s", what, name, takes)
		}
	}
	return wrong(part, "values in the units of the case, or no units in the file where they are", "%s is in %s, and %s", what, name, takes)
}

// unitIn returns the unit in brackets behind the name of a column: of "z (m)" it is m.
func unitIn(name string) string {
	i := strings.IndexAny(name, "([{")
	if i < 1 {
		return ""
	}
	text := strings.TrimSpace(name[i+1:])
	return strings.TrimRight(text, ")]} ")
}
