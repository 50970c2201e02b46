package cpu

import "embed"

// sources holds the headers, so that the go command compiles the guests of this package again when one changes: it would not see them otherwise.
// Binaries leave it out.
//
//go:embed *.h
var sources embed.FS

var _ = sources
