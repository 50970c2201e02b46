package main

import (
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"convect/cmd/convect/colours"
	"convect/cmd/convect/live"
	"convect/io/series"
	"convect/io/snapshot"
)

// pacedCase makes steps that take a few milliseconds, as long as it is let.
const pacedCase = `title: Paced
grid: {cells: [96, 64], size: [1.5, 1], grading: {z: {cluster: both, ratio: 3}}}
physics: {rayleigh: 300}
boundaries: {bottom: {temperature: 1}, top: {temperature: 0}}
initial: {perturbation: {mode: [1, 1], amplitude: 0.1}}
time: {end: 0.4}
output: {every: {time: 0.05}}
`

// slowCase makes some hundred steps a second, and far more of them than any test waits for.
var slowCase = strings.NewReplacer("end: 0.4", "end: 30", "[96, 64]", "[256, 192]").Replace(pacedCase)

// page's words for what it has got.
const (
	pageStep = `Number(document.documentElement.dataset.step || -1)`
	pageRows = `Number(document.documentElement.dataset.rows || 0)`
)

// The page of a run: it shows the last row of the table and the colours of the field, stays within any window, and its buttons and keys do what they say. The run ends with the
// bits of one that was left alone.
func TestPage(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	dir := writeCase(t, pacedCase)
	mustRun(t, dir, "run", "small.yaml", "--out", "alone.out")
	b := openBrowser(t)
	r := startLive(t, dir, "run", "small.yaml")
	r.do(live.Pause, "")
	b.open(r.contact.URL, 1500)
	b.wait(`document.getElementById("chip").textContent === "paused"`)
	if at := evaluate[string](b, "location.href"); strings.Contains(at, "token") {
		t.Errorf("the address keeps the token: %s", at)
	}
	from := r.state().Step
	b.do(chromedp.Click(chromedp.CSS("#pause")))
	b.wait(fmt.Sprintf("%s > %d", pageStep, from+30))
	b.do(chromedp.Click(chromedp.CSS("#pause")))
	b.wait(`document.getElementById("chip").textContent === "paused" && document.getElementById("answer").textContent.startsWith("paused")`)
	at := r.state().Step
	b.wait(fmt.Sprintf(`%s === %d && Number(document.getElementById("picture").dataset.step) === %d`, pageStep, at, at))
	checkLastRow(t, b, r)
	b.do(chromedp.Click(chromedp.CSS("#snapshot")))
	b.wait(`document.getElementById("answer").textContent.startsWith("wrote a snapshot")`)
	path := r.dir.path(filepath.Join(snapshot.Folder, fmt.Sprintf("snap_%06d.hdf", at)))
	checkPixels(t, b, path)
	b.within("run", 1500, 1024, 390)
	checkField(b)
	if now := r.state().Step; now != at {
		t.Errorf("paused at step %d, now at %d", at, now)
	}
	b.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`), chromedp.KeyEvent("p"))
	b.wait(`document.getElementById("chip").textContent !== "paused"`)
	if code := endOf(t, r.process); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	b.wait(`document.getElementById("chip").textContent === "finished" && document.getElementById("pause").disabled`)
	checkLastRow(t, b, r)
	b.quiet()
	if err := os.Remove(path); err != nil {
		t.Error(err)
	}
	sameEnd(t, r.dir, directory(filepath.Join(dir, "alone.out")))
}

// checkLastRow compares the last row of the page with the last one of series.csv.
func checkLastRow(t *testing.T, b *browser, r *liveRun) {
	t.Helper()
	table, err := series.Read(r.dir.path(series.SeriesName))
	if err != nil {
		t.Fatal(err)
	}
	last := table.Column("step")[table.Rows()-1]
	b.wait(fmt.Sprintf("%s === %g && %s === %d", pageStep, last, pageRows, table.Rows()))
	b.wait(fmt.Sprintf(`document.getElementById("step").textContent === "%g"`, last))
}

// checkPixels compares five pixels of the page with the colours of the values that the snapshot of the same step has there.
func checkPixels(t *testing.T, b *browser, path string) {
	t.Helper()
	s, err := snapshot.Read(path, "temperature")
	if err != nil {
		t.Fatal(err)
	}
	field, _ := s.Field("temperature")
	plane := &slice{across: s.Coordinates[0], up: s.Coordinates[2], values: field.Values}
	low, high := plane.span()
	m, err := colours.Get(colours.Default)
	if err != nil {
		t.Fatal(err)
	}
	size := evaluate[[]int](b, `(c => [c.width, c.height])(document.getElementById("picture"))`)
	for _, part := range [][2]float64{{0, 0}, {0.999, 0.999}, {0.5, 0.5}, {0.2, 0.9}, {0.7, 0.3}} {
		i, j := int(part[0]*float64(size[0])), int(part[1]*float64(size[1]))
		got := evaluate[[]int](b, fmt.Sprintf(`[...document.getElementById("picture").getContext("2d").getImageData(%d, %d, 1, 1).data]`, i, j))
		width, height := plane.size()
		v := plane.at(width*(float64(i)+0.5)/float64(size[0]), height*(1-(float64(j)+0.5)/float64(size[1])))
		want := m.At(colours.Index(v, low, high))
		if got[0] != int(want.R) || got[1] != int(want.G) || got[2] != int(want.B) || got[3] != 255 {
			t.Errorf("pixel %d, %d is %v, want %v for %g", i, j, got, want, v)
		}
	}
}

// checkField moves the point on the field by keys, takes another field and range, and goes through the snapshots.
func checkField(b *browser) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(1500, 1000), chromedp.Focus(chromedp.CSS("#over")), chromedp.KeyEvent(kb.ArrowRight))
	b.wait(`/^x = .*, z = .*: temperature = /.test(document.getElementById("readout").textContent)`)
	b.do(chromedp.SetValue(chromedp.CSS("#name"), "speed"), chromedp.Evaluate[chromedp.Void](`document.getElementById("name").dispatchEvent(new Event("change"))`))
	b.wait(`document.getElementById("readout").textContent.includes("speed = ")`)
	b.do(chromedp.Evaluate[chromedp.Void](`{const s = document.getElementById("still"); s.value = 0; s.dispatchEvent(new Event("input"))}`))
	b.wait(`document.getElementById("still-at").textContent === "t = 0" && document.getElementById("picture").dataset.step === "0"`)
	b.do(chromedp.Evaluate[chromedp.Void](`{const s = document.getElementById("still"); s.value = s.max; s.dispatchEvent(new Event("input"))}`))
	b.wait(`document.getElementById("still-at").textContent === "now" && document.getElementById("picture").dataset.step !== "0"`)
	b.do(chromedp.Click(chromedp.CSS(".chart input")), chromedp.Click(chromedp.CSS("#freeze")))
	b.wait(`document.getElementById("freeze").getAttribute("aria-pressed") === "true"`)
	b.do(chromedp.Click(chromedp.CSS("#freeze")))
}

// Stop asks once more, ends the run with a whole checkpoint, and the page stays.
func TestPageStops(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	dir := writeCase(t, slowCase)
	b := openBrowser(t)
	r := startLive(t, dir, "run", "small.yaml")
	b.open(r.contact.URL, 1024)
	b.wait(pageStep + " > 20")
	b.do(chromedp.SetValue(chromedp.CSS("#end"), "2"), chromedp.Click(chromedp.CSS("#end-form button")))
	b.wait(`document.getElementById("answer").textContent.startsWith("time.end was 30 and is 2")`)
	b.do(chromedp.SetValue(chromedp.CSS("#every"), "{tim: 2}"), chromedp.Click(chromedp.CSS("#every-form button")))
	b.wait(`document.getElementById("answer").textContent.includes("did you mean time?")`)
	b.mutex.Lock()
	b.wrong = nil // the browser tells of each answer that refuses
	b.mutex.Unlock()
	b.do(chromedp.Click(chromedp.CSS("#stop")))
	b.wait(`!document.getElementById("stop-yes").hidden`)
	b.do(chromedp.Click(chromedp.CSS("#stop-yes")))
	if code := endOf(t, r.process); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	isWhole(t, r.dir)
	b.wait(`document.getElementById("chip").textContent === "stopped" && document.getElementById("link").textContent.includes("the run has ended")`)
	b.quiet()
}

// A page behind a proxy with a prefix gets all rows once, also when its connection is cut; where the proxy holds back events it asks.
func TestPageBehindProxies(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	dir := writeCase(t, slowCase)
	r := startLive(t, dir, "run", "small.yaml")
	target, err := url.Parse(r.contact.URL)
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{Rewrite: func(q *httputil.ProxyRequest) { q.SetURL(&url.URL{Scheme: target.Scheme, Host: target.Host}) }}
	proxy := &cutting{Server: httptest.NewUnstartedServer(http.StripPrefix("/node/7", forward))}
	proxy.start()
	defer proxy.Close()
	b := openBrowser(t)
	b.open(proxy.URL+"/node/7/?token="+r.contact.Token, 1024)
	for range 3 {
		from := evaluate[int](b, pageRows)
		b.wait(fmt.Sprintf("%s > %d", pageRows, from+20))
		checkRowsOnce(b)
		proxy.cut()
	}
	held := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasSuffix(q.URL.Path, "/events") {
			<-q.Context().Done() // as one that waits for the end of the answer
			return
		}
		forward.ServeHTTP(w, q)
	}))
	defer held.Close()
	b.open(held.URL+"/?token="+r.contact.Token, 1024)
	b.wait(`document.getElementById("link").textContent === "live, by asking each second"`)
	from := evaluate[int](b, pageRows)
	b.wait(fmt.Sprintf("%s > %d && document.getElementById('picture').dataset.step > 0", pageRows, from+20))
	checkRowsOnce(b)
	b.do(chromedp.Navigate("about:blank"))
}

// checkRowsOnce checks that the page has one row for each step, or for every second, third and so on where there are many.
func checkRowsOnce(b *browser) {
	b.t.Helper()
	got := evaluate[[]int](b, fmt.Sprintf(`[%s, %s, Number((document.getElementById("stride").textContent.match(/every (\d+)/) || [0, 1])[1])]`, pageRows, pageStep))
	if rows, step, stride := got[0], got[1], got[2]; rows != (step+stride-1)/stride+1 { // the last row always
		b.t.Errorf("%d rows up to step %d, every %d", rows, step, stride)
	}
}

// cutting is a server whose connections can be cut.
type cutting struct {
	*httptest.Server
	mutex       sync.Mutex
	connections map[net.Conn]bool
}

func (c *cutting) start() {
	c.connections = map[net.Conn]bool{}
	c.Config.ConnState = func(n net.Conn, s http.ConnState) {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		if c.connections[n] = true; s == http.StateClosed || s == http.StateHijacked {
			delete(c.connections, n)
		}
	}
	c.Start()
}

func (c *cutting) cut() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for n := range c.connections {
		n.Close()
	}
}

// watch shows a folder with a run that was killed, a finished one and one under way, and the page of each.
func TestWatchPage(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	dir := writeCase(t, pacedCase)
	mustRun(t, dir, "run", "small.yaml", "--out", "done.out")
	if err := os.WriteFile(filepath.Join(dir, "cube.yaml"), []byte(strings.NewReplacer("end: 0.12", "end: 500", "time: 0.05", "time: 2").Replace(cubeCase)), 0o666); err != nil {
		t.Fatal(err)
	}
	killed := start(t, dir, "run", "small.yaml", "--out", "killed.out", "--set", "time.end=30", "--set", "checkpoint.every={steps: 20}")
	waitForRows(t, directory(filepath.Join(dir, "killed.out")), 50)
	killed.Process.Signal(syscall.SIGKILL)
	killed.Wait()
	running := startLive(t, dir, "run", "cube.yaml", "--out", "small.out")
	watch := program(t, dir, "watch", ".")
	out, err := watch.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := watch.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { watch.Process.Signal(syscall.SIGINT); watch.Wait() })
	var page string
	if _, err := fmt.Fscanf(out, "page: %s\n", &page); err != nil {
		t.Fatal(err)
	}
	b := openBrowser(t)
	b.open(page, 1024)
	b.wait(`[...document.querySelectorAll("#runs tr")].map(r => r.querySelector("a").textContent + " " + r.querySelector(".chip").textContent).join(", ") === "done.out finished, killed.out killed, small.out running"`)
	b.within("folder", 1500, 1024, 390)
	b.do(chromedp.EmulateViewport(1024, 1000), chromedp.Click(chromedp.Search(`//a[text()="killed.out"]`)))
	b.wait(`document.getElementById("chip").textContent === "killed" && document.getElementById("said").textContent.includes("newest checkpoint")`)
	b.wait(pageStep + ` > 40 && document.getElementById("picture").dataset.step && document.getElementById("steer").hidden`)
	table, err := series.Read(filepath.Join(dir, "killed.out", series.SeriesName))
	if err != nil {
		t.Fatal(err)
	}
	if last := table.Column("step")[table.Rows()-1]; evaluate[float64](b, pageStep) != last {
		t.Errorf("the page ends with step %g, the table with %g", evaluate[float64](b, pageStep), last)
	}
	b.quiet()
	running.do(live.Stop, "")
	endOf(t, running.process)
}

// The page of a box shows planes across each axis, and a surface in it.
func TestPageOfABox(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	dir := writeCase(t, strings.Replace(cubeCase, "end: 0.12", "end: 500", 1))
	r := startLive(t, dir, "run", "small.yaml")
	for deadline := time.Now().Add(30 * time.Second); r.state().Step < 100; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("only %d steps were made", r.state().Step)
		}
	}
	r.do(live.Pause, "") // before the page opens, since a browser without a GPU draws too slowly beside a run
	at := r.state().Step
	b := openBrowser(t, webGL...)
	b.open(r.contact.URL, 600)
	b.wait(fmt.Sprintf(`%s === %d && document.getElementById("picture").dataset.step === "%d"`, pageStep, at, at))
	for _, axis := range []string{"x", "z", "y"} {
		b.do(chromedp.SetValue(chromedp.CSS("#axis"), axis), chromedp.Evaluate[chromedp.Void](`document.getElementById("axis").dispatchEvent(new Event("change"))`))
		b.wait(fmt.Sprintf(`document.getElementById("picture").dataset.axis === "%s" && document.getElementById("picture").dataset.step === "%d"`, axis, at))
	}
	b.do(chromedp.SetValue(chromedp.CSS("#look"), "block"), chromedp.Evaluate[chromedp.Void](`document.getElementById("look").dispatchEvent(new Event("change"))`))
	b.wait(`!document.getElementById("solid").hidden && document.getElementById("level-at").textContent`)
	lit := evaluate[float64](b, `(() => { const s = document.getElementById("solid"), c = document.createElement("canvas"); c.width = s.width; c.height = s.height; const x = c.getContext("2d"); x.drawImage(s, 0, 0);
		const d = x.getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n / (c.width * c.height); })()`)
	if math.IsNaN(lit) || lit < 0.05 || lit > 0.9 {
		t.Errorf("the surface covers %g of the picture", lit)
	}
	b.within("cube", 390)
	if os.Getenv(screenshots) != "" {
		b.within("cube", 1500)
	}
	b.quiet()
	r.do(live.Stop, "")
	endOf(t, r.process)
}
