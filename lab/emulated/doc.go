// Package emulated adds the laboratory's kernels to package emulation, for tests on machines without a GPU: a test imports it, and the emulation has them.
//
// They are compiled again after a change since the packages that they belong to embed them.
package emulated

// #cgo CXXFLAGS: -std=c++17 -O1 -Wall -Wextra -Wno-unknown-pragmas -I${SRCDIR}/../../kernels/cuda
// #cgo LDFLAGS: -Wl,--unresolved-symbols=ignore-all
import "C"

import (
	_ "convect/kernels/cuda/emulation" // what a kernel registers with
	_ "convect/lab/giles"
	_ "convect/lab/islam"
	_ "convect/lab/jaugey"
	_ "convect/lab/mueller"
)
