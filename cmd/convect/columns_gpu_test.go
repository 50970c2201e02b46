//go:build cuda

package main

import (
	"fmt"
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/driver"
	"convect/lab/mueller"
)

// BenchmarkColumnKernels launches every kernel of conjugate gradients on columns twice, on the cells of bench pcg and without anything else, for a
// profiler (scripts/profile-pcg.sh).
func BenchmarkColumnKernels(b *testing.B) {
	gpu, err := driver.Open(0)
	if err != nil {
		b.Skip(err)
	}
	d, err := cuda.New(gpu)
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	for _, elem := range []kernels.Elem{kernels.Float32, kernels.Float64} {
		for _, order := range []mueller.Order{mueller.ColumnOrder, mueller.RowOrder} {
			b.Run(fmt.Sprintf("%v, %v", elem, order), func(b *testing.B) {
				for range b.N {
					if err := launchColumns(d, elem, order, mueller.Standard(256, 128, false)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func launchColumns(d kernels.Device, elem kernels.Elem, order mueller.Order, size mueller.Parameters) error {
	p, err := mueller.New(d, elem, order, size)
	if err != nil {
		return err
	}
	defer p.Free()
	u, err := p.NewField()
	if err != nil {
		return err
	}
	p.Set(u, false, func(x, y, r float64) float64 { return 1 + x*y*r })
	for _, form := range mueller.Forms() {
		s, err := p.NewKrylov(form)
		if err != nil {
			return err
		}
		for _, f := range s.Fields() {
			d.Copy(kernels.CopyArgs{Dst: f, Src: u})
		}
		for range 2 {
			for _, part := range s.Parts(u) {
				part.Run()
			}
		}
	}
	return d.Sync()
}
