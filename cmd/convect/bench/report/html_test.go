package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// page writes a page.
func page(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The page of a report that was written and read holds its figures with all digits, its texts escaped, and its plots.
func TestPage(t *testing.T) {
	dir, r := t.TempDir(), sample()
	r.Title, r.Machine.Threads = "A <sample> & more", 2
	r.Tables[0].Columns = append(r.Tables[0].Columns, Column{Key: CopyKey, Title: "copy", Origin: Measured, Format: "%.2f"},
		Column{Key: "threads", Title: "threads", Origin: Label})
	r.Tables[0].Add(Row{"kernel": "a<b", "time": 0.1234567890123, CopyKey: 12.345, "threads": 2})
	r.Tables[0].Add(Row{CopyKey: 99.0, "threads": 1})
	if _, err := r.WriteFiles(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "sample-bars.png")); err != nil {
		t.Fatal(err)
	}
	read, err := Read(filepath.Join(dir, "sample.json"))
	if err != nil {
		t.Fatal(err)
	}
	html := page(t, &Page{Dir: dir, Sections: []Section{{Name: "sample", Title: read.Title, Report: read}, {Name: "other", Missing: "there is none"}}})
	for _, want := range []string{
		`<data value="0.1234567890123">0.12</data>`, `<td class="label">a&lt;b</td>`, "sample: A &lt;sample&gt; &amp; more", `<data value="8">8</data>`,
		`<th class="paper">theirs <span></span> <span><i>paper</i></span></th>`, `<th class="measured">time <span>ms</span> <span><i></i></span></th>`,
		`<img src="data:image/png;base64,iVBOR`, "sample-bars.png is not there", "<li>noted</li>", `<a href="sample.json">`, "difference: 0",
		"<li>other: there is none</li>", "median 12.3 GB/s, 12.3 to 12.3", `<a href="#sample">`, `<h2 id="sample">`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("%s is missing in\n%s", want, html)
		}
	}
	if strings.Contains(html, `id="quick"`) {
		t.Error("a warning of a quick run")
	}
	selfContained(t, html)
}

// selfContained checks that a page is well formed and refers to no file that it needs.
func selfContained(t *testing.T, html string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(html))
	d.Entity = xml.HTMLEntity
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		e, isStart := token.(xml.StartElement)
		if !isStart {
			continue
		}
		if name := e.Name.Local; name == "script" || name == "link" || name == "iframe" {
			t.Errorf("there is a %s", name)
		}
		for _, a := range e.Attr {
			if a.Name.Local == "src" && !strings.HasPrefix(a.Value, "data:") || strings.Contains(a.Value, "://") {
				t.Errorf("%s refers to %s", e.Name.Local, a.Value)
			}
		}
	}
}

// A failed and a quick report say so in every form.
func TestFailedAndQuick(t *testing.T) {
	failed := &Report{Benchmark: "sample", Title: "A sample", Source: "nobody", Command: "convect bench all", Error: "out of memory"}
	quick := sample()
	quick.Quick = true
	for _, c := range []struct {
		r     *Report
		says  string
		never string
	}{{failed, "out of memory", "machine"}, {quick, quickWarning, "failed"}} {
		var text, markdown bytes.Buffer
		if err := errors.Join(c.r.WriteText(&text), c.r.WriteMarkdown(&markdown)); err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{text.String(), markdown.String()} {
			if !strings.Contains(form, c.says) || strings.Contains(form, c.never) {
				t.Errorf("%s", form)
			}
		}
	}
	html := page(t, &Page{Sections: []Section{{Name: "a", Report: failed}, {Name: "b", Report: quick}}})
	for _, want := range []string{`id="quick">` + quickWarning + ": b.", "<li>a: out of memory</li>", `<p class="warning">No figures: out of memory</p>`} {
		if !strings.Contains(html, want) {
			t.Errorf("%s is missing in\n%s", want, html)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sample.json")
	for name, content := range map[string]string{"no JSON": "{", "no report": `{"case": 1}`,
		"no column": `{"benchmark": "a", "tables": [{"key": "t", "rows": [{"x": 1}]}]}`} {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestTextOfNumbers(t *testing.T) {
	for _, c := range []struct {
		format string
		v      any
		want   string
	}{{"", 1000000.0, "1000000"}, {"", 12, "12"}, {"", 0.123456, "0.1235"}, {"%.2f", 3.14159, "3.14"}, {"%.2f", "text", "text"},
		{Significant, 12345.6, "12346"}, {Significant, 0.0012345, "0.00123"}, {Significant, 40.0, "40.0"}, {Significant, 0.99975, "1.00"}, {Significant, 999.7, "1000"}, {Significant, 0.001, "0.00100"}, {Significant, 0.0, "0"}, {Significant, "above 1", "above 1"}} {
		if got := (Column{Key: "x", Format: c.format}).text(Row{"x": c.v}); got != c.want {
			t.Errorf("%v in %q: %s, want %s", c.v, c.format, got, c.want)
		}
	}
}
