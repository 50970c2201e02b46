package main

func benchCommand() *command {
	return &command{
		name: "bench", arguments: "NAME", summary: "not built yet", hidden: true, flags: newFlags("bench"), most: 1,
		text:     "Benchmarks are not built yet. The Go benchmarks of the packages are: go test -bench . ./kernels/cpu ./multigrid",
		examples: nil,
		exits:    []int{exitUsage},
		run:      func(*environment, []string) error { return usage("benchmarks are not built yet") },
	}
}
