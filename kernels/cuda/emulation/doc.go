// Package emulation runs the CUDA kernels of package cuda on the host, for tests on machines without a GPU.
//
// The kernels are compiled by g++ as C++ with the words of CUDA defined in language.h. A block's threads are coroutines
// that run one at a time, each until it ends or waits at a barrier; the next warp runs when all of one have ended or wait for the
// block, and blocks run one after another. What a GPU refuses or
// leaves undefined fails here with a message: too large a launch, a barrier that some threads never reach, a shuffle with
// lanes that ended. Shared memory starts as NaN, and in reverse order of threads a missing barrier shows as a wrong
// result. Device memory is allocated by the byte, so that AddressSanitizer finds what is read or written beyond
// (see scripts/sanitize.sh).
//
// The go command sees the files of this folder alone. It compiles the kernels again after a change since package cuda
// embeds them, and since the headers of other packages have links here (tracked_*.h).
package emulation

import (
	_ "embed"

	_ "convect/kernels/cuda" // which embeds the kernels that are compiled here
)

// samples makes the go command see samples.cu.
//
//go:embed samples.cu
var _ string
