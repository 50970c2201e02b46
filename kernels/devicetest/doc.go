// Package devicetest is the one conformance suite that every backend of package kernels passes.
//
// [Run] opens a device and compares each of its kernels, in float32 and float64, with a sequential reference in
// this package that reads like the equations of package kernels: float64 on host arrays, one node at a time,
// no vectors, no threads. The boxes are odd, even, prime, one cell thin, longer than any vector, and flat;
// widths are not uniform; axes are periodic or walled; the data are fresh in every run. A failure prints the seed,
// and the environment variable TEST_SEED repeats it. Short tests take one case in thirteen; where
// TEST_EVERY says a number, short and long tests take one in so many.
//
// # Bounds
//
// Device and reference start from the same numbers, rounded to the element type. They may differ only by the
// rounding of the device, which for a sum of terms t_i, in whatever order it is added, is at most
//
//	roundings * ε * Σ |t_i|
//
// where ε is the unit roundoff of the element type and roundings counts the operations that lead from an input to
// the output, the coefficients included. The reference therefore returns, next to every value, the sum of the
// absolute values of its terms (type sum), and the checks state their number of roundings. Where that sum is zero
// (fixed nodes, maxima, copies) the values must agree exactly.
//
// # What else is checked
//
// Elements that a kernel does not compute keep their bits: halo, padding, nodes of the other colour, all inputs and
// all reduction slots but its own. Values beyond walls are random, because every kernel multiplies them by zero.
// The same call twice gives the same bits. A buffer of the wrong type or length is reported by Sync under the name
// of the kernel, after which the device does nothing more.
//
// [Grid], [Operator] and [Mask] build the arguments of kernels; tests and benchmarks of other packages may use
// them.
package devicetest
