package casefile

import (
	"fmt"
	"slices"
	"strings"
)

// tracerNames lists the tracers that a case names, right or wrong.
func tracerNames(root *node) []string {
	var names []string
	at := root
	for _, key := range []string{"physics", "tracers"} {
		if at == nil || at.kind != mapping {
			return nil
		}
		at = at.find(key)
	}
	if at == nil || at.kind != mapping {
		return nil
	}
	for _, e := range at.entries {
		names = append(names, e.key)
	}
	return names
}

// ScalarsOf lists what the case in a text may transport, by the names of its fields; what is wrong in the text is passed over.
func ScalarsOf(text []byte) []string {
	root, _ := parseFile("", text)
	names := []string{"temperature", soluteCarried(0, "").name}
	for _, name := range tracerNames(root) {
		if isName(name) {
			names = append(names, name)
		}
	}
	return names
}

// addTracers adds the sections of tracers to a schema.
func addTracers(schema map[string][]string, names []string) {
	schema["initial"] = append(schema["initial"], "tracers")
	of := soluteCarried(0, "tracer")
	walls := append(kindKeys(of.kinds, false), of.inflow)
	for section, keys := range schema {
		if slices.Contains(keys, "tracers") && section != "physics" && section != "initial" {
			schema[section+".tracers"] = names
			for _, name := range names {
				if section == "wells[]" {
					schema[section+".tracers."+name] = []string{"concentration"}
					continue
				}
				schema[section+".tracers."+name] = walls
				addKinds(schema, section+".tracers."+name, of.kinds)
			}
		}
	}
	schema["physics.tracers"], schema["initial.tracers"] = names, names
	for _, name := range names {
		schema["physics.tracers."+name] = soluteKeys()
		schema["physics.tracers."+name+".diffusivity"], schema["physics.tracers."+name+".diffusivity[]"] = fieldFileKeys(), fieldFileKeys()
		schema["initial.tracers."+name] = fieldFileKeys()
	}
}

// tracerSections returns the section of a wall or of the start that holds what is said of tracers.
func (c *Case) tracerSections(s section) section {
	v := s.get("tracers")
	if v.given() && !slices.ContainsFunc(c.plan.solutes, func(p *solute) bool { return p.name != "" }) {
		v.refuse("physics.tracers, a section with a section for each tracer, as {a: {lewis: 1}}", "there are no tracers in this case")
		return section{value{d: v.d, key: v.key, shape: v.shape, at: v.at, broken: true}}
	}
	tracers, _ := v.section()
	return tracers
}

// mostTracers bounds the number of tracers.
const mostTracers = 64

// longestName is the longest name of a tracer.
const longestName = 40

// takenNames are those that a tracer cannot have: those of what a run writes beside it.
func takenNames() []string {
	return []string{"temperature", "concentration", "solute", "heat", "pressure", "velocity", "buoyancy", "sherwood", "nusselt", "steady", "viscosity", "step", "time", "dt", "x", "y",
		"z", "t", "T", "S", "diffusion", "advection", "range", "speed", "streamfunction", "divergence", "cycles", "wall", "heating", "cooling", "noise", "right", "room", "scratch", "component", "permeability", "convect", "VTKHDF", "average"}
}

// decodeTracers checks the names of the tracers.
func (c *Case) decodeTracers(v value) {
	if !v.given() {
		return
	}
	if v.node.kind != mapping || len(v.node.entries) == 0 {
		v.wrong("a section with a section for each tracer, as {a: {lewis: 1}}")
		return
	}
	if n := len(v.node.entries); n > mostTracers {
		v.refuse(fmt.Sprintf("up to %d tracers", mostTracers), "there are %d", n)
	}
	names := tracerNames(c.root.node)
	for _, e := range v.node.entries {
		first, _, _ := strings.Cut(e.key, "_")
		clash := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(e.key, name+"_") })
		at := section{v}.get(e.key)
		at.at = e.at
		switch {
		case !isName(e.key):
			at.refuse(fmt.Sprintf("letters, digits and _, a letter first, up to %d", longestName), "%s is no name of a tracer", quoted(e.key))
		case slices.Contains(takenNames(), first), e.key == "fluid":
			at.refuse("another name", "%s is the name of something else in tables and files", first)
		case clash >= 0:
			at.refuse("names of which none begins with another and _", "it begins as the tracer %s does", names[clash])
		}
	}
}

// isName tells whether a text can name a tracer.
func isName(text string) bool {
	letter := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	return text != "" && len(text) <= longestName && letter(rune(text[0])) &&
		strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// decodeIsothermal reads whether there is a temperature, and refuses what would have one without it.
func (c *Case) decodeIsothermal(s section) {
	v := s.get("temperature")
	if !v.given() {
		return
	}
	if v.choice([]string{"none"}); !c.Parameters.Isothermal {
		return
	}
	keys := []string{"heat_capacity_ratio", "diffusivity", "conductivity", "heat_source"}
	for _, of := range volumeTerms() {
		keys = append(keys, of.key)
	}
	for _, key := range keys {
		if k := s.get(key); k.given() {
			k.refuse("no such key where physics.temperature is none", "there is no heat equation in this case")
		}
	}
}
