package live

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"convect/io/series"
)

// makeRun makes a run directory with one row.
func makeRun(t *testing.T, dir string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o777))
	write(t, filepath.Join(dir, "case.yaml"), caseText)
	write(t, filepath.Join(dir, series.SeriesName), columns+"0,0,0\n3,0.3,1\n")
}

// component writes a name as the page does: encodeURIComponent.
func component(name string) string {
	var parts []string
	for _, p := range strings.Split(name, "/") {
		parts = append(parts, strings.ReplaceAll(url.QueryEscape(p), "+", "%20"))
	}
	return strings.Join(parts, "/")
}

// The runs of a folder answer whatever they are called, those in runs too, and nothing outside the folder does.
func TestRunsOfAFolder(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "sweep é")
	names := []string{"plain", "rayleigh=60,seed=1", "a b/höhe=1%", "plain/within", "c;d", "e:f?g#h"}
	for _, name := range names {
		makeRun(t, filepath.Join(dir, name))
	}
	makeRun(t, filepath.Join(top, "outside"))
	h := NewFolder(dir, "", ".lock").Handler(nil)
	get := func(path string) (int, string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w.Code, w.Body.String()
	}
	for _, name := range names {
		code, body := get("/r/" + component(name) + "/about")
		if want := filepath.Join(dir, name) + `"`; code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d, %s", name, code, body)
		}
		if code, body := get("/r/" + component(name) + "/"); code != http.StatusOK || !strings.Contains(body, "<!doctype html>") {
			t.Errorf("%s: its page: %d, %.40q", name, code, body)
		}
	}
	for _, path := range []string{"/r/../outside/about", "/r/%2e%2e/outside/about", "/r/..%2foutside/about", "/r/%2e%2e%2foutside/about", "/r//outside/about", "/r/none/about", "/r/"} {
		if code, body := get(path); code == http.StatusOK {
			t.Errorf("%s answers %s", path, body)
		}
	}
	if code, body := get("/runs"); code != http.StatusOK || strings.Count(body, `"name"`) != len(names) {
		t.Errorf("the table: %d, %s", code, body)
	}
}

// The line of a run that has ended is read anew where one of its files has changed, and not otherwise.
func TestLinesOfAFolderAreKept(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, filepath.Join(dir, "one"))
	f := NewFolder(dir, "", ".lock")
	step := func() int64 { return f.table()["runs"].([]line)[0].Step }
	if got := step(); got != 3 {
		t.Fatalf("step %d", got)
	}
	if kept := f.lines["one"]; kept.of.Step != 3 {
		t.Errorf("kept is %+v", kept)
	}
	add(t, filepath.Join(dir, "one", series.SeriesName), "4,0.4,1\n")
	if got := step(); got != 4 {
		t.Errorf("step %d, though there is a row of step 4", got)
	}
}

// patient notes until when each part of a stream may be written.
type patient struct {
	http.ResponseWriter
	deadline time.Time
	late     bool
	comments int
}

func (p *patient) SetWriteDeadline(until time.Time) error { p.deadline = until; return nil }
func (p *patient) Flush()                                 {}
func (p *patient) Write(text []byte) (int, error) {
	p.late = p.late || !time.Now().Before(p.deadline)
	if strings.HasPrefix(string(text), ":") {
		p.comments++
	}
	return p.ResponseWriter.Write(text)
}

// A stream in which nothing changes for longer than a viewer may take to read is not cut.
func TestQuietStreamsLast(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, dir)
	r := NewRun(dir, "", ".lock")
	r.pace = pace{tick: 5 * time.Millisecond, quiet: 30 * time.Millisecond, slowest: 60 * time.Millisecond}
	ctx, cancel := context.WithTimeout(context.Background(), 400*time.Millisecond)
	defer cancel()
	w := &patient{ResponseWriter: httptest.NewRecorder()}
	r.events(w, httptest.NewRequest("GET", "/events", nil).WithContext(ctx), nil)
	if w.late || w.comments < 3 {
		t.Errorf("late: %v, %d comments", w.late, w.comments)
	}
	if ctx.Err() == nil {
		t.Error("the stream ended by itself")
	}
}

// Who does not read his answer does not hold it for ever.
func TestSlowReadersAreLeft(t *testing.T) {
	w := &patient{ResponseWriter: httptest.NewRecorder()}
	s := &Server{}
	s.count(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "x") })).ServeHTTP(w, httptest.NewRequest("GET", "/field", nil))
	if until := time.Until(w.deadline); until <= 0 || until > time.Hour || w.late {
		t.Errorf("an answer may take %v", until)
	}
}

// What would break a line of steering.csv or of the log is refused before the run hears of it.
func TestOrdersOfSeveralLines(t *testing.T) {
	h := NewHook()
	h.Attach(context.Background(), nil)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	var refused *Refusal
	for _, value := range []string{"{time: 1}\n", "1\r2", "1\x00"} {
		if _, err := h.Do(ctx, Every, value); !errors.As(err, &refused) {
			t.Errorf("%q: %v", value, err)
		}
	}
}

// A pause counts once, also for who asks in the moment when it ends.
func TestPausesCountOnce(t *testing.T) {
	h := NewHook()
	h.Attach(context.Background(), nil)
	const pause = 20 * time.Millisecond
	most := make(chan time.Duration)
	stop := make(chan struct{})
	go func() {
		var longest time.Duration
		for {
			select {
			case <-stop:
				most <- longest
				return
			default:
				longest = max(longest, h.Waited())
			}
		}
	}()
	begin := time.Now()
	for range 5 {
		h.begin()
		time.Sleep(pause)
		h.goOn()
	}
	all := time.Since(begin)
	close(stop)
	if longest := <-most; longest > all || h.Waited() < 5*pause {
		t.Errorf("%v were seen to be waited, and %v, in %v", longest, h.Waited(), all)
	}
}

// A table of others with a single column is none of a run's.
func TestForeignSeries(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, dir)
	write(t, filepath.Join(dir, series.SeriesName), "a\n1\n2\n")
	if s := NewRun(dir, "", ".lock").state(); s.Step != 0 {
		t.Errorf("%+v", s)
	}
}

// Addresses of pages are links of the table, so they must be what a server writes.
func TestForeignContacts(t *testing.T) {
	for text, want := range map[string]bool{`{"url": "http://127.0.0.1:80/?token=A"}`: true, `{"url": "javascript:alert(1)"}`: false, `{"url": "file:///etc/passwd"}`: false, `{}`: false} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, FileName), text)
		if _, ok := ReadFile(dir); ok != want {
			t.Errorf("%s is taken: %v", text, ok)
		}
	}
}

// The ssh line of a socket can be pasted, whatever its path is.
func TestSSHOfASocket(t *testing.T) {
	s := &Server{socket: "/home/me/my runs/é'.sock"}
	if line := s.SSH(); !strings.Contains(line, `8080:'/home/me/my runs/é'\''.sock' `) {
		t.Errorf("%s", line)
	}
}
