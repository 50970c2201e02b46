package series

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// Every column and every key of the summary is in the documentation.
func TestDocumented(t *testing.T) {
	docs, err := os.ReadFile("../../docs/formats.md")
	must(t, err)
	dir := t.TempDir()
	run(t, newWriter(t, dir), 0, 1)
	names := []string{SeriesName, ProfilesName, SummaryName}
	for _, table := range []string{SeriesName, ProfilesName} {
		header, _, _ := strings.Cut(text(t, dir, table), "\n")
		names = append(names, strings.Split(header, ",")...)
	}
	summary := reflect.TypeFor[Summary]()
	for i := range summary.NumField() {
		key, _, _ := strings.Cut(summary.Field(i).Tag.Get("json"), ",")
		names = append(names, key)
	}
	for _, name := range names {
		if !strings.Contains(string(docs), "`"+name+"`") {
			t.Errorf("docs/formats.md does not tell of %s", name)
		}
	}
}
