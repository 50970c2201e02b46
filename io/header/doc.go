// Package header holds what every HDF5 file of this program says about itself: the group /convect.
//
// # Contract
//
// /convect carries the attributes of [Header], and the text of the case as the dataset /convect/case. "kind" tells what
// the rest of the file is, "format" which version of its layout; a file of another kind or version is refused by
// [Read] before anything else of it is looked at. Times and lengths are in the units of the case, and the scales with
// them make nondimensional values by division.
package header
