package devicetest

import (
	"math"

	"convect/kernels"
)

// memoryChecks returns the checks of allocation and kernels.Memory.
func memoryChecks() []check {
	return []check{{"Alloc", checkAlloc}, {"Upload", checkUpload}, {"UploadBox", checkUploadBox}, {"Freeze", checkFreeze}}
}

func checkAlloc(s *suite) {
	s.one("zeroed", func(b *bench) {
		for round := range 3 {
			x, err := b.Device.Alloc(b.Elem, 1000+round)
			if err != nil {
				b.Fatalf("allocate: %v", err)
			}
			if x.Len() != 1000+round || x.Elem() != b.Elem {
				b.Errorf("buffer has %d %v, want %d %v", x.Len(), x.Elem(), 1000+round, b.Elem)
			}
			if !sameBits(b.read(x), make([]float64, x.Len())) {
				b.Errorf("a new buffer is not zero")
			}
			b.Device.Fill(kernels.FillArgs{X: x, Value: 1})
			b.sync()
			b.Device.Free(x)
		}
	})
	s.one("too-large", func(b *bench) {
		if x, err := b.Device.Alloc(b.Elem, 1<<55); err == nil {
			b.Errorf("allocating 2^55 elements gave a buffer of %d", x.Len())
		}
		b.sync()
	})
}

func checkUpload(s *suite) {
	s.one("part", func(b *bench) {
		x := b.put(b.noise(kernels.NewBox([3]int{5, 4, 3}, false)))
		first := numbers(37, b.rng.NormFloat64)
		want := append(roundAll(b.Elem, first), x.host[37:]...)
		got := b.call(func() { b.Device.Upload(x.Buffer, first) }, x)
		if !sameBits(got[0], want) {
			b.fail("Upload does not replace just the first elements")
		}
		part := make([]float64, 20)
		if err := b.Device.Download(part, x.Buffer); err != nil || !sameBits(part, want[:20]) {
			b.fail("Download of the first elements is wrong (error %v)", err)
		}
	})
	s.one("special-values", func(b *bench) {
		values := []float64{0, math.Inf(1), math.Inf(-1), math.NaN(), math.Pi, 1 + 0x1p-24, 1e-30}
		if got := b.read(b.Floats(values)); !sameBits(got, roundAll(b.Elem, values)) {
			b.Errorf("uploaded %v, downloaded %v", values, got)
		}
	})
}

func checkUploadBox(s *suite) {
	s.each(walled(), func(b *bench, c setting) {
		box := kernels.NewBox(c.n, c.flat)
		before := b.noise(box)
		x := b.put(before)
		src := numbers(box.Nodes(), b.rng.NormFloat64)
		want, next := result{NewField(box), NewField(box)}, 0
		EachNode(box, func(n Node) {
			want.value.Set(n, round(b.Elem, src[next]))
			next++
		})
		got := b.call(func() { b.Device.UploadBox(x.Buffer, box, src) }, x)
		b.nodes("X", got[0], before, want, 0)

		back, back32 := make([]float64, len(src)), make([]float32, len(src))
		if err := b.Device.DownloadBox(back, x.Buffer, box); err != nil || !sameBits(back, roundAll(b.Elem, src)) {
			b.fail("DownloadBox does not give what UploadBox took (error %v)", err)
		}
		if err := b.Device.DownloadBox32(back32, x.Buffer, box); err != nil {
			b.fail("DownloadBox32: %v", err)
		}
		for i, v := range back32 {
			if v != float32(back[i]) {
				b.fail("DownloadBox32 gives %v for %v", v, back[i])
				break
			}
		}
	})
}

// checkFreeze takes copies of an array, which changes while they are on their way, in the same room and in another.
func checkFreeze(s *suite) {
	s.each(walled(), func(b *bench, c setting) {
		d, can := b.Device.(kernels.Freezer)
		if !can {
			return
		}
		box := kernels.NewBox(c.n, c.flat)
		x := b.put(b.noise(box))
		values := func(scale float64) []float64 {
			v := make([]float64, box.Nodes())
			for i := range v {
				v[i] = scale * float64(i+1)
			}
			return v
		}
		b.Device.UploadBox(x.Buffer, box, values(1))
		first := d.Freeze(x.Buffer, box)
		b.Device.UploadBox(x.Buffer, box, values(2))
		second := d.Freeze(x.Buffer, box)
		b.Device.UploadBox(x.Buffer, box, values(3))
		if first == nil || second == nil {
			b.fail("there is no room for two copies of %d nodes", box.Nodes())
			return
		}
		for n, f := range []kernels.Frozen{first, second} {
			if got, err := f.Values(); err != nil || !sameBits(got, values(float64(n+1))) {
				b.fail("copy %d is not what the array was (error %v)", n, err)
			}
		}
		first.Release()
		third := d.Freeze(x.Buffer, box)
		b.Device.Fill(kernels.FillArgs{X: x.Buffer})
		if got, err := third.Values(); err != nil || !sameBits(got, values(3)) {
			b.fail("a copy in used room is not what the array was (error %v)", err)
		}
		if got, _ := second.Values(); !sameBits(got, values(2)) {
			b.fail("a copy changed before its release")
		}
		second.Release()
		third.Release()
	})
}

// roundAll returns values rounded to the element type.
func roundAll(e kernels.Elem, values []float64) []float64 {
	r := make([]float64, len(values))
	for i, v := range values {
		r[i] = round(e, v)
	}
	return r
}
