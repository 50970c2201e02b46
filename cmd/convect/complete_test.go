package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A real bash asks the real program: what it would put in the place of the word that ends a line.
func TestCompletionInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	dir := t.TempDir()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binary, filepath.Join(dir, "convect")); err != nil {
		t.Fatal(err)
	}
	script, _ := mustRun(t, dir, "completion", "bash")
	for line, want := range map[string]string{
		"convect ru":                                     "run",
		"convect help ini":                               "init",
		"convect re":                                     "restart",
		"convect completion ":                            "bash zsh fish",
		"convect run a.yaml --resu":                      "--resume",
		"convect run a.yaml --walltime ":                 "",
		"convect run a.yaml --device c":                  "cpu",
		"convect run a.yaml --device=au":                 "auto",
		"convect run --set physics.ra":                   "physics.rayleigh=",
		"convect run --set=physics.ra":                   "physics.rayleigh=",
		"convect run --set time.end=1 --set grid.s":      "grid.size=",
		"convect sweep a.yaml --vary solver.pressure.to": "solver.pressure.tolerance=",
		"convect sweep a.yaml --continue physics.ra":     "physics.rayleigh",
		"convect run --force b":                          "",
		"convect run -- --re":                            "",
		"convect nothing --re":                           "",
		"convect init --template sea":                    "seawater",
		"convect plot a.out --colours vi":                "vik viridis",
	} {
		c := exec.Command(bash, "--norc", "--noprofile", "-c", script+"\nCOMP_LINE=$1 COMP_POINT=${#1}\n_convect\necho \"${COMPREPLY[*]}\"", "bash", line)
		c.Env = append(os.Environ(), asProgram+"=1", "PATH="+dir+":"+os.Getenv("PATH"))
		out, err := c.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: %q, want %q: %v", line, strings.TrimSpace(string(out)), want, err)
		}
	}
}

// Every command and every option is offered, and what is offered is taken.
func TestCompletionIsComplete(t *testing.T) {
	for _, c := range commands() {
		if offered := slices.Contains(candidates(nil, ""), c.name); offered == c.hidden {
			t.Errorf("%s: offered %v", c.name, offered)
		}
		for _, name := range candidates([]string{c.name}, "--") {
			if c.flags.Lookup(strings.TrimPrefix(name, "--")) == nil && name != "--help" {
				t.Errorf("%s has no %s", c.name, name)
			}
		}
	}
	for _, shell := range shells() {
		if script, _ := mustRun(t, t.TempDir(), "completion", shell); !strings.Contains(script, completeName) {
			t.Errorf("%s: a script that does not ask", shell)
		}
	}
}
