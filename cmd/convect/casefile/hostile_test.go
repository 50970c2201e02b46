package casefile

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"convect/kernels/devicetest"
)

// hostile returns texts of about so many bytes that cost a careless reader time, memory or the stack.
func hostile(n int) map[string]string {
	repeated := func(head, text, tail string) string {
		return head + strings.Repeat(text, (n-len(head)-len(tail))/len(text)) + tail
	}
	base := strings.Join(base(), "")
	within := func(from, to string) string { return strings.Replace(base, from, to, 1) }
	value := func(text string) string { return within("{temperature: 0}", `{temperature: "`+text+`"}`) }
	all := map[string]string{
		"list in brackets":     repeated("a: [", "1,", "1]"),
		"long text":            repeated("title: ", "x", ""),
		"long quoted text":     repeated(`title: "`, "x", `"`),
		"escapes":              repeated(`title: "`, `\n`, `"`),
		"open quote":           repeated(`title: "`, "x ", ""),
		"open quotes":          repeated("", "title: 'x\n", ""),
		"open quote of lines":  repeated("title: '", "x\n ", ""),
		"lines of a text":      repeated("title: x\n", "  x\n", ""),
		"block of text":        repeated("title: |\n", "  x\n", ""),
		"folded text":          repeated("title: >\n", "  x\n\n", ""),
		"comments":             repeated(base, "#\n", ""),
		"comments of an item":  repeated("a:\n", " #\n", " - 1\n"),
		"list":                 repeated("a:\n", "- 1\n", ""),
		"list of sections":     repeated("a:\n", "- b: 1\n", ""),
		"open brackets":        repeated("", "a: [\n", ""),
		"bracket over lines":   repeated("a: [", "\n 1,", "]"),
		"aliases":              repeated("a: [", "*a, ", "1]"),
		"anchors":              repeated("", "- &a\n", ""),
		"long number":          within("100", strings.Repeat("1", n-len(base))),
		"long exponent":        within("100", "1e"+strings.Repeat("9", n-len(base))),
		"parentheses":          value(strings.Repeat("(", n/2-200) + "x" + strings.Repeat(")", n/2-200)),
		"long expression":      value(strings.Repeat("x+", n/2-200) + "x"),
		"wrong expressions":    repeated("boundaries:\n  patches:\n", "    - {wall: top, temperature: \"1+(\"}\n", ""),
		"long expressions":     repeated("boundaries:\n  patches:\n", "    - {wall: top, temperature: \""+strings.Repeat("sin(", 90)+"x"+strings.Repeat(")", 90)+strings.Repeat("+x", 4700)+"\"}\n", ""),
		"long right operators": repeated("boundaries:\n  patches:\n", "    - {wall: top, temperature: \"x"+strings.Repeat("^x", 4700)+"\"}\n", ""),
		"many signs":           repeated("boundaries:\n  patches:\n", "    - {wall: top, temperature: \""+strings.Repeat("-", 9900)+"x\"}\n", ""),
		"choices":              repeated("boundaries:\n  patches:\n", "    - {wall: top, temperature: \""+strings.Repeat("x<1?2:", 1500)+"x\"}\n", ""),
		"keys":                 numbered(n, "k%06d: 1\n"),
		"keys in braces":       "a: {" + numbered(n-10, "k%06d: 1,") + "}",
		"sections":             numbered(n, "k%06d: {a: {b: {c: {}}}}\n"),
		"deeper and deeper":    indented(n),
	}
	for _, sign := range strings.Split(`- |? |: |[|{|[[1],|{a: |{}|[]|"|'|"" |,|&|*|!|!!t |@|%|>|#|: - |a: |- a: |<<: a |---
|...
|> 
||
|[
|a
|a: b: |é| |	|
`, "|") {
		if sign != "" {
			all["of "+sign] = repeated("", sign, "")
			all["value of "+sign] = repeated("a: ", sign, "")
			all["item of "+sign] = repeated("a:\n  - ", sign, "")
			all["quoted "+sign] = repeated("title: [\"", sign, "\"]")
		}
	}
	return all
}

func numbered(n int, format string) string {
	var b strings.Builder
	for i := 0; b.Len() < n-20; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func indented(n int) string {
	var b strings.Builder
	for i := 0; b.Len()+i+3 < n; i++ {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// processorTime is what this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestHostileCasesAreCheap reads the largest texts there may be; all that is allocated on the way bounds the memory that is held.
func TestHostileCasesAreCheap(t *testing.T) {
	const memory, most = 300 << 20, 2 * time.Second
	for name, text := range devicetest.Part(t, 3, hostile(maxBytes)) {
		if len(text) > maxBytes || len(text) < maxBytes/2 {
			t.Errorf("%s: %d bytes", name, len(text))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := processorTime()
		said := 0
		if _, err := Parse("case.yaml", []byte(text), nil); err != nil {
			said = len(err.Error())
		}
		if _, err := Parse("case.yaml", []byte(strings.Join(base(), "")), []string{"boundaries.top.temperature=" + text}); err != nil {
			said += len(err.Error())
		}
		used := processorTime() - began
		runtime.ReadMemStats(&after)
		if used > most {
			t.Errorf("%s: %v", name, used)
		}
		if held := after.TotalAlloc - before.TotalAlloc; held > 2*memory || said > 1<<20 {
			t.Errorf("%s: %d MiB are allocated, %d bytes are said", name, held>>20, said)
		}
	}
}

// TestLargeCasesAreRead accepts what is long and ordinary.
func TestLargeCasesAreRead(t *testing.T) {
	devicetest.Long(t)
	var patches, times strings.Builder
	for i := range 16000 {
		fmt.Fprintf(&patches, "    - {wall: bottom, x: [%.5f, %.5f], temperature: 1.5}\n", float64(i)/8000, float64(i+1)/8000)
	}
	for i := range 90000 {
		fmt.Fprintf(&times, "%.7f, ", float64(i+1)/90001)
	}
	for name, changes := range map[string]string{
		"patches":           "boundaries:\n  bottom: {temperature: 1}\n  top: {temperature: 0}\n  patches:\n" + patches.String(),
		"times on one line": "output: {every: {times: [" + times.String() + "]}}\n",
	} {
		text := []byte(withSections(changes))
		began := processorTime()
		if _, err := Parse("case.yaml", text, nil); err != nil {
			t.Errorf("%s: %.300s", name, err.Error())
		}
		if used := processorTime() - began; used > 2*time.Second {
			t.Errorf("%s: %v", name, used)
		}
	}
}

// TestYAML reads what is allowed: the other side of each refusal.
func TestYAML(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1   # one\nb: x y  # two\nc: 'q' # three\n": `{a: 1, b: x y, c: "q"}`,
		"---\na: 1\n...\n":         `{a: 1}`,
		"--- # start\na: 1\n---\n": `{a: 1}`,
		"a:\n- 1\n-   2\n- - 3\n  - 4\nb:\n  - c: 1\n    d: 2\n":           `{a: [1, 2, [3, 4]], b: [{c: 1, d: 2}]}`,
		"a: [\n  1, # one\n  2,\n]\nb: {\n  c: 1, d: {e: 2}\n}\n":          `{a: [1, 2], b: {c: 1, d: {e: 2}}}`,
		"a: {\"b\":1, 'c': x}\n\"d e\": 1\n":                               `{a: {b: 1, c: x}, d e: 1}`,
		"a: x\n  y\n\n  z\nb: 1\n":                                         `{a: "x y\nz", b: 1}`,
		"a: |\n  x\n   y\n\n  z\n\nb: 1\n":                                 `{a: "x\n y\n\nz\n", b: 1}`,
		"a: >\n  x\n  y\n\n  z\n    w\n  v\nb: 1\n":                        `{a: "x y\nz\n  w\nv\n", b: 1}`,
		"a: |-\n  x\n\nb: |+\n  y\n\nc: 1\n":                               `{a: "x", b: "y\n\n", c: 1}`,
		"a: >2\n   x\n  y\n":                                               `{a: " x\ny\n"}`,
		"a: \"x\\ty \\u00e9 \\x41\\\n   b\n  c\"\n":                        `{a: "x\ty é Ab c"}`,
		"a: 'it''s\n  so'\n":                                               `{a: "it's so"}`,
		"a:\n  # above\n  b: 1\n\n\n  c: null\nd: ~\ne:\n":                 `{a: {b: 1, c: null}, d: null, e: null}`,
		"a: http://x#y\nb: -1\nc: x:y\n":                                   `{a: "http://x#y", b: -1, c: "x:y"}`,
		"a:\tx\t# tab\r\nb: 1\r\n":                                         `{a: x, b: 1}`,
		"a:\n  b:\n    - 1\n   \n# end\n  # of it\nc: [a b, 'c d' , -e]\n": `{a: {b: [1]}, c: [a b, "c d", -e]}`,
		"": `null`,
	} {
		root, wrong := parse("case.yaml", []byte(text), "")
		if len(wrong) > 0 {
			t.Errorf("%q: %v", text, wrong)
			continue
		}
		if got := inline(root); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
