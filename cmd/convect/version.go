package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
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

func versionCommand() *command {
	return &command{
		name: "version", summary: "print the version", flags: newFlags("version"),
		text:     "Prints the version of convect, of Go and the platform.",
		examples: []string{"convect version"},
		exits:    []int{exitDone, exitUsage},
		run: func(e *environment, _ []string) error {
			_, err := fmt.Fprintf(e.out, "convect %s (%s, %s/%s)\n", e.version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
