package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const quickCase = `grid: {cells: [8, 8], size: [1, 1]}
physics: {rayleigh: 100}
boundaries: {bottom: {temperature: 1}, top: {temperature: 0}}
initial: {perturbation: {mode: [1, 1], amplitude: 0.1}}
time: {end: 0.02, max_step: 0.001}
output: {every: {steps: 4}}
checkpoint: {every: {steps: 5}, keep: 3}
`

// undisturbed returns a round whose case has run to its end.
func undisturbed(t *testing.T) *round {
	t.Helper()
	o := &options{convect: filepath.Join(t.TempDir(), "convect"), dir: t.TempDir(), most: 5}
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", o.convect, "convect/cmd/convect").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	d := newRound(&tally{options: o, ends: map[string]map[string]int{}}, 0, time.Now())
	d.drawn = drawn{text: quickCase, every: 5}
	if err := d.prepare(); err != nil {
		t.Fatal(err)
	}
	if p := d.reference(); p.code != 0 {
		t.Fatal(p)
	}
	var err error
	if d.whole, err = readEnded(filepath.Join(d.folder, "whole")); err != nil {
		t.Fatal(err)
	}
	return d
}

// copied returns a chain whose run is a copy of the undisturbed one.
func copied(t *testing.T, d *round) *chain {
	t.Helper()
	c := newChain(d, 0, 1)
	c.dir = filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(c.dir, os.DirFS(d.whole.dir)); err != nil {
		t.Fatal(err)
	}
	c.story = []*process{{}}
	return c
}

// edit changes the text of a file.
func edit(t *testing.T, change func(string) string, parts ...string) {
	t.Helper()
	path := filepath.Join(parts...)
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(change(string(text))), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What is wrong on purpose is found: otherwise it would say nothing that a soak finds nothing.
func TestJudge(t *testing.T) {
	d := undisturbed(t)
	t.Run("damage", func(t *testing.T) { damageIsFound(t, d) })
	t.Run("words", func(t *testing.T) { wordsAreJudged(t, d) })
}

func damageIsFound(t *testing.T, d *round) {
	if err := copied(t, d).judge(&process{}, 0); err != nil {
		t.Fatalf("an undamaged run: %v", err)
	}
	cut := func(text string) string { return text[:len(text)/2] }
	flip := func(text string) string { b := []byte(text); b[len(b)/2] ^= 1; return string(b) }
	last := d.whole.checkpoints[len(d.whole.checkpoints)-1]
	for name, damage := range map[string]func(c *chain){
		"a row lost": func(c *chain) {
			edit(t, func(s string) string {
				lines := strings.SplitAfter(s, "\n")
				return strings.Join(append(lines[:5:5], lines[6:]...), "")
			}, c.dir, "series.csv")
		},
		"a bit of a row": func(c *chain) {
			edit(t, func(s string) string { return strings.Replace(s, ",1.", ",2.", 1) }, c.dir, "series.csv")
		},
		"profiles cut":        func(c *chain) { edit(t, cut, c.dir, "profiles.csv") },
		"a bit of a snapshot": func(c *chain) { edit(t, flip, c.dir, "snapshots/snap_000004.hdf") },
		"a snapshot lost":     func(c *chain) { os.Remove(filepath.Join(c.dir, "snapshots/snap_000004.hdf")) },
		"sidecar cut":         func(c *chain) { edit(t, cut, c.dir, "snapshots.xmf") },
		"a checkpoint cut":    func(c *chain) { edit(t, cut, checkpointPath(c.dir, last)) },
		"all checkpoints lost": func(c *chain) {
			os.RemoveAll(filepath.Join(c.dir, "checkpoints"))
		},
		"the last checkpoint lost": func(c *chain) { os.Remove(checkpointPath(c.dir, last)); c.newest = last },
		"summary lost":             func(c *chain) { os.Remove(filepath.Join(c.dir, "summary.json")) },
		"picture lost":             func(c *chain) { os.Remove(filepath.Join(c.dir, "temperature.png")) },
		"half a file left":         func(c *chain) { os.WriteFile(filepath.Join(c.dir, "case.yaml.tmp"), nil, 0o666) },
		"lock left":                func(c *chain) { os.WriteFile(filepath.Join(c.dir, ".lock"), nil, 0o666) },
	} {
		c := copied(t, d)
		damage(c)
		if err := c.judge(&process{}, 0); err == nil {
			t.Errorf("%s: not found", name)
		}
	}
}

func wordsAreJudged(t *testing.T, d *round) {
	last := checkpointPath(d.whole.dir, d.whole.checkpoints[len(d.whole.checkpoints)-1])
	for name, c := range map[string]struct {
		process process
		good    bool
	}{
		"the truth":          {process{code: 1, errs: "no space left on device; the last whole checkpoint is " + last + ", of step"}, true},
		"an old one":         {process{code: 1, errs: "no space left on device; the last whole checkpoint is a/ckpt_000005.h5, of step"}, false},
		"none":               {process{code: 1, errs: "no space left on device; there is no checkpoint yet"}, false},
		"no reason":          {process{code: 1, errs: "the run failed"}, false},
		"wrong code":         {process{code: 2, errs: "no space left on device"}, false},
		"crash":              {process{code: 1, errs: "no space left on device\npanic: oh"}, false},
		"stuck":              {process{code: -1, stuck: true}, false},
		"damaged, it is not": {process{code: 1, errs: "no space left on device: damaged"}, false},
	} {
		if err := copied(t, d).judge(&c.process, 0, 1, because("ENOSPC")); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOrder(t *testing.T) {
	const good = `7 mkdirat(AT_FDCWD</x>, "/x/run", 0777) = 0
7 fsync(3</x>) = 0
8 fsync(4</x/run/a.tmp>) = 0
8 renameat(AT_FDCWD</x>, "/x/run/a.tmp", AT_FDCWD</x>, "/x/run/a") = 0
8 mkdirat(AT_FDCWD</x>, "/x/run", 0777) = -1 EEXIST (File exists)
9 fsync(5</x/run> <unfinished ...>
`
	lines := strings.SplitAfter(good, "\n")
	if err := checkOrder(good, "/x"); err != nil {
		t.Error(err)
	}
	for _, n := range []int{1, 2, 5} {
		if err := checkOrder(strings.Join(append(lines[:n:n], lines[n+1:]...), ""), "/x"); err == nil {
			t.Errorf("without %s nothing is wrong", lines[n])
		}
	}
}

// A round can be repeated: it draws the same again.
func TestDrawsRepeat(t *testing.T) {
	for n := range uint64(100) {
		if a, b := draw(rand.New(rand.NewPCG(1, n))), draw(rand.New(rand.NewPCG(1, n))); a != b {
			t.Errorf("%v and %v", a, b)
		}
	}
}
