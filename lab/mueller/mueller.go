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
	return modules.On(d, func(d *cpu.Device) Device { return processor{d} }, func(d *cuda.Device) Device { return &gpu{Device: d} })
}
