package h5

import (
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
		for _, cut := range []int{0, n / 3, n} {
			a, b := crc64.Checksum(values[:cut], checksumTable), crc64.Checksum(values[cut:], checksumTable)
			if got := joined(a, b, n-cut); got != want {
				t.Errorf("%d bytes and %d: %016x, want %016x", cut, n-cut, got, want)
			}
		}
	}
}
