package live

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"convect/io/series"
)

const caseText = `title: Watched
grid: {cells: [8, 8], size: [1, 1]}
physics: {rayleigh: 100}
boundaries: {bottom: {temperature: 1}, top: {temperature: 0}}
time: {end: 1}
`

const columns = "step,time,wall_seconds\n#1,1,s\n"

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// write writes a file, appends to it with more.
func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o666))
}

func add(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(text)
	must(t, err, f.Close())
}

// watched serves a directory with a case and the head of a table.
func watched(t *testing.T) (s *Server, dir string) {
	t.Helper()
	dir = t.TempDir()
	write(t, filepath.Join(dir, "case.yaml"), caseText)
	write(t, filepath.Join(dir, series.SeriesName), columns)
	s, err := Listen(Auto, []string{"hub.example.org"})
	must(t, err)
	t.Cleanup(s.Close)
	s.Serve(NewRun(dir, "test", ".lock"))
	return s, dir
}

// Eight requests: what has the token comes in, by address, cookie or bearer, and what has not, or comes from elsewhere, does not.
func TestGuards(t *testing.T) {
	s, _ := watched(t)
	base := "http://" + s.listener.Addr().String()
	cookie := s.guard.cookie + "=" + s.guard.token
	for name, c := range map[string]struct {
		method, path string
		headers      []string
		want         int
	}{
		"no token":                   {"GET", "/state", nil, 401},
		"a wrong token":              {"GET", "/?token=AAAA", []string{"Authorization", "Bearer AAAA", "Cookie", s.guard.cookie + "=AAAA"}, 401},
		"the token in the address":   {"GET", "/?token=" + s.guard.token, nil, 200},
		"the cookie":                 {"GET", "/state", []string{"Cookie", cookie}, 200},
		"the bearer":                 {"GET", "/state", []string{"Authorization", "Bearer " + s.guard.token}, 200},
		"a rebound name":             {"GET", "/state", []string{"Host", "evil.example.com:" + base[strings.LastIndexByte(base, ':')+1:], "Cookie", cookie}, 421},
		"a post from another site":   {"POST", "/do", []string{"Cookie", cookie, "Origin", "http://evil.example.com", "Sec-Fetch-Site", "cross-site"}, 403},
		"a post with a wrong cookie": {"POST", "/do", []string{"Cookie", "convect_OTHER=" + s.guard.token}, 401},
		// besides
		"a name given with --live-host":        {"GET", "/state", []string{"Host", "hub.example.org", "Cookie", cookie}, 200},
		"localhost through a tunnel":           {"GET", "/state", []string{"Host", "localhost:9000", "Cookie", cookie}, 200},
		"a post with the token in its address": {"POST", "/do?token=" + s.guard.token, nil, 401},
		"steering by a get":                    {"GET", "/do", []string{"Cookie", cookie}, 405},
		"a post from this site":                {"POST", "/do", []string{"Cookie", cookie, "Sec-Fetch-Site", "same-origin"}, 409}, // nothing to steer
	} {
		q, err := http.NewRequest(c.method, base+c.path, nil)
		must(t, err)
		for i := 0; i+1 < len(c.headers); i += 2 {
			if q.Header.Add(c.headers[i], c.headers[i+1]); c.headers[i] == "Host" {
				q.Host = c.headers[i+1]
			}
		}
		a, err := http.DefaultClient.Do(q)
		must(t, err)
		body, err := io.ReadAll(a.Body)
		must(t, err, a.Body.Close())
		if a.StatusCode != c.want {
			t.Errorf("%s: %d, want %d: %s", name, a.StatusCode, c.want, body)
		}
		if strings.Contains(string(body), s.guard.token) {
			t.Errorf("%s: the answer holds the token", name)
		}
		if !strings.Contains(a.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: no policy", name)
		}
		if set := a.Header.Get("Set-Cookie"); (set != "") != (name == "the token in the address") || set != "" && (!strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Strict") || strings.Contains(set, "Path=")) {
			t.Errorf("%s: cookie %q", name, set)
		}
	}
}

// A socket is its owner's alone, answers, takes the place of one that was left behind and not of another's, and goes.
func TestSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.sock")
	left, err := net.Listen("unix", path)
	must(t, err)
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	must(t, left.Close())
	s, err := Listen("unix:"+path, nil)
	must(t, err)
	info, err := os.Stat(path)
	if must(t, err); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	s.Serve(NewRun(t.TempDir(), "test", ".lock"))
	client := http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", path) }}}
	a, err := client.Get(s.URL())
	if must(t, err); a.StatusCode != 200 {
		t.Errorf("status %d", a.StatusCode)
	}
	if _, err := Listen("unix:"+path, nil); err == nil || !strings.Contains(err.Error(), "another process listens there") {
		t.Errorf("error %v", err)
	}
	if !strings.Contains(s.SSH(), "8080:"+path+" ") {
		t.Errorf("ssh line %q", s.SSH())
	}
	s.Close()
	if _, err := os.Stat(path); err == nil {
		t.Error("the socket is still there")
	}
}

func TestAddresses(t *testing.T) {
	for given, want := range map[string]string{"auto": "127.0.0.1:0", "8080": "127.0.0.1:8080", ":8080": "127.0.0.1:8080", "0.0.0.0:80": "0.0.0.0:80", "[::1]:80": "[::1]:80"} {
		if got := portAddress(given); got != want {
			t.Errorf("%s is %s, want %s", given, got, want)
		}
	}
}

// Rows come once each, whatever is written meanwhile and wherever a reader begins again; a table that is cut or replaced is read anew.
func TestTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "series.csv")
	r := newTail(path)
	var steps []string
	cursor := ""
	ask := func() {
		t.Helper()
		b, _, err := r.since(cursor)
		must(t, err)
		if b.Reset {
			steps = nil
		}
		for _, line := range b.Rows {
			step, _, _ := strings.Cut(line, ",")
			if n := len(steps); n > 0 && b.Stride > 1 && !strings.HasSuffix(steps[n-1], "0") {
				steps = steps[:n-1]
			}
			steps = append(steps, step)
		}
		cursor = b.Cursor
	}
	want := func(text string) {
		t.Helper()
		ask()
		if got := strings.Join(steps, " "); got != text {
			t.Errorf("steps %s, want %s", got, text)
		}
	}
	want("")
	write(t, path, "step,ti")
	want("")
	write(t, path, columns)
	want("")
	add(t, path, "0,0,0\n1,0.1,1\n2,0.")
	want("0 1")
	add(t, path, "2,2\n")
	want("0 1 2")
	want("0 1 2")
	add(t, path, "no row at all\n")
	want("0 1 2")
	add(t, path, "3,0.3,3\n")
	want("0 1 2 3")
	old := cursor
	write(t, path, columns+"0,0,0\n1,0.1,1\n")
	want("0 1")
	if cursor = old; true { // of the table that was
		want("0 1")
	}
	must(t, os.Remove(path))
	want("")
	write(t, path+".new", columns+"0,0,0\n5,0.5,1\n")
	must(t, os.Rename(path+".new", path))
	want("0 5")
	b, isNew, err := newTail(path).since(cursor) // of another process
	if must(t, err); !b.Reset || !isNew || len(b.Rows) != 2 {
		t.Errorf("a cursor of another process gives %+v", b)
	}
}

// Of a long table a page gets rows of even steps apart, and the last one.
func TestTailOfALongTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "series.csv")
	var text strings.Builder
	text.WriteString(columns)
	const last = 50_001
	for step := range last + 1 {
		fmt.Fprintf(&text, "%d,%g,1\n", step, float64(step)/10)
	}
	write(t, path, text.String())
	b, _, err := newTail(path).since("")
	must(t, err)
	if b.Stride != 16 || len(b.Rows) != last/16+2 || b.Rows[len(b.Rows)-1] != "50001,5000.1,1" || b.Rows[1] != "16,1.6,1" {
		t.Errorf("stride %d, %d rows, the last %s", b.Stride, len(b.Rows), b.Rows[len(b.Rows)-1])
	}
}

// stream reads events until one has a row of the last step, and returns the steps of all rows that it got and where it was.
func stream(t *testing.T, s *Server, base, after string, last int) (steps []int, id string) {
	t.Helper()
	q, err := http.NewRequest("GET", base+"events", nil)
	must(t, err)
	q.Header.Set("Authorization", "Bearer "+s.guard.token)
	q.Header.Set("Last-Event-ID", after)
	a, err := http.DefaultClient.Do(q)
	must(t, err)
	defer a.Body.Close()
	lines := bufio.NewScanner(a.Body)
	lines.Buffer(nil, 1<<20)
	name := ""
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case key == "event":
			name = value
		case key == "id":
			id = value
		case key == "data" && name == "rows":
			var b batch
			must(t, json.Unmarshal([]byte(value), &b))
			for _, line := range b.Rows {
				var step int
				fmt.Sscan(strings.Split(line, ",")[0], &step)
				steps = append(steps, step)
			}
			if n := len(steps); n > 0 && steps[n-1] >= last {
				return steps, id
			}
		}
	}
	t.Fatalf("the stream ended at %v: %v", steps, lines.Err())
	return nil, ""
}

// A stream that is cut and taken up again loses no row and gives none twice, through a proxy with a prefix too.
func TestEventsGoOn(t *testing.T) {
	s, dir := watched(t)
	path := filepath.Join(dir, series.SeriesName)
	target, err := url.Parse("http://" + s.listener.Addr().String())
	must(t, err)
	proxy := httptest.NewServer(http.StripPrefix("/node/7", &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}))
	defer proxy.Close()
	var written atomic.Int64
	stop := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return
		}
		defer f.Close()
		for step := int64(0); ; step++ {
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
				fmt.Fprintf(f, "%d,%g,1\n", step, float64(step))
				written.Store(step)
			}
		}
	}()
	var all []int
	after := ""
	for _, base := range []string{target.String() + "/", proxy.URL + "/node/7/", target.String() + "/"} {
		steps, id := stream(t, s, base, after, int(written.Load())+50)
		all, after = append(all, steps...), id
	}
	close(stop)
	<-finished
	for n, step := range all {
		if step != n {
			t.Fatalf("row %d is of step %d: %v", n, step, all[max(0, n-3):min(len(all), n+3)])
		}
	}
	if len(all) < 150 {
		t.Errorf("%d rows", len(all))
	}
}

// The end of the server ends the streams with a last word.
func TestStreamsEndWithTheServer(t *testing.T) {
	s, _ := watched(t)
	q, err := http.NewRequest("GET", "http://"+s.listener.Addr().String()+"/events", nil)
	must(t, err)
	q.Header.Set("Authorization", "Bearer "+s.guard.token)
	a, err := http.DefaultClient.Do(q)
	must(t, err)
	time.AfterFunc(100*time.Millisecond, s.Close)
	text, err := io.ReadAll(a.Body)
	if must(t, err); !strings.Contains(string(text), "event: over") {
		t.Errorf("the stream ends with %q", text)
	}
}

// States of runs that nobody makes any more, from their files.
func TestStatesOfFiles(t *testing.T) {
	dir := t.TempDir()
	begin := "2026-11-25 10:00:00 INF Watched: convect on cpu\n2026-11-25 10:00:00 INF 8 × 8 cells, 81 nodes, Ra = 100, mixed, into x\n"
	for name, c := range map[string]struct{ log, summary, state, said string }{
		"finished": {begin, `{"steps": 3, "time": 1}`, "finished", ""},
		"steady":   {begin, `{"steps": 3, "time": 1, "steady": true}`, "steady", ""},
		"killed":   {begin, "", "killed", "no checkpoint"},
		"stopped":  {begin + "2026-11-25 10:00:01 WRN stopped at step 3, t = 0.3: interrupted by SIGTERM\n", "", "stopped", "SIGTERM"},
		"failed":   {begin + "2026-11-25 10:00:01 ERR the run failed; there is no checkpoint yet\n", "", "failed", "the run failed"},
		"again":    {begin + "2026-11-25 10:00:01 WRN stopped at step 3, t = 0.3: x\n" + begin, `{"steps": 2, "time": 1}`, "killed", "no process"},
	} {
		run := filepath.Join(dir, "sweep [1]", name)
		must(t, os.MkdirAll(run, 0o777))
		write(t, filepath.Join(run, "case.yaml"), caseText)
		write(t, filepath.Join(run, "run.log"), c.log)
		write(t, filepath.Join(run, series.SeriesName), columns+"0,0,0\n3,0.3,1\n")
		if c.summary != "" {
			write(t, filepath.Join(run, series.SummaryName), c.summary)
		}
		s := NewRun(run, "", ".lock").state()
		if s.State != c.state || !strings.Contains(s.Said, c.said) || s.Step != 3 || s.Part != 0.3 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if names := NewFolder(dir, "", ".lock").Names(); len(names) != 6 || names[0] != "sweep [1]/again" {
		t.Errorf("runs %v", names)
	}
}
