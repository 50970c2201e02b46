package convect

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// link is the target of a link or picture in Markdown: [text](target) or ![text](target).
var link = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// TestLinksLeadSomewhere follows every relative link of every Markdown page to a file or folder, and to a heading where the link names one.
func TestLinksLeadSomewhere(t *testing.T) {
	followed := 0
	for _, page := range pages(t) {
		for _, found := range link.FindAllStringSubmatch(prose(t, page), -1) {
			target := found[1]
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			followed++
			path, heading, _ := strings.Cut(target, "#")
			file := page
			if path != "" {
				file = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: the link %s leads nowhere", page, target)
			} else if heading != "" && !anchors(prose(t, file))[heading] {
				t.Errorf("%s: the link %s names a heading that is not there", page, target)
			}
		}
	}
	if followed == 0 {
		t.Error("no links found")
	}
}

// TestAnchors checks the names that headings get in links.
func TestAnchors(t *testing.T) {
	got := anchors("# On a GPU\n\ntext\n## Group `/convect` of snapshots\n## Same\n### Same\n## Salt and CO₂\nno # heading\n")
	for _, want := range []string{"on-a-gpu", "group-convect-of-snapshots", "same", "same-1", "salt-and-co"} {
		if !got[want] {
			t.Errorf("no anchor %q in %v", want, got)
		}
	}
	if len(got) != 5 {
		t.Errorf("%d anchors in %v, want 5", len(got), got)
	}
}

// pages lists the Markdown files of the repository.
func pages(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "bin" || strings.HasSuffix(entry.Name(), ".out")):
			return filepath.SkipDir
		case !entry.IsDir() && strings.HasSuffix(path, ".md"):
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// prose is the text of a page without its blocks of code.
func prose(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	code := false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		} else if !code {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// anchors is the set of names by which links reach the headings of a page: letters, decimal digits and underscores in lower case, spaces as
// hyphens, other signs left out, and a number behind a name that was there before.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	times := map[string]int{}
	for line := range strings.Lines(text) {
		title := strings.TrimLeft(line, "#")
		if len(title) == len(line) || !strings.HasPrefix(title, " ") {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.In(r, unicode.Letter, unicode.Mark, unicode.Nd, unicode.Pc) || r == '-':
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(title))
		if n := times[name]; n > 0 {
			found[fmt.Sprintf("%s-%d", name, n)] = true
		} else {
			found[name] = true
		}
		times[name]++
	}
	return found
}
