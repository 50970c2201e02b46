package gridded

import (
	"os"
)

// Bytes of memory that reading takes for each value: the array, a copy of it in the types of the file, one in another order, and the
// means along the first axis; and for each byte of a table.
const (
	bytesOfValue = 4 * 8
	bytesOfByte  = 6
)

// Cost returns about how much memory reading a field takes, before any value is read. The error is that of [Read], as far as it goes.
func Cost(r Request) (float64, error) {
	h, err := openHDF5(&r)
	if err != nil {
		return 0, err
	}
	if h == nil {
		info, err := os.Stat(r.Path)
		if err != nil {
			return 0, err
		}
		return bytesOfByte * float64(info.Size()), nil
	}
	defer h.r.Close()
	name, err := h.choose()
	if err != nil {
		return 0, err
	}
	bytes := float64(bytesOfValue)
	for _, n := range h.objects[name].Dims {
		bytes *= float64(n)
	}
	return bytes, nil
}
