package snapshot

import (
	"testing"

	"convect/kernels"
)

// BenchmarkWrite writes all fields of a box of 64³ cells as float32; bytes are those of the fields.
func BenchmarkWrite(b *testing.B) {
	for name, compress := range map[string]bool{"plain": false, "compressed": true} {
		b.Run(name, func(b *testing.B) {
			o := options(b.TempDir())
			o.Compress = compress
			w := newWriter(b, o)
			source := &fake{grid: grid([3]int{64, 64, 64}, [3]float64{1, 1, 1}, [3]bool{})}
			b.SetBytes(int64(5 * 65 * 65 * 65 * kernels.Float32.Size()))
			for b.Loop() {
				must(b, w.Write(source))
			}
		})
	}
}

// BenchmarkList lists a hundred snapshots, as every resumed run does.
func BenchmarkList(b *testing.B) {
	o := options(b.TempDir())
	w := newWriter(b, o)
	g := grid([3]int{2, 2, 2}, [3]float64{1, 1, 1}, [3]bool{})
	for step := range int64(100) {
		f, err := w.freeze(&fake{step: step, grid: g})
		must(b, err)
		geo := newGeometry(g, [3]float64{}, 1)
		must(b, w.arrange(f, geo))
		_, file, err := w.writeFile(f, geo)
		must(b, err, file.Commit())
	}
	for b.Loop() {
		entries, _, err := List(o.Dir, 100)
		if must(b, err); len(entries) != 100 {
			b.Fatalf("%d snapshots", len(entries))
		}
	}
}
