package modules

import (
	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/cuda"
)

// On returns the kernels of an experiment on a device: the device itself if it has them, what onProcessor or onGPU makes of it, or false where there are
// none for it.
func On[K any](d kernels.Device, onProcessor func(*cpu.Device) K, onGPU func(*cuda.Device) K) (k K, ok bool) {
	if k, ok = d.(K); ok {
		return k, true
	}
	switch d := d.(type) {
	case *cpu.Device:
		return onProcessor(d), true
	case *cuda.Device:
		Load(d)
		return onGPU(d), true
	}
	return k, false
}
