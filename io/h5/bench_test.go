package h5

import (
	"math"
	"path/filepath"
	"testing"
)

// field returns a smooth float32 field of 129³ nodes with a little texture.
func field() ([]int, []float32) {
	dims := []int{129, 129, 129}
	values := make([]float32, length(dims))
	for i := range values {
		x, y, z := float64(i%129)/128, float64(i/129%129)/128, float64(i/129/129)/128
		values[i] = float32(1 - z + 0.3*math.Sin(5*x+2*y)*math.Sin(math.Pi*z) + 0.01*math.Sin(40*x*z))
	}
	return dims, values
}

func benchmarkWrite(b *testing.B, options ...DatasetOption) {
	dims, values := field()
	path := filepath.Join(b.TempDir(), "file.h5")
	b.SetBytes(int64(4 * len(values)))
	for b.Loop() {
		w, err := Create(path)
		must(b, err, w.Float32s("/field", dims, values, options...), w.Commit())
	}
	r, err := Open(path)
	must(b, err)
	b.ReportMetric(float64(r.byPath["/field"].Bytes)/float64(4*len(values)), "packed/plain")
}

func BenchmarkContiguous(b *testing.B) { benchmarkWrite(b) }
func BenchmarkCompressed(b *testing.B) { benchmarkWrite(b, Compressed) }

func benchmarkRead(b *testing.B, write []DatasetOption, open ...OpenOption) {
	dims, values := field()
	path := filepath.Join(b.TempDir(), "file.h5")
	w, err := Create(path)
	must(b, err, w.Float32s("/field", dims, values, write...), w.Commit())
	b.SetBytes(int64(4 * len(values)))
	for b.Loop() {
		r, err := Open(path, open...)
		must(b, err)
		_, _, err = r.Float32s("/field")
		must(b, err)
	}
}

func BenchmarkRead(b *testing.B)           { benchmarkRead(b, nil) }
func BenchmarkReadIsolated(b *testing.B)   { benchmarkRead(b, nil, NoVerify) }
func BenchmarkReadCompressed(b *testing.B) { benchmarkRead(b, []DatasetOption{Compressed}) }
