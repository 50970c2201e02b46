package casefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A fault of a table names the line of the table and the line of the key.
func TestColumnsNameBothLines(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "w.csv"), []byte("time,T\n0,warm\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	root, err := parse("a.yaml", []byte("a: 1\nb: w.csv\nc: none.csv\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	d := &decoder{file: "a.yaml", dir: dir}
	for key, want := range map[string]string{"b": `a.yaml:2:4: b: ` + dir + `/w.csv:2: column T: "warm" is no number`, "c": "a.yaml:3:4: c: there is no file"} {
		n := root.find(key)
		v := value{d: d, key: key, node: n, at: n.at}
		d.errors = nil
		if _, ok := v.columns("time", "T"); ok || len(d.errors) != 1 || !strings.Contains(d.errors.Error(), want) {
			t.Errorf("%v, want %s", d.errors, want)
		}
	}
}
