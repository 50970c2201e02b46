package mueller

import "embed"

// sources holds the kernels of GPUs, so that the go command compiles package emulated again when one changes: it would not see them otherwise.
//
//go:embed *.cu*
var sources embed.FS

var _ = sources
