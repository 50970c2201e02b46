// Package whole writes small text files that are never seen half written, and makes directories that last.
//
// # Contract
//
// [WriteFile] writes to a temporary name beside the target, forces it to disk and renames it: whoever opens the target
// finds the old text or the new one, also after a kill, a full disk or a loss of power. HDF5 files have the same
// contract in package h5.
package whole
