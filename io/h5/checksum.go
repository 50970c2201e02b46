package h5

import (
	"fmt"
	"hash/crc64"
	"strings"
)

const (
	checksumName   = "checksum"
	checksumPrefix = "crc64:"
)

// checksum returns the value of the checksum attribute for the little-endian bytes
// of a dataset: CRC-64 with the polynomial of ECMA-182.
func checksum(values []byte) string {
	return fmt.Sprintf("%s%016x", checksumPrefix, crc64.Checksum(values, crc64.MakeTable(crc64.ECMA)))
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
