package figure

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"math"
	"time"

	"convect/cmd/convect/colours"
)

// Film takes frames of one size, one after the other.
type Film interface {
	// Add appends a frame that is shown so long.
	Add(frame *image.RGBA, shown time.Duration) error
	// Bytes returns the file. Nothing can be added afterwards.
	Bytes() ([]byte, error)
}

// APNG is a film whose frames are, pixel for pixel, what a PNG of them would be (Animated PNG, W3C PNG Specification, third edition, 2025). Of each frame only
// the rectangle that differs from the one before is stored.
type APNG struct {
	chunks   bytes.Buffer // from the first fcTL on
	header   []byte       // IHDR
	before   *image.RGBA
	frames   uint32
	sequence uint32
}

const pngSignature = "\x89PNG\r\n\x1a\n"

// chunk writes a chunk of a PNG.
func chunk(w *bytes.Buffer, kind string, parts ...[]byte) {
	data := bytes.Join(parts, nil)
	binary.Write(w, binary.BigEndian, uint32(len(data)))
	all := append([]byte(kind), data...)
	w.Write(all)
	binary.Write(w, binary.BigEndian, crc32.ChecksumIEEE(all))
}

// Add appends a frame.
func (a *APNG) Add(frame *image.RGBA, shown time.Duration) error {
	part, err := changed(a.before, frame)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := png.Encode(&b, frame.SubImage(part)); err != nil {
		return err
	}
	header, data, err := pngParts(b.Bytes())
	if err != nil {
		return err
	}
	if a.header == nil {
		a.header = header
	} else if !bytes.Equal(header[8:], a.header[8:]) {
		return errors.New("a frame of a film has another kind of pixels")
	}
	control := binary.BigEndian.AppendUint32(nil, a.sequence)
	for _, v := range []int{part.Dx(), part.Dy(), part.Min.X - frame.Rect.Min.X, part.Min.Y - frame.Rect.Min.Y} {
		control = binary.BigEndian.AppendUint32(control, uint32(v))
	}
	delay, parts := delayOf(shown)
	control = binary.BigEndian.AppendUint16(control, delay)
	control = binary.BigEndian.AppendUint16(control, parts)
	chunk(&a.chunks, "fcTL", append(control, 0, 0)) // stays, and takes the place of what was there
	a.sequence++
	if a.frames == 0 {
		chunk(&a.chunks, "IDAT", data)
	} else {
		chunk(&a.chunks, "fdAT", binary.BigEndian.AppendUint32(nil, a.sequence), data)
		a.sequence++
	}
	a.frames++
	a.before = frame
	return nil
}

// delayOf returns a time as a number of parts of a second, as fine as there is room for, and how many of them a second has.
func delayOf(shown time.Duration) (delay, parts uint16) {
	for parts = 1000; parts > 1 && shown.Seconds()*float64(parts) > math.MaxUint16; {
		parts /= 10
	}
	return uint16(math.Min(math.Round(shown.Seconds()*float64(parts)), math.MaxUint16)), parts
}

// pngParts returns the header and the joined data of a PNG.
func pngParts(file []byte) (header, data []byte, err error) {
	for at := len(pngSignature); at+12 <= len(file); {
		n := int(binary.BigEndian.Uint32(file[at:]))
		content := file[at+8 : at+8+n]
		switch string(file[at+4 : at+8]) {
		case "IHDR":
			header = content
		case "IDAT":
			data = append(data, content...)
		}
		at += 12 + n
	}
	if header == nil || data == nil {
		return nil, nil, errors.New("a frame of a film is no PNG")
	}
	return header, data, nil
}

// Bytes returns the file.
func (a *APNG) Bytes() ([]byte, error) {
	if a.frames == 0 {
		return nil, errNoFrames
	}
	var b bytes.Buffer
	b.WriteString(pngSignature)
	chunk(&b, "IHDR", a.header)
	chunk(&b, "acTL", binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, a.frames), 0)) // again and again
	b.Write(a.chunks.Bytes())
	chunk(&b, "IEND")
	return b.Bytes(), nil
}

var errNoFrames = errors.New("a film without frames")

// changed returns the rectangle in which a frame differs from the one before: a pixel at least, all of the first.
func changed(before, frame *image.RGBA) (image.Rectangle, error) {
	if before == nil {
		return frame.Rect, nil
	}
	if before.Rect != frame.Rect {
		return image.Rectangle{}, fmt.Errorf("a frame of a film is %v, the one before %v", frame.Rect.Size(), before.Rect.Size())
	}
	part := image.Rectangle{}
	width := 4 * frame.Rect.Dx()
	for y := frame.Rect.Min.Y; y < frame.Rect.Max.Y; y++ {
		a, b := before.Pix[before.PixOffset(frame.Rect.Min.X, y):][:width], frame.Pix[frame.PixOffset(frame.Rect.Min.X, y):][:width]
		if bytes.Equal(a, b) {
			continue
		}
		first, last := 0, width-1
		for a[first] == b[first] {
			first++
		}
		for a[last] == b[last] {
			last--
		}
		part = part.Union(image.Rect(frame.Rect.Min.X+first/4, y, frame.Rect.Min.X+last/4+1, y+1))
	}
	if part.Empty() {
		part = image.Rectangle{frame.Rect.Min, frame.Rect.Min.Add(image.Pt(1, 1))}
	}
	return part, nil
}

// GIF is a film of at most 256 colours: those of a map, and greys.
type GIF struct {
	palette color.Palette
	film    gif.GIF
	before  *image.RGBA
}

// NewGIF returns a film for pictures in the colours of a map.
func NewGIF(m *colours.Map) *GIF {
	const ofMap = 208
	g := &GIF{}
	for i := range ofMap {
		g.palette = append(g.palette, m.At(i*(colours.Size-1)/(ofMap-1)))
	}
	for i := ofMap; i < 256; i++ {
		v := uint8((i - ofMap) * 255 / (255 - ofMap))
		g.palette = append(g.palette, color.RGBA{v, v, v, 255})
	}
	return g
}

// Add appends a frame.
func (g *GIF) Add(frame *image.RGBA, shown time.Duration) error {
	part, err := changed(g.before, frame)
	if err != nil {
		return err
	}
	img := image.NewPaletted(part, g.palette)
	known := map[color.RGBA]uint8{}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			c := frame.RGBAAt(x, y)
			n, ok := known[c]
			if !ok {
				n = uint8(g.palette.Index(c))
				known[c] = n
			}
			img.Pix[img.PixOffset(x, y)] = n
		}
	}
	g.film.Image = append(g.film.Image, img)
	g.film.Delay = append(g.film.Delay, max(2, int(math.Round(shown.Seconds()*100))))
	g.film.Disposal = append(g.film.Disposal, gif.DisposalNone)
	g.before = frame
	return nil
}

// Bytes returns the file.
func (g *GIF) Bytes() ([]byte, error) {
	if len(g.film.Image) == 0 {
		return nil, errNoFrames
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g.film); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
