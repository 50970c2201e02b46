package figure

import (
	"fmt"
	"math"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// Outlines is a handler of text that draws glyphs as filled paths.
type Outlines struct {
	text.Plain // lines and the height of fonts
}

// NewOutlines returns a handler with the fonts of gonum's plots.
func NewOutlines() Outlines { return Outlines{text.Plain{Fonts: plot.DefaultTextHandler.Cache()}} }

// Small figures: their size, and how far up or down they stand, in parts of the size of the font.
const (
	smallSize = 0.68
	raised    = 0.36
	lowered   = -0.16
)

// Unicode's small figures and what they are drawn as.
const (
	supers, superBases = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+−=()ni"
	subs, subBases     = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", "0123456789+−=()"
)

// piece is a glyph with its place, in parts of the size of the font.
type piece struct {
	path sfnt.Segments // in units of 1/64 of em units, y down; nil: one drawn here
	own  rune          // of one drawn here
	x, y float64
	size float64
	em   float64
	top  float64 // above 0: upside down, with this height
}

// Missing returns the characters of a text that the font has not, each once.
func (o Outlines) Missing(txt string, f plotfont.Font) string {
	face, out := o.Fonts.Lookup(f, f.Size), ""
	for _, r := range txt {
		base, _, _, own := drawnAs(r)
		if r == '\n' || own || strings.ContainsRune(out, r) {
			continue
		}
		if n, err := face.Face.GlyphIndex(&sfnt.Buffer{}, base); err != nil || n == 0 {
			out += string(r)
		}
	}
	return out
}

// drawnAs returns the glyph of a character, its size and its rise; own tells whether this package draws it.
func drawnAs(r rune) (base rune, size, rise float64, own bool) {
	for _, set := range []struct {
		from, to string
		rise     float64
	}{{supers, superBases, raised}, {subs, subBases, lowered}} {
		from := []rune(set.from)
		for i, s := range from {
			if s == r {
				return []rune(set.to)[i], smallSize, set.rise, false
			}
		}
	}
	if r == nabla {
		return delta, 1, 0, false
	}
	return r, 1, 0, r == '⟨' || r == '⟩'
}

// The font has no ∇: it is a Δ upside down.
const nabla, delta = '∇', 'Δ'

const bracketWidth = 0.34

// layout places the glyphs of a line and returns its width in parts of the size of the font.
func (o Outlines) layout(line string, f plotfont.Font) (pieces []piece, width float64) {
	face := o.Fonts.Lookup(f, f.Size).Face
	var buffer sfnt.Buffer
	em := fixed.Int26_6(face.UnitsPerEm())
	units := float64(em)
	var before sfnt.GlyphIndex
	add := func(r rune) {
		base, size, rise, own := drawnAs(r)
		if own {
			pieces = append(pieces, piece{own: r, x: width, size: 1})
			width, before = width+bracketWidth, 0
			return
		}
		n, err := face.GlyphIndex(&buffer, base)
		if err != nil {
			return
		}
		if before != 0 && size == 1 {
			if kern, err := face.Kern(&buffer, before, n, em, font.HintingNone); err == nil {
				width += float64(kern) / units
			}
		}
		before = n
		if size != 1 {
			before = 0
		}
		segments, err := face.LoadGlyph(&buffer, n, em, nil)
		if err == nil {
			p := piece{path: append(sfnt.Segments(nil), segments...), x: width, y: rise, size: size, em: units}
			if r == nabla {
				p.top = -float64(p.path.Bounds().Min.Y) / units
			}
			pieces = append(pieces, p)
		}
		if advance, err := face.GlyphAdvance(&buffer, n, em, font.HintingNone); err == nil {
			width += size * float64(advance) / units
		}
	}
	for _, r := range line {
		base, _, _, own := drawnAs(r)
		if n, err := face.GlyphIndex(&buffer, base); !own && (err != nil || n == 0) {
			for _, letter := range fmt.Sprintf("[U+%04X]", r) {
				add(letter)
			}
			continue
		}
		add(r)
	}
	return pieces, width
}

// Box returns the size of a line.
func (o Outlines) Box(line string, f plotfont.Font) (width, height, depth vg.Length) {
	_, height, depth = o.Plain.Box("", f)
	_, w := o.layout(line, f)
	return f.Size * vg.Length(w), height, depth
}

// Draw draws a text of one or more lines.
func (o Outlines) Draw(c vg.Canvas, txt string, style text.Style, at vg.Point) {
	txt = strings.TrimRight(txt, "\n")
	if txt == "" {
		return
	}
	c.SetColor(style.Color)
	lines, size := o.Lines(txt), style.Font.Size
	top := style.Height(txt)*vg.Length(style.YAlign) - o.Extents(style.Font).Ascent
	sin, cos := math.Sincos(style.Rotation)
	for i, line := range lines {
		pieces, width := o.layout(line, style.Font)
		x0 := float64(size) * float64(style.XAlign) * width
		y0 := float64(top + vg.Length(len(lines)-i)*size)
		place := func(x, y float64) vg.Point { // of a point of the line
			return vg.Point{X: at.X + vg.Length(cos*(x0+x)-sin*(y0+y)), Y: at.Y + vg.Length(sin*(x0+x)+cos*(y0+y))}
		}
		for _, p := range pieces {
			if path := p.outline(float64(size), place); len(path) > 0 {
				c.Fill(path)
			}
		}
	}
}

// outline returns the path of a glyph.
func (p *piece) outline(size float64, place func(x, y float64) vg.Point) vg.Path {
	var path vg.Path
	if p.path == nil && p.own != 0 {
		return bracket(p.own == '⟩', func(x, y float64) vg.Point { return place(size*(p.x+x), size*y) })
	}
	at := func(q fixed.Point26_6) vg.Point {
		if p.top > 0 {
			return place(size*(p.x+p.size*float64(q.X)/p.em), size*(p.y+p.size*(p.top+float64(q.Y)/p.em)))
		}
		return place(size*(p.x+p.size*float64(q.X)/p.em), size*(p.y-p.size*float64(q.Y)/p.em))
	}
	for i, s := range p.path {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				path.Close()
			}
			path.Move(at(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(at(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(at(s.Args[0]), at(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(at(s.Args[0]), at(s.Args[1]), at(s.Args[2]))
		}
	}
	if len(path) > 0 {
		path.Close()
	}
	return path
}

// bracket returns the outline of an angle bracket.
func bracket(closing bool, place func(x, y float64) vg.Point) vg.Path {
	const left, right, low, middle, high, thick = 0.08, 0.24, -0.17, 0.285, 0.74, 0.075
	points := [][2]float64{{right, high}, {left, middle}, {right, low}, {right + thick, low}, {left + thick, middle}, {right + thick, high}}
	var path vg.Path
	for i, p := range points {
		if closing {
			p[0] = bracketWidth - p[0]
		}
		if i == 0 {
			path.Move(place(p[0], p[1]))
		} else {
			path.Line(place(p[0], p[1]))
		}
	}
	path.Close()
	return path
}
