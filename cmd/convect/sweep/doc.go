// Package sweep says which runs a sweep has, and puts their results into tables and a picture. It runs nothing.
//
// # The file
//
//	case: square.yaml                 # relative to the folder of this file
//	set: {time.end: 2}                # for all runs, as --set
//	vary:
//	  physics.rayleigh: [60, 80, 100, 150]
//	  initial.perturbation.seed: {count: 5}       # 1 to 5
//	combine: grid                     # grid, zip, list, latin-hypercube
//	continue: physics.rayleigh        # each run starts from its neighbour's last state
//	back: true                        # and then back again
//	results: [nusselt_mean, nusselt_stderr, speed_rms]
//
// A value is any YAML value of the case file. Beside a list there are {count: n}, the numbers 1 to n, and {from: a, to: b, count: n}, with scale: log at
// equal ratios; a latin hypercube takes {from: a, to: b} without a count. With combine: list, vary is a list of sections, one a run.
//
// # Runs
//
// A run is known by the values of the keys that vary, and its folder is named after them: a sweep that gets more values keeps the runs that it has. Runs
// are in the order of the file, the last key first to change. Runs that continue each other make a chain.
//
// # Tables
//
// Tables are made of what the runs have left in their folders, in the order of the runs, and of nothing else: they do not depend on which run ended first,
// on how many there were at a time, or on how often the sweep was stopped.
package sweep
