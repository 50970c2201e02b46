package main

import (
	"runtime/debug"
	"slices"
	"testing"
)

func TestBuildLines(t *testing.T) {
	for _, c := range []struct {
		settings []debug.BuildSetting
		want     []string
	}{
		{nil, []string{"commit not recorded", "build  for processor alone"}},
		{
			[]debug.BuildSetting{
				{Key: "-tags", Value: "netgo,cuda"}, {Key: "vcs.revision", Value: "0123abcd"},
				{Key: "vcs.time", Value: "2026-11-25T10:00:00Z"}, {Key: "vcs.modified", Value: "true"},
			},
			[]string{"commit 0123abcd of 2026-11-25T10:00:00Z, with changes that are not committed", "build  for processor and NVIDIA GPUs"},
		},
	} {
		if got := buildLines(&debug.BuildInfo{Settings: c.settings}); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
