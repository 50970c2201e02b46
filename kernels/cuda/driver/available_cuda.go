//go:build cuda

package driver

// #cgo LDFLAGS: -Wl,--as-needed -ldl
// #cgo linux CFLAGS: -I/usr/local/cuda/include
// #include "gpu.h"
// #include "trampolines.h"
import "C"

import (
	"errors"
	"fmt"

	"gorgonia.org/cu"
)

// Available returns why there is no GPU to use, or nil. It loads NVIDIA's driver when first called.
func Available() error {
	if r := C.cv_load_driver(); r == C.cv_no_library {
		return fmt.Errorf("no NVIDIA driver: %s", C.GoString(C.cv_driver_problem()))
	} else if err := check("initialise", C.CUresult(r)); err != nil {
		return err
	}
	n, err := cu.NumDevices()
	if err == nil && n == 0 {
		err = errors.New("there is no GPU")
	}
	return err
}

// Devices describes the GPUs, by ordinal. What memory is free is not known before they are opened.
func Devices() ([]Info, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	n, err := cu.NumDevices()
	if err != nil {
		return nil, err
	}
	all := make([]Info, n)
	for i := range all {
		d, err := cu.GetDevice(i)
		if err != nil {
			return nil, err
		}
		if all[i], err = describe(i, d); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// describe asks for what does not change.
func describe(ordinal int, d cu.Device) (Info, error) {
	i := Info{Name: fmt.Sprintf("cuda:%d", ordinal)}
	name, err := d.Name()
	total, err2 := d.TotalMem()
	i.Description, i.TotalMemory = name, int(total)
	for _, a := range []struct {
		to   *int
		what cu.DeviceAttribute
	}{
		{&i.Major, cu.ComputeCapabilityMajor},
		{&i.Minor, cu.ComputeCapabilityMinor},
		{&i.Multiprocessors, cu.MultiprocessorCount},
		{&i.CacheBytes, cu.L2CacheSize},
	} {
		var failed error
		*a.to, failed = d.Attribute(a.what)
		err = errors.Join(err, failed)
	}
	if id, failed := d.UUID(); failed == nil {
		i.UUID = id.String()
	}
	return i, errors.Join(err, err2)
}

// Linked tells how a GPU gets at the memory of another.
func Linked(from, to int) (Link, error) {
	a, err := cu.GetDevice(from)
	b, err2 := cu.GetDevice(to)
	if err := errors.Join(err, err2); err != nil {
		return Link{}, err
	}
	ask := func(what C.CUdevice_P2PAttribute) (bool, error) {
		var v C.int
		err := check("links between GPUs", C.cuDeviceGetP2PAttribute(&v, what, C.CUdevice(a), C.CUdevice(b)))
		return v != 0, err
	}
	var l Link
	l.Reached, err = ask(C.CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED)
	if err == nil {
		l.Atomics, err = ask(C.CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED)
	}
	return l, err
}
