package h5

import (
	"fmt"
	"hash/crc64"
	"slices"
	"strings"
	"sync"

	"convect/parallel"
)

const (
	checksumName   = "checksum"
	checksumPrefix = "crc64:"
)

var checksumTable = crc64.MakeTable(crc64.ECMA)

// checksum returns the value of the checksum attribute for the little-endian bytes
// of a dataset: CRC-64 with the polynomial of ECMA-182.
func checksum(values []byte) string {
	return fmt.Sprintf("%s%016x", checksumPrefix, sum64(values))
}

// sum64 is crc64.Checksum by all processors: each sums a part, and the sums are joined in order.
func sum64(values []byte) (sum uint64) {
	type part struct {
		first, last int
		sum         uint64
	}
	var mu sync.Mutex
	var parts []part
	parallel.Ranges(len(values), func(first, last int) {
		p := part{first, last, crc64.Checksum(values[first:last], checksumTable)}
		mu.Lock()
		parts = append(parts, p)
		mu.Unlock()
	})
	slices.SortFunc(parts, func(a, b part) int { return a.first - b.first })
	for _, p := range parts {
		sum = joined(sum, p.sum, p.last-p.first)
	}
	return sum
}

// joined returns the sum of a followed by b, of so many bytes, from the sums of both. A sum is the remainder of a polynomial over GF(2), so that
// the bytes of b behind those of a multiply the remainder of a by x^(8 bytes), and add that of b.
func joined(a, b uint64, bytes int) uint64 {
	shift, square := uint64(1)<<63, uint64(1)<<(63-8) // 1 and x⁸: the highest bit is the lowest power
	for ; bytes > 0; bytes >>= 1 {
		if bytes&1 != 0 {
			shift = product(shift, square)
		}
		square = product(square, square)
	}
	return product(a, shift) ^ b
}

// product multiplies two polynomials modulo that of ECMA-182.
func product(a, b uint64) (p uint64) {
	for ; a != 0; a <<= 1 {
		if a>>63 != 0 {
			p ^= b
		}
		b = b>>1 ^ crc64.ECMA&-(b&1) // times x
	}
	return p
}

// verify compares the values of a dataset with its checksum, if it has one of ours.
func (r *Reader) verify(o *Object, values []byte) error {
	if !strings.HasPrefix(o.Checksum, checksumPrefix) {
		return nil
	}
	if found := checksum(values); found != o.Checksum {
		return fmt.Errorf("%s: dataset %s: %w: stored %s, its values have %s", r.path, o.Path, ErrChecksum, o.Checksum, found)
	}
	return nil
}
