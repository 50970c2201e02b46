//go:build !cuda

package modules

import "convect/kernels/cuda"

// Load does nothing in a binary without CUDA: the emulation has all kernels.
func Load(*cuda.Device) {}
