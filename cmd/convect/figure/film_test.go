package figure

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"testing"
	"time"

	"convect/cmd/convect/colours"
)

// frames returns pictures of which the second differs in a part and the third not at all.
func frames() []*image.RGBA {
	var all []*image.RGBA
	for n := range 4 {
		img := image.NewRGBA(image.Rect(0, 0, 40, 30))
		draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
		if n > 0 {
			draw.Draw(img, image.Rect(5, 7, 12, 20), image.NewUniform(color.RGBA{200, 30, 60, 255}), image.Point{}, draw.Src)
		}
		if n == 3 {
			img.SetRGBA(39, 29, color.RGBA{1, 2, 3, 255})
		}
		all = append(all, img)
	}
	return all
}

// decodeAPNG returns the frames that a reader of animated PNG shows.
func decodeAPNG(t *testing.T, file []byte) (shown []*image.RGBA) {
	t.Helper()
	var header, control []byte
	var sequence uint32
	var sheet *image.RGBA
	announced := uint32(0)
	for at := len(pngSignature); at < len(file); {
		n := int(binary.BigEndian.Uint32(file[at:]))
		kind, data := string(file[at+4:at+8]), file[at+8:at+8+n]
		at += 12 + n
		if kind == "fcTL" || kind == "fdAT" {
			if got := binary.BigEndian.Uint32(data); got != sequence {
				t.Fatalf("chunk %d has the number %d", sequence, got)
			}
			sequence++
			data = data[4:]
		}
		switch kind {
		case "IHDR":
			header = data
			sheet = image.NewRGBA(image.Rect(0, 0, int(binary.BigEndian.Uint32(data)), int(binary.BigEndian.Uint32(data[4:]))))
		case "acTL":
			announced = binary.BigEndian.Uint32(data)
		case "fcTL":
			control = data
		case "IDAT", "fdAT":
			var b bytes.Buffer
			b.WriteString(pngSignature)
			chunk(&b, "IHDR", control[:8], header[8:])
			chunk(&b, "IDAT", data)
			chunk(&b, "IEND")
			img, err := png.Decode(&b)
			if err != nil {
				t.Fatal(err)
			}
			corner := image.Pt(int(binary.BigEndian.Uint32(control[8:])), int(binary.BigEndian.Uint32(control[12:])))
			draw.Draw(sheet, img.Bounds().Add(corner), img, img.Bounds().Min, draw.Src)
			whole := image.NewRGBA(sheet.Rect)
			copy(whole.Pix, sheet.Pix)
			shown = append(shown, whole)
		}
	}
	if int(announced) != len(shown) {
		t.Errorf("%d frames, %d announced", len(shown), announced)
	}
	return shown
}

// A film shows the frames that it was given, to the pixel.
func TestAPNG(t *testing.T) {
	film, all := &APNG{}, frames()
	if _, err := film.Bytes(); err == nil {
		t.Error("a film without frames: no error")
	}
	for _, f := range all {
		if err := film.Add(f, 100*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	if err := film.Add(image.NewRGBA(image.Rect(0, 0, 3, 3)), time.Second); err == nil {
		t.Error("a frame of another size: no error")
	}
	file, err := film.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for n, shown := range decodeAPNG(t, file) {
		if !bytes.Equal(shown.Pix, all[n].Pix) {
			t.Errorf("frame %d differs", n)
		}
	}
	first, err := png.Decode(bytes.NewReader(file)) // a reader of plain PNG shows the first frame
	if err != nil || first.Bounds() != all[0].Rect {
		t.Errorf("as a plain PNG: %v", err)
	}
}

// A GIF shows the nearest of its colours, which are those of the map.
func TestGIF(t *testing.T) {
	m, err := colours.Get("batlow")
	if err != nil {
		t.Fatal(err)
	}
	film := NewGIF(m)
	img := image.NewRGBA(image.Rect(0, 0, colours.Size, 4))
	for x := range colours.Size {
		for y := range 4 {
			img.SetRGBA(x, y, m.At(x))
		}
	}
	for range 2 {
		if err := film.Add(img, 50*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	file, err := film.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	all, err := gif.DecodeAll(bytes.NewReader(file))
	if err != nil || len(all.Image) != 2 || all.Delay[0] != 5 {
		t.Fatalf("%v: %d frames", err, len(all.Image))
	}
	for x := range colours.Size {
		r, g, b, _ := all.Image[0].At(x, 1).RGBA()
		c := m.At(x)
		for _, d := range []int{int(r>>8) - int(c.R), int(g>>8) - int(c.G), int(b>>8) - int(c.B)} {
			if d < -4 || d > 4 {
				t.Fatalf("colour %d is %d off", x, d)
			}
		}
	}
}

// Frames that stay long do, and short ones are exact to a thousandth of a second.
func TestDelays(t *testing.T) {
	for _, shown := range []time.Duration{10 * time.Millisecond, 40 * time.Millisecond, time.Second / 3, 65 * time.Second, 66 * time.Second, 10 * time.Minute} {
		delay, parts := delayOf(shown)
		if got, off := float64(delay)/float64(parts), 0.5/float64(parts); parts == 0 || got < shown.Seconds()-off || got > shown.Seconds()+off {
			t.Errorf("%v is %d/%d s", shown, delay, parts)
		}
	}
}
