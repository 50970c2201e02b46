//go:build !cuda

package driver

import "errors"

var errNotBuilt = errors.New("this binary was built without CUDA (go build -tags cuda)")

// Available returns why there is no GPU to use, or nil.
func Available() error { return errNotBuilt }

// Devices describes the GPUs, by ordinal. What memory is free is not known before they are opened.
func Devices() ([]Info, error) { return nil, errNotBuilt }

// Linked tells how a GPU gets at the memory of another.
func Linked(from, to int) (Link, error) { return Link{}, errNotBuilt }

// Open opens a GPU.
func Open(ordinal int) (GPU, error) { return nil, errNotBuilt }
