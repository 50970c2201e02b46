package cuda

import "embed"

// sources holds the kernels and their headers.
//
//go:embed *.[ch]*
var sources embed.FS
