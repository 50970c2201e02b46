package h5

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"hash/crc64"
	"math/rand/v2"
	"testing"
)

func TestSumByAllProcessors(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 7, 8, 63, 1000, 100003} {
		values := make([]byte, n)
		for i := range values {
			values[i] = byte(random.Uint32())
		}
		want := crc64.Checksum(values, crc64.MakeTable(crc64.ECMA))
		if got := sum64(values); got != want {
			t.Errorf("%d bytes: %016x, want %016x", n, got, want)
		}
		castagnoli := crc32.MakeTable(crc32.Castagnoli)
		if got, err := seal(bytes.NewReader(values), int64(n), nil); err != nil || got != fmt.Sprintf(sealFormat, n, crc32.Checksum(values, castagnoli)) {
			t.Errorf("%d bytes: %v, %q", n, err, got)
		}
		for _, cut := range []int{0, n / 3, n} {
			a, b := crc64.Checksum(values[:cut], checksumTable), crc64.Checksum(values[cut:], checksumTable)
			if got := joined(a, b, n-cut, crc64.ECMA); got != want {
				t.Errorf("%d bytes and %d: %016x, want %016x", cut, n-cut, got, want)
			}
		}
	}
}
