// Package call turns the arguments of the methods of kernels.Device into those of compiled kernels,
// and checks them on the way: what every backend does before it runs a kernel.
//
// A [Call] is one kernel on its way. It has one method a kernel, named like it, which takes the args struct of package
// kernels and returns the twin of a C struct of args.gen.h, with addresses in the backend's memory. The first check that fails
// is kept in the backend's [Failure]; after it a Call yields zeros and must not be run.
package call
