package casefile

import (
	"regexp"
	"slices"
	"strings"
)

// index is the index of a list within a path of keys, as [0].
var index = regexp.MustCompile(`\[[0-9]+\]`)

// CompleteKey returns what a path of keys that begins with word may go on as, in the order of the reference: the path of a key with what follows it:
// "=" where a value may stand, "." where it is a section, "[0]." where it is a list of sections.
func CompleteKey(word string) []string {
	s := schema(nil)
	above, begun := "", word
	if i := strings.LastIndex(word, "."); i >= 0 {
		above, begun = word[:i], word[i+1:]
	}
	section := index.ReplaceAllString(above, "[]")
	var found []string
	for _, key := range s[section] {
		if !strings.HasPrefix(key, begun) {
			continue
		}
		path, shape := join(above, key), join(section, key)
		found = append(found, path+"=")
		if _, is := s[shape]; is {
			found = append(found, path+".")
		}
		if _, is := s[shape+"[]"]; is {
			found = append(found, path+"[0].")
		}
	}
	return slices.Compact(found)
}
