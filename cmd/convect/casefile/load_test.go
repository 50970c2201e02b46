package casefile

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pipe makes a named pipe.
func pipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCaseFromAPipe(t *testing.T) {
	path := pipe(t)
	go func() {
		time.Sleep(100 * time.Millisecond)
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return
		}
		for _, part := range base() {
			time.Sleep(20 * time.Millisecond)
			f.WriteString(part)
		}
		f.Close()
	}()
	c, err := Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.With("physics.rayleigh=200")
	if err != nil || again.Parameters.Rayleigh != 200 {
		t.Errorf("once more: %v", err)
	}
}

func TestCasesThatAreNoFiles(t *testing.T) {
	began := time.Now()
	for path, want := range map[string]string{
		pipe(t):     "nobody writes into the pipe",
		"/dev/zero": "more than 1048576 bytes are too many for a case file",
		"/dev/null": "physics.rayleigh: missing",
		t.TempDir(): "is a directory",
	} {
		if _, err := Load(path, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	endless := pipe(t)
	go func() {
		f, err := os.OpenFile(endless, os.O_WRONLY, 0)
		for err == nil {
			_, err = f.WriteString(strings.Repeat("# and so on\n", 1000))
		}
	}()
	if _, err := Load(endless, nil); err == nil || !strings.Contains(err.Error(), "too many for a case file") {
		t.Errorf("an endless pipe: %v", err)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestAllErrorsAtOnce lists faults of YAML, keys, values, expressions, overrides and files together.
func TestAllErrorsAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "case.yaml")
	text := `grid:
  cells: [8, 4
  size: [2, 1]
physics:
  rayleigh: 1e
  permeability: {file: none.h5}
  heat_source: "2*(x"
boundaries:
  bottom: {temperature: x +}
  top: {temperature: "0}
  botom: {temperature: 1}
 left: closed
initial:
  temperature: {file: nothing.hdf}
time:
	end: 1
solver: &a {stencil: 7}
`
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Load(path, []string{"checkpoint.keep=few", "output.every=[1"})
	if err == nil {
		t.Fatal("it was read")
	}
	var heads []string
	for line := range strings.Lines(err.Error()) {
		if strings.HasPrefix(line, path) || strings.HasPrefix(line, "--set") {
			heads = append(heads, strings.TrimPrefix(strings.TrimSpace(line), path+":"))
		}
	}
	want := []string{
		"2:10: the bracket [ is not closed",
		`5:13: physics.rayleigh: "1e" is not a number`,
		"6:24: physics.permeability.file: there is no file ",
		"7:19: physics.heat_source: the parenthesis ( is not closed",
		"9:28: boundaries.bottom.temperature: the expression ends where a number is due behind +",
		"10:22: the quote is not closed",
		"11:3: boundaries.botom: unknown key (did you mean bottom?)",
		`12:2: "left: closed" `,
		"14:23: initial.temperature.file: there is no file ",
		"16:1: a tab where spaces are needed",
		"17:9: anchors and aliases are not accepted",
		"--set output.every=[1: the bracket [ is not closed",
		`--set checkpoint.keep=few: checkpoint.keep: "few" is not a number`,
	}
	for i := range max(len(want), len(heads)) {
		if i >= len(want) || i >= len(heads) || !strings.HasPrefix(heads[i], want[i]) {
			t.Fatalf("error %d of\n%s", i, strings.Join(heads, "\n"))
		}
	}
}
