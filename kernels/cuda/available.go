//go:build !cuda

package cuda

import "errors"

var errNotBuilt = errors.New("this binary was built without CUDA (go build -tags cuda)")

// Available returns why there is no GPU to use, or nil.
func Available() error { return errNotBuilt }

// Devices describes the GPUs, by ordinal. What memory is free is not known before they are opened.
func Devices() ([]DriverInfo, error) { return nil, errNotBuilt }

// Open returns the driver of a GPU.
func Open(ordinal int) (Driver, error) { return nil, errNotBuilt }
