package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// version returns the version that the Go tool recorded in the binary: that of a release, or of the commit that it was
// built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	revision, modified := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			revision = "-" + s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "+dirty"
		}
	}
	return "devel" + revision + modified
}

// buildLines tells of which commit the binary was made, and how, as far as the Go tool recorded it.
func buildLines(info *debug.BuildInfo) []string {
	of := map[string]string{}
	for _, s := range info.Settings {
		of[s.Key] = s.Value
	}
	commit := "not recorded"
	if of["vcs.revision"] != "" {
		commit = of["vcs.revision"] + " of " + of["vcs.time"]
	}
	if of["vcs.modified"] == "true" {
		commit += ", with changes that are not committed"
	}
	gpu := "processor alone"
	if slices.Contains(strings.Split(of["-tags"], ","), "cuda") {
		gpu = "processor and NVIDIA GPUs"
	}
	return []string{"commit " + commit, "build  for " + gpu}
}

func versionCommand() *command {
	return &command{
		name: "version", summary: "print the version", flags: newFlags("version"),
		text: `Prints the version of convect, of Go and the platform; the commit that the program was built from, and whether it was
built for GPUs too.`,
		examples: []string{"convect version"},
		exits:    []int{exitDone, exitUsage},
		run: func(e *environment, _ []string) error {
			lines := []string{fmt.Sprintf("convect %s (%s, %s/%s)", e.version, runtime.Version(), runtime.GOOS, runtime.GOARCH)}
			if info, ok := debug.ReadBuildInfo(); ok {
				lines = append(lines, buildLines(info)...)
			}
			_, err := fmt.Fprintln(e.out, strings.Join(lines, "\n"))
			return err
		},
	}
}
