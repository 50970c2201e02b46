package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"convect/cmd/convect/casefile"
)

func TestInit(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, dir, "init")
	mustRun(t, dir, "init", "deep/mine.yml")
	for _, name := range []string{"case.yaml", "deep/mine.yml"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(text) != template {
			t.Errorf("%s: %v", name, err)
		}
	}
	if code, _, _ := convect(t, dir, "init"); code != exitUsage {
		t.Errorf("a second init: exit code %d", code)
	}
	mustRun(t, dir, "init", "--force")
	mustRun(t, dir, "run", "case.yaml", "--set", "time.end=0.001", "--out", "out")
}

// Every template is a case that can be checked without a warning, and runs.
func TestTemplatesRun(t *testing.T) {
	dir := t.TempDir()
	for _, name := range templateNames() {
		mustRun(t, dir, "init", name, "--template", name)
		if name == sweepTemplate {
			continue // TestSweepTemplate
		}
		// What enters a uniform sea or aquifer is what drives the flow there.
		if out, _ := mustRun(t, dir, "check", name+".yaml"); strings.Contains(out, "warning") || !strings.Contains(out, "typical velocity") {
			t.Errorf("%s: %s", name, out)
		}
		mustRun(t, dir, "run", name+".yaml", "--set", "time.end=1e-4", "--set", "output.every={steps: 100}")
	}
	if files, err := templates.ReadDir("templates"); err != nil || len(files) != len(templateNames()) { // keys is none of the files, a sweep has two
		t.Errorf("%d templates, %d names: %v", len(files), len(templateNames()), err)
	}
	if code, _, errs := convect(t, dir, "init", "x", "--template", "lava"); code != exitUsage || !strings.Contains(errs, "accepted: keys, water, seawater, brine") {
		t.Errorf("a template that is none: exit code %d\n%s", code, errs)
	}
}

// A template that is made from a shipped case says all that the case says.
func TestTemplatesOfShippedCases(t *testing.T) {
	for name, of := range map[string]string{"geothermal": "geothermal", "co2": "dissolution", "henry": "henry"} {
		shipped, err := os.ReadFile(filepath.Join("../../runs", of, "case.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		text, err := templateOf(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(shipped)) {
			if !strings.HasPrefix(line, "#") && !strings.Contains(text, line) {
				t.Errorf("%s lacks what runs/%s says: %s", name, of, line)
			}
		}
	}
}

// The template of a sweep names the case beside it, and all its runs are right.
func TestSweepTemplate(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, dir, "init", "deep/my study", "--template", "sweep")
	if out, _ := mustRun(t, dir, "sweep", "deep/my study.yaml", "--dry-run"); !strings.Contains(out, "6 runs of") {
		t.Error(out)
	}
	if code, _, errs := convect(t, dir, "init", "deep/my study", "--template", "sweep"); code != exitUsage || !strings.Contains(errs, "is there already") {
		t.Errorf("a second init: exit code %d\n%s", code, errs)
	}
	mustRun(t, dir, "init", "study", "--template", "sweep")
	mustRun(t, dir, "sweep", "study.yaml", "--set", "time.end=1e-3", "--threads", "1")
}

// alternative is a commented line of the template: a key with a value, under a section.
type alternative struct{ key, value string }

// alternatives lists the commented keys of the template.
func alternatives(t *testing.T) []alternative {
	t.Helper()
	section := regexp.MustCompile(`^([a-z]+):`)
	option := regexp.MustCompile(`^( *)# ([a-z_]+): (.+)$`)
	var all []alternative
	in := ""
	for line := range strings.Lines(template) {
		line = strings.TrimRight(line, "\n")
		if m := section.FindStringSubmatch(line); m != nil {
			in = m[1]
		}
		m := option.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		value := m[3]
		if i := strings.Index(value, "  #"); i >= 0 {
			value = value[:i]
		}
		key := m[2]
		if m[1] != "" {
			key = in + "." + key
		}
		all = append(all, alternative{key, value})
	}
	return all
}

// dimensional is the template's section in SI units.
func dimensional(all []alternative) string {
	for _, a := range all {
		if a.key == "physics.dimensional" {
			return a.value
		}
	}
	return ""
}

// TestTemplate checks the case file of init, and it with each of its alternatives in place.
func TestTemplate(t *testing.T) {
	all := append(alternatives(t), alternative{"title", "as it is"})
	if len(all) < 25 {
		t.Fatalf("%d alternatives found in the template", len(all))
	}
	for _, a := range all {
		set := []string{a.key + "=" + a.value}
		switch a.key {
		case "physics.dimensional":
			set = append(set, "physics.rayleigh=")
		case "physics.dispersion":
			set = append(set, "physics.solute={buoyancy_ratio: 1, lewis: 1}")
		case "physics.density":
			dry := regexp.MustCompile("expansivity: [^,]*, ").ReplaceAllString(dimensional(all), "")
			set = append(set, "physics.rayleigh=", "physics.dimensional="+dry)
		case "physics.conductivity", "physics.porosity":
			set = append(set, "physics.rayleigh=", "physics.dimensional="+dimensional(all))
		case "boundaries.left":
			set = append(set, "boundaries.right={flow: {velocity: -1}}")
		}
		c, err := casefile.Parse("case.yaml", []byte(template), set)
		if err != nil {
			t.Errorf("%s: %s:\n%v", a.key, a.value, err)
			continue
		}
		if strings.Contains(a.value, "file:") {
			continue // the file is not there
		}
		if err := c.Build(casefile.BuildOptions{}); err != nil {
			t.Errorf("%s: %s:\n%v", a.key, a.value, err)
		}
	}
}
