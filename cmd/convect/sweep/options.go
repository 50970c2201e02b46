package sweep

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// between returns the value at a part of the range, in six digits.
func (v *Vary) between(part float64) string {
	x := v.From + part*(v.To-v.From)
	if v.Log {
		x = v.From * math.Pow(v.To/v.From, part)
	}
	if v.Whole {
		return strconv.FormatFloat(math.Round(x), 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// ranges are a..b, a..b:count and a..b:count:log.
var ranges = regexp.MustCompile(`^([-+0-9.eE]+?)\.\.([-+0-9.eE]+)(?::(\d+))?(:log)?$`)

// Option reads what an option says of a key: KEY=60,80,100, KEY=1..5 (whole numbers), KEY=10..1000:8 and KEY=10..1000:8:log. For a latin
// hypercube KEY=10..1000 and KEY=10..1000:log are ranges.
func Option(text string, latin bool) (Vary, error) {
	at := "--vary " + text
	key, values, found := strings.Cut(text, "=")
	v := Vary{Key: strings.TrimSpace(key), At: at}
	if !found || v.Key == "" || strings.TrimSpace(values) == "" {
		return v, wrong(at, "accepted: KEY=VALUE,VALUE,…, KEY=1..5, KEY=10..1000:8 or KEY=10..1000:8:log")
	}
	match := ranges.FindStringSubmatch(strings.TrimSpace(values))
	if match == nil {
		v.Values = splitValues(values)
		return v, nil
	}
	from, errFrom := strconv.ParseFloat(match[1], 64)
	to, errTo := strconv.ParseFloat(match[2], 64)
	if errFrom != nil || errTo != nil {
		return v, wrong(at, "%s is no range of numbers; accepted: as 1..5 or 10..1000:8", values)
	}
	v.From, v.To, v.Log = from, to, match[4] != ""
	whole := from == math.Trunc(from) && to == math.Trunc(to)
	count, _ := strconv.Atoi(match[3]) // digits, or none
	switch {
	case latin:
		return v, v.spread(true, 0)
	case match[3] != "" && (count < 1 || count > Most):
		return v, wrong(at, "a count of %s; accepted: 1 to %d", match[3], Most)
	case match[3] != "":
		return v, v.spread(true, count)
	case v.Log:
		return v, wrong(at, "a range with log needs a count, as 10..1000:8:log")
	case !whole:
		return v, wrong(at, "a range of numbers that are not whole needs a count, as %s..%s:8", match[1], match[2])
	case to < from || to-from+1 > Most:
		return v, wrong(at, "%s has no values, or more than %d", values, Most)
	}
	v.Values, v.Whole = []string{}, true
	for x := from; x <= to; x++ {
		v.Values = append(v.Values, strconv.FormatFloat(x, 'f', 0, 64))
	}
	return v, nil
}

// splitValues splits at commas that are in no brackets and no quotes.
func splitValues(text string) []string {
	var out []string
	depth, quote, start := 0, rune(0), 0
	for i, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '[' || r == '{' || r == '(':
			depth++
		case r == ']' || r == '}' || r == ')':
			depth--
		case r == ',' && depth == 0:
			out = append(out, strings.TrimSpace(text[start:i]))
			start = i + 1
		}
	}
	return append(out, strings.TrimSpace(text[start:]))
}
