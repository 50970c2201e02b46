package casefile

// schema returns the keys of every section, in the order of the reference, for a case with these tracers. A section within a list has the path of
// the list with "[]".
func schema(tracers []string) map[string][]string {
	wall, flow := wallKeys(), kindKeys(flowKinds(), false)
	solver := []string{"method", "tolerance", "cycle", "smoother", "pre", "post", "max_iterations"}
	s := map[string][]string{
		"":                               {"title", "grid", "physics", "boundaries", "wells", "initial", "time", "solver", "output", "checkpoint"},
		"grid":                           {"cells", "size", "grading"},
		"grid.grading":                   {"x", "y", "z"},
		"physics":                        {"rayleigh", "temperature", "dimensional", "permeability", "porosity", "heat_capacity_ratio", "viscosity", "buoyancy", "density", "diffusivity", "conductivity", "heat_source"},
		"physics.dimensional":            {"permeability", "viscosity", "density", "expansivity", "temperature_difference", "height", "conductivity", "heat_capacity", "porosity", "rock_density", "rock_heat_capacity", "gravity", "haline_contraction", "solute_difference", "solute_diffusivity"},
		"physics.permeability":           append([]string{"layers", "lognormal"}, fieldFileKeys()...),
		"physics.permeability.layers[]":  {"top", "value"},
		"physics.permeability.lognormal": {"mean_log", "variance", "correlation", "seed"},
		"boundaries":                     {"left", "right", "front", "back", "bottom", "top", "sides", "patches"},
		"boundaries.patches[]":           append([]string{"wall", "name", "x", "y", "z"}, wall...),
		"boundaries.patches[].flow":      flow,
		"wells[]":                        wellKeys(),
		"time":                           {"end", "cfl", "first_step", "max_step", "wall_tolerance", "steady"},
		"solver":                         {"stencil", "transport", "precision", "pressure"},
		"solver.pressure":                solver,
		"output":                         {"every", "fields", "precision", "compress", "ends", "probes", "slices", "averages"},
		"output.every":                   {"time", "steps", "times"},
		"checkpoint":                     {"every", "keep", "end"},
		"checkpoint.every":               {"time", "steps"},
	}
	for _, field := range []string{"permeability[]", "porosity", "heat_capacity_ratio", "viscosity", "diffusivity", "diffusivity[]", "conductivity", "conductivity[]", "heat_source"} {
		s["physics."+field] = fieldFileKeys()
	}
	measureSections(s)
	addSections(s, "boundaries.patches[]")
	addCarried(s)
	s[tableShape] = []string{"table", "column", "time", "time_unit", "interpolation", "repeat"}
	for _, axis := range []string{"x", "y", "z"} {
		s["grid.grading."+axis] = []string{"cluster", "ratio"}
	}
	for _, name := range []string{"left", "right", "front", "back", "bottom", "top", "sides"} {
		s["boundaries."+name] = append(wallKeys(), "periodic")
		s["boundaries."+name+".flow"] = flow
		addSections(s, "boundaries."+name)
	}
	addTracers(s, tracers)
	addDispersions(s, tracers)
	return s
}

// notHierarchical is why there is no smoother hierarchical any more.
const notHierarchical = "hierarchical Jacobi is no smoother of cases any more: chebyshev was faster in 3-D and, by far, on GPUs"

// retired is what is said of keys that earlier versions had: why they are refused, and what to use.
type retired struct{ why, accepted string }

// retiredKeys returns the keys that earlier versions had, by path. Without a value they are accepted, as all keys are.
func retiredKeys() map[string]retired {
	blocks := retired{notHierarchical, "no such key: pre and post are the sweeps of the other smoothers"}
	return map[string]retired{"solver.pressure.subiterations": blocks, "solver.pressure.overlap": blocks, "solver.pressure.block": blocks}
}

// tableShape is the path of a value in time given by a table; those of other walls, patches and the heat source have the same keys.
const tableShape = "boundaries.bottom.temperature"

// Nearest returns the candidate that a misspelt word most likely means, or "".
func Nearest(word string, candidates []string) string {
	best, least := "", 0
	for _, c := range candidates {
		d := distance(word, c)
		if (best == "" || d < least) && d <= max(1, len([]rune(c))/3) && d < len([]rune(c)) {
			best, least = c, d
		}
	}
	return best
}

// distance is the number of insertions, deletions, replacements and exchanges of neighbours between two words.
func distance(from, to string) int {
	a, b := []rune(from), []rune(to)
	const longest = 64
	if len(a) > longest {
		return len(a)
	}
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
