// Package modules holds the kernels of package cuda as compiled by nvcc: one module of each FAMILY.cu and each of its two types,
// with machine code for compute capabilities 8.0 and 9.0, and PTX for all others, which the driver compiles. In binaries built with
// the tag cuda they are embedded.
//
// scripts/kernels.sh (make build-cuda) makes them in the folder built, which is not committed, and notes there what each was made of.
package modules
