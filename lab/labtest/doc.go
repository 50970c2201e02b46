// Package labtest runs the conformance suite on the kernels of experiments: on every instruction set of the host's cores, and on an emulated GPU.
package labtest
