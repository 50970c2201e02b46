package snapshot

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"convect/io/h5"
)

// Every dataset and attribute of a snapshot is in the documentation.
func TestDocumented(t *testing.T) {
	docs, err := os.ReadFile("../../docs/formats.md")
	must(t, err)
	o := options(t.TempDir())
	write(t, newWriter(t, o), box(), 1)
	r, err := h5.Open(filepath.Join(o.Dir, Folder, fileName(1)))
	must(t, err)
	names := []string{XDMFName, SeriesName}
	must(t, r.Walk(func(o h5.Object) error {
		if o.Kind == h5.Dataset {
			names = append(names, o.Path)
		}
		for _, a := range o.Attributes {
			names = append(names, a.Name)
		}
		return nil
	}))
	for _, name := range names {
		if !strings.Contains(string(docs), "`"+name+"`") {
			t.Errorf("docs/formats.md does not tell of %s", name)
		}
	}
}
