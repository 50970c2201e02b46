package figure

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// Axis says what runs along an axis.
type Axis struct {
	Label string  // as "t" or "Ra"
	Unit  string  // "" or "1": none
	Log   bool    // logarithmic; the range must be above 0
	Low   float64 // the range; both 0: that of the data, widened to the next ticks
	High  float64
	Steps int  // about how many steps have a number; 0: as many as usual
	Whole bool // numbers stand at whole numbers alone, as those of runs
}

// given tells whether the range is given.
func (a *Axis) given() bool { return a.Low != 0 || a.High != 0 }

// widened returns the range of an axis: the given one, or that of data, widened to whole ticks.
func (a *Axis) widened(low, high float64) (float64, float64) {
	if a.given() {
		return a.Low, a.High
	}
	if !(low <= high) { // no data
		low, high = 1, 2
	}
	if a.Log {
		return widenedLog(low, high)
	}
	if spread := high - low; spread <= 1e-9*math.Max(math.Abs(low), math.Abs(high)) { // rounding alone
		half := math.Max(0.1*math.Abs(low), 1e-300)
		if low == 0 {
			half = 1
		}
		low, high = low-half, high+half
	}
	step := math.Max(niceStep(high-low, steps), a.leastStep())
	return step * math.Floor(low/step+1e-9), step * math.Ceil(high/step-1e-9)
}

// leastStep is that between two numbers of an axis; 0: none is too small.
func (a *Axis) leastStep() float64 {
	if a.Whole {
		return 1
	}
	return 0
}

// logSteps are the ends that a logarithmic axis may have, in a decade.
var logSteps = []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}

// Decades widens a range above 0 to ends that have a number on a logarithmic axis.
func Decades(low, high float64) (float64, float64) { return widenedLog(low, high) }

func widenedLog(low, high float64) (float64, float64) {
	down := func(v float64) float64 {
		decade := math.Pow(10, math.Floor(math.Log10(v)))
		best := decade
		for _, s := range logSteps {
			if s*decade <= v*(1+1e-9) {
				best = s * decade
			}
		}
		return best
	}
	up := func(v float64) float64 {
		decade := math.Pow(10, math.Floor(math.Log10(v)))
		for _, s := range append(logSteps, 10) {
			if s*decade >= v*(1-1e-9) {
				return s * decade
			}
		}
		return v
	}
	const many = 1e3
	if high >= many*low { // whole decades
		return math.Pow(10, math.Floor(math.Log10(low)+1e-9)), math.Pow(10, math.Ceil(math.Log10(high)-1e-9))
	}
	l, h := down(low), up(high)
	if l == h {
		l, h = down(l*0.99), up(h*1.01)
	}
	return l, h
}

// steps is about how many steps of an axis have a number.
const steps = 6

// niceStep returns a step of 1, 2 or 5 times a power of ten that divides a span into at most about so many parts.
func niceStep(span float64, most int) float64 {
	rough := span / float64(most)
	decade := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, s := range []float64{1, 2, 5} {
		if s*decade >= rough*(1-1e-9) {
			return s * decade
		}
	}
	return 10 * decade
}

// exponent returns the power of ten that the numbers of an axis are divided by: 0 where they are short without.
func exponent(low, high float64) int {
	most := math.Max(math.Abs(low), math.Abs(high))
	if most == 0 || most >= 1e-2 && most < 1e5 {
		return 0
	}
	return int(math.Floor(math.Log10(most) + 1e-9))
}

// label returns the text of an axis whose numbers are divided by a power of ten.
func (a *Axis) label(power int) string {
	unit := a.Unit
	if unit == "1" {
		unit = ""
	}
	if power != 0 {
		unit = strings.TrimSpace(Power(power) + " " + unit)
	}
	if unit == "" {
		return a.Label
	}
	return a.Label + " [" + unit + "]"
}

// Power returns a power of ten, as 10⁻¹⁴.
func Power(power int) string {
	b := strings.Builder{}
	b.WriteString("10")
	for _, r := range strconv.Itoa(power) {
		if r == '-' {
			b.WriteRune('⁻')
		} else {
			b.WriteRune([]rune(supers)[r-'0'])
		}
	}
	return b.String()
}

// number is a number as Go and C print it, at the beginning of a text or behind what is no part of a name.
var number = regexp.MustCompile(`(^|[^\pL\pN_.-])(-?)(\d+(?:\.\d+)?)(?:e([+-]\d+))?`)

// Typeset writes the numbers in a text as they are printed in a journal: −400 for -400, and 1.5×10⁻⁷ for 1.5e-07.
func Typeset(text string) string {
	return number.ReplaceAllStringFunc(text, func(found string) string {
		m := number.FindStringSubmatch(found)
		before, sign, digits, exponent := m[1], strings.Replace(m[2], "-", "−", 1), m[3], m[4]
		if power, err := strconv.Atoi(exponent); err == nil {
			digits = strings.TrimPrefix(digits+"×"+Power(power), "1×")
		}
		return before + sign + digits
	})
}

// fixed prints a number with so many decimals and a true minus sign.
func fixedText(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return strings.Replace(text, "-", "−", 1)
}

// ticker makes the ticks of an axis: at whole steps and at both ends.
type ticker struct {
	log   bool
	power int     // of ten that numbers are divided by
	room  int     // steps with numbers, 0: as usual
	least float64 // step
}

// Ticks returns the ticks in a range.
func (t ticker) Ticks(low, high float64) []plot.Tick {
	if t.log {
		return logTicks(low, high)
	}
	room := t.room
	if room == 0 {
		room = steps
	}
	whole := func(v, step float64) bool { return math.Abs(v-step*math.Round(v/step)) < 1e-6*step }
	nice := func(most int) float64 { return math.Max(niceStep(high-low, most), t.least) }
	step := nice(room)
	for n := room; n <= room+3; n++ { // a few steps more, where both ends are whole steps then
		if finer := nice(n); whole(low, finer) && whole(high, finer) {
			step = finer
			break
		}
	}
	scale := math.Pow(10, float64(t.power))
	decimals := max(0, int(-math.Floor(math.Log10(step/scale)+1e-9)))
	var ticks []plot.Tick
	at := func(v float64, decimals int) {
		ticks = append(ticks, plot.Tick{Value: v, Label: fixedText(v/scale, decimals)})
	}
	near := 0.45 * step
	end := func(v float64) {
		d := decimals
		for ; d < decimals+2 && math.Abs(math.Round(v/scale*math.Pow10(d))/math.Pow10(d)*scale-v) > 2e-3*(high-low); d++ {
		}
		at(v, d)
	}
	if !whole(low, step) {
		end(low)
	}
	for n := math.Ceil(low/step - 1e-6); n*step <= high+1e-6*step; n++ {
		v := n * step
		if !whole(low, step) && v-low < near || !whole(high, step) && high-v < near {
			continue
		}
		at(math.Min(math.Max(v, low), high), decimals)
	}
	if !whole(high, step) {
		end(high)
	}
	return ticks
}

// logTicks returns those of a logarithmic axis: numbers at decades, or within few decades at 1, 2 and 5 and the ends, lines at 1 to 9.
func logTicks(low, high float64) []plot.Tick {
	decades := math.Log10(high / low)
	every := max(1, int(math.Ceil(decades/8)))
	var ticks []plot.Tick
	for n := int(math.Floor(math.Log10(low) + 1e-9)); n <= int(math.Floor(math.Log10(high)+1e-9)); n++ {
		for m := 1; m <= 9; m++ {
			v := float64(m) * math.Pow(10, float64(n))
			if v < low*(1-1e-9) || v > high*(1+1e-9) {
				continue
			}
			end := v < low*(1+1e-9) || v > high*(1-1e-9)
			tick := plot.Tick{Value: math.Min(math.Max(v, low), high)}
			if m == 1 && n%every == 0 || decades < 2.2 && (m == 2 || m == 5) || decades < 0.8 || end && decades < 3 {
				tick.Label = logText(m, n)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// logText prints m times a power of ten.
func logText(m, n int) string {
	if n >= -2 && n <= 4 {
		return fixedText(float64(m)*math.Pow(10, float64(n)), max(0, -n))
	}
	if m == 1 {
		return Power(n)
	}
	return strconv.Itoa(m) + "×" + Power(n)
}
