package mueller

import (
	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/cuda"
	"convect/lab/modules"
)

// Device is a device with the kernels of the experiment.
type Device interface {
	kernels.Device
	Kernels
}

// On returns a device with the kernels, or false where there are none for it.
func On(d kernels.Device) (Device, bool) {
	switch d := d.(type) {
	case Device:
		return d, true
	case *cpu.Device:
		return processor{d}, true
	case *cuda.Device:
		modules.Load(d)
		return &gpu{Device: d}, true
	}
	return nil, false
}
