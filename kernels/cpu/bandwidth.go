package cpu

// #include "cpu.h"
import "C"

import (
	"fmt"
	"slices"

	"convect/kernels"
)

// CopyBandwidth measures a plain copy of an array of so many bytes with all threads and streaming stores: bytes read
// plus bytes written per second, the median of several copies. The arrays hold ones: memory full of zeros can be copied
// faster than any data.
func (d *Device) CopyBandwidth(bytes int) (bytesPerSecond float64, err error) {
	const repeats, page = 9, 4096
	bytes = max(bytes/page, 1) * page
	var b [2]kernels.Buffer
	for n := range b {
		if b[n], err = d.Alloc(kernels.Float32, bytes/4); err != nil {
			return 0, fmt.Errorf("measure the copy bandwidth: %w", err)
		}
		defer d.Free(b[n])
		d.Fill(kernels.FillArgs{X: b[n], Value: 1})
	}
	var seconds [repeats]float64
	for n := range seconds {
		seconds[n] = float64(C.cv_time_copy(d.pool, b[0].(*Buffer).ptr, b[1].(*Buffer).ptr, C.int64_t(bytes),
			C.int(d.threads)))
	}
	slices.Sort(seconds[:])
	return 2 * float64(bytes) / seconds[repeats/2], nil
}
