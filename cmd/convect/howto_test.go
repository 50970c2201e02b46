package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"convect/cmd/convect/sweep"
	"convect/kernels/devicetest"
)

// howTo writes the blocks of docs/howto.md whose first line is a comment with the name of a file into a folder, and returns the names.
func howTo(t *testing.T) (dir string, names []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/howto.md")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for _, block := range regexp.MustCompile("(?s)```[a-z]+\n# (\\S+)\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		if err := os.WriteFile(filepath.Join(dir, block[1]), []byte(block[2]), 0o666); err != nil {
			t.Fatal(err)
		}
		names = append(names, block[1])
	}
	return dir, names
}

// Every case of the page runs to its end without a warning, and so do its scripts, the Python ones where there is Python with what they import.
func TestHowTo(t *testing.T) {
	devicetest.Long(t)
	dir, names := howTo(t)
	wrapProgram(t, dir)
	writeText(t, filepath.Join(dir, "square.yaml"), readFile(t, "../../runs/square/case.yaml"))
	script := func(words ...string) {
		c := exec.Command(words[0], words[1:]...)
		c.Dir, c.Env = dir, append(os.Environ(), asProgram+"=1", "PATH="+dir+":"+os.Getenv("PATH"))
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", words, err, out)
		}
	}
	cases := 0
	var later []string // sweeps, whose cases are written by scripts
	for _, name := range names {
		switch filepath.Ext(name) {
		case ".yaml":
			if sweep.IsFile([]byte(sweptText(t, dir, name))) {
				later = append(later, name)
				continue
			}
			cases++
			if out, errs := mustRun(t, dir, "run", name); strings.Contains(out+errs, "WRN") {
				t.Errorf("%s warns:\n%s", name, errs)
			}
			if out, errs := mustRun(t, dir, "check", name); strings.Contains(out+errs, "  warning ") {
				t.Errorf("the check of %s warns:\n%s", name, out)
			}
		case ".sh":
			script("sh", name)
		case ".py":
			if err := exec.Command("/usr/bin/python3", "-c", "import h5py").Run(); err != nil {
				t.Logf("%s is left out: %v", name, err)
				continue
			}
			script("/usr/bin/python3", name)
		}
	}
	for _, name := range later {
		mustRun(t, dir, "sweep", name, "--set", "time.end=0.1", "--set", "grid.cells=[16,16]")
	}
	if cases < 4 {
		t.Errorf("the page has %d cases", cases)
	}
	text, err := os.ReadFile(filepath.Join(dir, "log.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "k.h5")); err == nil { // what the page says of log.yaml, done
		field := strings.Replace(string(text), "{file: log.csv, column: k}", "{file: k.h5, dataset: /k}", 1)
		writeText(t, filepath.Join(dir, "field.yaml"), field)
		mustRun(t, dir, "run", "field.yaml")
	}
	soil, err := os.ReadFile(filepath.Join(dir, "soil.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(dir, "weather.yaml"), strings.Replace(string(soil), `"10*sin(2*pi*t/86400)"`, "{table: weather.csv, column: T, repeat: 1 d}", 1))
	mustRun(t, dir, "run", "weather.yaml")
}

// wrapProgram makes a command convect in a folder that is the program on one thread.
func wrapProgram(t *testing.T, dir string) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const few = " --set time.end=1e-3" // of a sweep, which is tested elsewhere
	writeText(t, filepath.Join(dir, "convect"), "#!/bin/sh\n[ $1 != run ] || set -- \"$@\" --threads 1\n[ $1 != sweep ] || set -- \"$@\" --force"+few+"\nexec '"+binary+"' \"$@\"\n")
	if err := os.Chmod(filepath.Join(dir, "convect"), 0o777); err != nil {
		t.Fatal(err)
	}
}

// writeText writes a file.
func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
