package h5

import (
	"errors"
	"fmt"
	"hash/crc64"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"convect/kernels/parallel"
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

// sum64 is crc64.Checksum by all processors.
func sum64(values []byte) uint64 {
	sum, _ := shared(len(values), crc64.ECMA, func(first, last int) (uint64, error) {
		return crc64.Checksum(values[first:last], checksumTable), nil
	})
	return sum
}

// shared returns the sum of so many bytes with a polynomial, of which all processors sum a part each.
func shared[S uint32 | uint64](bytes int, polynomial S, sumOf func(first, last int) (S, error)) (sum S, err error) {
	type part struct {
		first, last int
		sum         S
	}
	var mu sync.Mutex
	var parts []part
	parallel.Ranges(bytes, func(first, last int) {
		s, failed := sumOf(first, last)
		mu.Lock()
		defer mu.Unlock()
		parts = append(parts, part{first, last, s})
		err = errors.Join(err, failed)
	})
	slices.SortFunc(parts, func(a, b part) int { return a.first - b.first })
	for _, p := range parts {
		sum = joined(sum, p.sum, p.last-p.first, polynomial)
	}
	return sum, err
}

// joined returns the sum of a followed by b, of so many bytes, from the sums of both. A sum is the remainder of a polynomial over GF(2), so that
// the bytes of b behind those of a multiply the remainder of a by x^(8 bytes), and add that of b. The highest bit of a number is the lowest power.
func joined[S uint32 | uint64](a, b S, bytes int, polynomial S) S {
	one := ^(^S(0) >> 1)
	shift, square := one, one>>8
	for ; bytes > 0; bytes >>= 1 {
		if bytes&1 != 0 {
			shift = product(shift, square, polynomial)
		}
		square = product(square, square, polynomial)
	}
	return product(a, shift, polynomial) ^ b
}

// product multiplies two polynomials modulo another.
func product[S uint32 | uint64](a, b, polynomial S) (p S) {
	for top := ^(^S(0) >> 1); a != 0; a <<= 1 {
		if a&top != 0 {
			p ^= b
		}
		b = b>>1 ^ polynomial&-(b&1) // times x
	}
	return p
}

// verify compares the values of a dataset with its checksum, if it has one of ours.
func (r *Reader) verify(o *Object, values []byte) error {
	if !strings.HasPrefix(o.Checksum, checksumPrefix) {
		return nil
	}
	found := checksum(values)
	switch {
	case found == o.Checksum:
		return nil
	case o.layout.class == layoutVirtual:
		return fmt.Errorf("%s: dataset %s: %w: stored %s, its values have %s; they are in files beside it (%s.0 and so on), of which one is missing or another", r.path, o.Path,
			ErrChecksum, o.Checksum, found, filepath.Base(r.path))
	default:
		return fmt.Errorf("%s: dataset %s: %w: stored %s, its values have %s", r.path, o.Path, ErrChecksum, o.Checksum, found)
	}
}
