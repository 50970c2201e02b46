// Package launch tells how this process was started: when, and which signals it was told to ignore.
//
// # Contract
//
// Both are noted before the Go runtime begins, which takes over every signal and so forgets SIGQUIT's disposition. Nothing is
// changed but that all threads share one heap of C (heap.c).
package launch
