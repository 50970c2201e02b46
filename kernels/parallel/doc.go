// Package parallel shares loops over values on the host out over the processors: a loop over n things is cut into as many parts as there
// are processors, and ends when all of them have. What the parts write must not overlap.
package parallel
