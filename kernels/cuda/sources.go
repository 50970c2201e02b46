package cuda

import "embed"

// sources holds the kernels and their headers, so that the go command compiles package emulation again when one changes:
// it would not see them otherwise. Binaries leave it out.
//
//go:embed *.h */*.cu*
var sources embed.FS
