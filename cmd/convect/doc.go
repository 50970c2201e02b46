// Command convect simulates natural convection in porous media from a case file.
//
// # Contract
//
// "convect COMMAND" with the commands of [commands]; each explains itself under "convect help COMMAND". Results go to
// standard output, progress and errors to standard error. Exit codes: 0 done, 1 failed, 2 wrong usage or case, 3 stopped
// early by --walltime and resumable, 130 interrupted, after a checkpoint was written if
// the run had begun.
//
// This package wires the others and holds no physics: case file (package casefile) → device → simulation → observers.
// A file is named after what it does; run.go, restart.go, check.go and so on hold the commands.
package main
