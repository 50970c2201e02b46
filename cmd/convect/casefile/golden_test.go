package casefile

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bad is testdata/bad.txt: wrong cases and every word that is said about each. A case starts at "=== name", with
// overrides as "--set …" behind it; below are changes to the base case (the lines of a section replace the section of
// that name), and below "---" the message. Run with -update to write the messages anew, then read them.
const bad = "testdata/bad.txt"

func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

func TestMain(m *testing.M) {
	flag.Bool("update", false, "write the golden files anew")
	os.Exit(m.Run())
}

// base is the case that the wrong ones start from, by section.
func base() []string {
	return []string{
		"grid:\n  cells: [8, 4]\n  size: [2, 1]\n",
		"physics:\n  rayleigh: 100\n",
		"boundaries:\n  bottom: {temperature: 1}\n  top: {temperature: 0}\n",
		"time:\n  end: 1\n",
	}
}

// withSections replaces sections of the base case, and appends those that it does not have.
func withSections(changes string) string {
	sections := base()
	for _, change := range splitSections(changes) {
		name, _, _ := strings.Cut(change, ":")
		found := false
		for i, s := range sections {
			if strings.HasPrefix(s, name+":") {
				sections[i], found = change, true
			}
		}
		if !found {
			sections = append(sections, change)
		}
	}
	return strings.Join(sections, "")
}

// splitSections cuts text before every line that does not start with a space or bracket.
func splitSections(text string) []string {
	var sections []string
	for _, line := range strings.SplitAfter(text, "\n") {
		if line == "" {
			continue
		}
		if len(sections) == 0 || !strings.ContainsAny(line[:1], " \t\n]}#-") {
			sections = append(sections, "")
		}
		sections[len(sections)-1] += line
	}
	return sections
}

func TestBadCases(t *testing.T) {
	text, err := os.ReadFile(bad)
	if err != nil {
		t.Fatal(err)
	}
	var renewed strings.Builder
	for _, block := range strings.Split(string(text), "=== ")[1:] {
		head, rest, _ := strings.Cut(block, "\n")
		changes, want, _ := strings.Cut(rest, "---\n")
		name, overrides, _ := strings.Cut(head, " --set ")
		got := problem(withSections(changes), overrides)
		fmt.Fprintf(&renewed, "=== %s\n%s---\n%s\n\n", head, changes, got)
		if updating() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(strings.TrimSpace(want), got); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
	if updating() {
		if err := os.WriteFile(bad, []byte(renewed.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// problem returns what Parse and Build say about a case, with FOLDER for the folder in which the test runs.
func problem(text, overrides string) string {
	var set []string
	if overrides != "" {
		set = strings.Split(overrides, " --set ")
	}
	c, err := Parse("case.yaml", []byte(text), set)
	if err == nil {
		err = c.Build(BuildOptions{})
	}
	if err == nil {
		return "no error"
	}
	folder, _ := os.Getwd()
	return strings.ReplaceAll(err.Error(), folder, "FOLDER")
}
