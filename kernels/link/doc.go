// Package link joins ranks, which each have a part of a grid, by blocks of bytes that they send each other.
//
// All that is asked of a transport is [Link.Exchange]: blocks go out and come in at a time. Gathering and spreading are made of it. [Local] joins goroutines of one
// process, and package mpi processes.
//
// All ranks make the same calls in the same order; a rank that waits for one that does not is told so only where the transport watches, as that of package mpi does.
package link
