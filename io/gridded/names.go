package gridded

import (
	"path"
	"slices"
	"strings"
)

// usual are the names of coordinates along x, y, z, beside the letters themselves.
var usual = [3][]string{{"x", "xc", "easting", "east"}, {"y", "yc", "northing", "north"}, {"z", "zc", "elevation", "height", "altitude"}}

// endings say what the coordinates of such a name are.
var endings = []struct {
	word string
	what string // Points, Cells (centres) or "" (found out by their number)
}{
	{"edges", ""}, {"edge", ""}, {"faces", ""}, {"coordinates", ""}, {"coordinate", ""}, {"coords", ""}, {"coord", ""},
	{"nodes", Points}, {"points", Points}, {"centers", Cells}, {"centres", Cells}, {"center", Cells}, {"centre", Cells},
}

// bare returns a name without its folder and its unit: "/a/Z (m)" becomes Z.
func bare(name string) string {
	if i := strings.IndexAny(name, "([{"); i > 0 {
		name = name[:i]
	}
	return strings.TrimRight(strings.TrimSpace(path.Base("/"+name)), "_-. ")
}

// simple is bare in lower case.
func simple(name string) string { return strings.ToLower(bare(name)) }

// axisOf returns the axis whose coordinates usually have a name, -1 for none, and what the name says of them.
func axisOf(name string) (d int, what string) {
	name = simple(name)
	for _, e := range endings {
		if rest, ok := strings.CutSuffix(name, e.word); ok && rest != "" {
			name, what = strings.TrimRight(rest, "_-. "), e.what
			break
		}
	}
	name = strings.TrimSuffix(name, "_m")
	for d, names := range usual {
		if slices.Contains(names, name) {
			return d, what
		}
	}
	return -1, ""
}

// downwards tells a name of depths, which count down where z counts up.
func downwards(name string) bool {
	name = strings.TrimSuffix(simple(name), "_m")
	return slices.Contains([]string{"depth", "depths", "tvd", "tvdss", "depth_m"}, name)
}

const depthAdvice = "%s holds depths, which count down from the top; z counts up from the bottom of the domain: write z = height of the domain - depth"

// preferred returns those of the names that are the first of the usual ones that any of them is. A single letter means another thing in another
// case (T a temperature, t a time).
func preferred(names, usual []string) []string {
	for _, u := range usual {
		var found []string
		for _, name := range names {
			base := bare(name)
			if base == u || len(u) > 1 && strings.EqualFold(base, u) {
				found = append(found, name)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}
