// Package figure draws pictures for papers and screens: PDF, SVG and PNG from one drawing.
//
// # Text
//
// All text is drawn as the outlines of its glyphs, so that a file looks the same wherever it is opened, and needs no fonts there. Superscripts and
// subscripts of Unicode (10⁻¹⁴, K₂) are drawn as small figures above or below the line, angle brackets by this package. A character that the font does not
// have is drawn as its number, [U+4E2D]: nothing is left out.
//
// # Files
//
// The same drawing gives the same bytes: no file has a date in it. Lengths are in points of 1/72 inch, y runs upwards.
package figure
