//go:build cuda

package modules

import (
	"embed"

	"convect/kernels/cuda"
	"convect/kernels/cuda/modules"
)

// files holds the modules.
//
//go:embed "built/INDEX, if missing run make build-cuda" built/f32/*.fatbin built/f64/*.fatbin
var files embed.FS

// Built returns the modules.
func Built() modules.Set { return modules.Of(files) }

// Load adds the laboratory's kernels to a device, unless they have been.
func Load(d *cuda.Device) { d.Load("laboratory", Built()) }
