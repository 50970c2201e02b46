// Command peers solves one Poisson problem with convect's multigrid and with hypre in turns, and prints the ratio of the
// times. `make bench-peers` builds and runs it; docs/benchmarks.md tells more.
//
// The problem is -Δu = f on the unit cube, f = e^x cos(3y) (1+z²), n³ cells, from a zero first guess to a relative
// residual. Both sides compute the residual of what they return anew.
package main
