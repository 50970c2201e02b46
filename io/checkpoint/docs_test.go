package checkpoint_test

import (
	"os"
	"strings"
	"testing"

	"convect/io/checkpoint"
	"convect/io/h5"
)

// Every field, scalar and attribute of a checkpoint of a run is in the documentation.
func TestDocumented(t *testing.T) {
	docs, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := directory(t, "plane")
	if err := simulate(dir); err != nil {
		t.Fatal(err)
	}
	path, _, err := checkpoint.Latest(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := h5.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	err = r.Walk(func(o h5.Object) error {
		for _, a := range o.Attributes {
			documented(t, string(docs), a.Name)
		}
		for _, folder := range []string{"/fields/", "/scalars/"} {
			if name, ok := strings.CutPrefix(o.Path, folder); ok {
				documented(t, string(docs), name)
				found[folder]++
			}
		}
		return nil
	})
	if err != nil || found["/fields/"] < 5 || found["/scalars/"] < 5 {
		t.Errorf("error %v, found %v", err, found)
	}
}

func documented(t *testing.T, docs, name string) {
	t.Helper()
	if !strings.Contains(docs, "`"+name+"`") {
		t.Errorf("docs/formats.md does not tell of %s", name)
	}
}
