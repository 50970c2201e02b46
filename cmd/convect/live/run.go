package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"convect/cmd/convect/casefile"
	"convect/cmd/convect/colours"
	"convect/io/series"
	"convect/io/snapshot"
	"convect/physics"
)

const (
	logName  = "run.log"
	logShown = 32 << 10 // bytes of the log on a page
)

// pace is how a stream goes.
type pace struct {
	tick    time.Duration // from one look to the next
	quiet   time.Duration // after which it says that it is still there
	slowest time.Duration // that a viewer may take to read an event
}

// About is what stays the same of a run, but for its case.
type About struct {
	Title    string   `json:"title"`
	Dir      string   `json:"dir"`
	Version  string   `json:"version"`
	Flat     bool     `json:"flat"`
	Nodes    [3]int   `json:"nodes"` // planes along x, y, z, those repeated included
	Length   string   `json:"length_unit"`
	TimeUnit string   `json:"time_unit"`
	Present  []named  `json:"present"` // what can be shown of the last step; none: there are snapshots alone
	Stills   []named  `json:"stills"`  // and of snapshots
	Colours  []string `json:"colours"`
	Tables   []string `json:"tables"` // that have a row a step or less, beside series.csv
	Steers   bool     `json:"steers"`
}

// State is how far a run is.
type State struct {
	State    string        `json:"state"` // running, paused, finished, steady, stopped, failed, killed, waiting
	Said     string        `json:"said"`  // more about it, or ""
	Step     int64         `json:"step"`
	Time     series.Number `json:"time"` // in the unit of the case
	TimeText string        `json:"time_text"`
	End      series.Number `json:"end"`
	EndText  string        `json:"end_text"`
	Part     series.Number `json:"part"`
	Left     string        `json:"left"`
	Rate     series.Number `json:"rate"`   // steps a second
	Points   series.Number `json:"points"` // nodes a second
	Every    string        `json:"every"`  // output.every of the case
	Log      int64         `json:"log"`    // bytes of it
	Stills   string        `json:"stills"` // changes with the list of snapshots
	Page     string        `json:"page"`   // address of the page on which it can be steered, where this is another
}

// Run is the page of a run directory.
type Run struct {
	Dir     string
	version string
	lock    string // name of the lock in the directory

	// Of a run under way in this process; nil: its files tell all.
	hook  *Hook
	knows func() State

	mutex sync.Mutex
	c     *casefile.Case
	read  string // of which file, and of when

	pace    pace
	series  *tail
	tables  map[string]*tail
	shelf   *shelf
	outcome string
}

// NewRun returns the page of a directory.
func NewRun(dir, version, lock string) *Run {
	return &Run{Dir: dir, version: version, lock: lock, series: newTail(filepath.Join(dir, series.SeriesName)), tables: map[string]*tail{}, shelf: &shelf{dir: dir},
		pace: pace{tick: 500 * time.Millisecond, quiet: 15 * time.Second, slowest: 30 * time.Second}}
}

// Present makes the page that of a run under way in this process, before it is served: its hook, and what the run knows of itself, which is no more
// than its own numbers.
func (r *Run) Present(hook *Hook, knows func() State) { r.hook, r.knows = hook, knows }

// SetCase makes a case the run's.
func (r *Run) SetCase(c *casefile.Case) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.c = c
}

// Finish notes how a run of this process ended, for those who look at its last moment.
func (r *Run) Finish(outcome string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.outcome = outcome
}

// theCase returns the case of the run: the one that is running, else that of the directory.
func (r *Run) theCase() (*casefile.Case, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.hook != nil {
		return r.c, nil
	}
	for _, name := range caseNames {
		path := filepath.Join(r.Dir, name)
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		if read := fmt.Sprint(name, info.ModTime(), info.Size()); r.c == nil || read != r.read {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			c, err := casefile.Parse(path, text, nil)
			if err != nil {
				return nil, err
			}
			r.c, r.read = c, read
		}
		return r.c, nil
	}
	return nil, fmt.Errorf("%s holds no run: there is no %s", r.Dir, caseNames[1])
}

// caseNames are the files that hold the case as run, by the order in which they count.
var caseNames = [2]string{"case.as-run.yaml", "case.yaml"}

// Handler answers the requests of the page.
func (r *Run) Handler(done <-chan struct{}) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", serveFile("run.html", "text/html"))
	mux.HandleFunc("GET /page.css", serveFile("page.css", "text/css"))
	for _, name := range []string{"run.js", "view.js", "plot.js", "field.js", "common.js"} {
		mux.HandleFunc("GET /"+name, serveFile(name, "text/javascript"))
	}
	mux.HandleFunc("GET /about", r.about)
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) { answer(w, r.state()) })
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, q *http.Request) { r.events(w, q, done) })
	mux.HandleFunc("GET /rows", r.rows)
	mux.HandleFunc("GET /log", r.log)
	mux.HandleFunc("GET /stills", r.stills)
	mux.HandleFunc("GET /field", r.field)
	mux.HandleFunc("GET /colours/{name}", colourTable)
	mux.HandleFunc("POST /do", r.do)
	return mux
}

// refuse answers a request that cannot be granted.
func refuse(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
}

func (r *Run) about(w http.ResponseWriter, _ *http.Request) {
	c, err := r.theCase()
	if err != nil {
		refuse(w, http.StatusNotFound, err)
		return
	}
	flat := c.Extent().Cells[1] == 0
	dir, _ := filepath.Abs(r.Dir)
	a := About{Title: c.Title, Dir: dir, Version: r.version, Flat: flat, Length: c.Scales.LengthUnit, TimeUnit: c.Scales.TimeUnit, Present: []named{}, Colours: colours.Names(), Steers: r.hook != nil, Tables: r.otherTables()}
	for d, n := range c.Extent().Cells {
		a.Nodes[d] = n + 1
	}
	var written []physics.Quantity
	for _, q := range c.Parameters.Quantities() {
		for _, name := range c.Output.Fields {
			if q.Name == name {
				written = append(written, q)
			}
		}
	}
	a.Stills = shown(written, c.Scales, flat)
	if r.hook != nil {
		a.Present = shown(c.Parameters.Quantities(), c.Scales, flat)
	}
	answer(w, a)
}

// otherTables lists the tables of the directory, besides the series, in which each row has a step of its own.
func (r *Run) otherTables() []string {
	names := []string{}
	for _, pattern := range []string{"*.csv", "*/*.csv"} {
		found, _ := filepath.Glob(filepath.Join(escaped(r.Dir), pattern)) // the pattern is right
		for _, path := range found {
			name, err := filepath.Rel(r.Dir, path)
			if err == nil && name != series.SeriesName && name != series.ProfilesName && isByStep(path) {
				names = append(names, filepath.ToSlash(name))
			}
		}
	}
	return names
}

// escaped makes a path a pattern that matches itself alone.
func escaped(path string) string {
	return regexp.MustCompile(`[*?\[\\]`).ReplaceAllString(path, `\$0`)
}

// isByStep tells whether a table begins with columns step and time, and a line of units.
func isByStep(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 1<<10)
	n, _ := io.ReadFull(f, head)
	first, rest, _ := strings.Cut(string(head[:n]), "\n")
	return strings.HasPrefix(first, "step,time,") && strings.HasPrefix(rest, "#")
}

// state tells how far the run is.
func (r *Run) state() State {
	var s State
	if r.hook != nil {
		s = r.knows()
		if c, err := r.theCase(); err == nil {
			s.Every = c.Given("output.every")
		}
		if s.State = "running"; r.hook.Paused() {
			s.State = "paused"
		}
		r.mutex.Lock()
		if r.outcome != "" {
			s.State = r.outcome
		}
		r.mutex.Unlock()
	} else {
		s = r.stateOfFiles()
	}
	if info, err := os.Stat(filepath.Join(r.Dir, logName)); err == nil {
		s.Log = info.Size()
	}
	if info, err := os.Stat(filepath.Join(r.Dir, snapshot.XDMFName)); err == nil {
		s.Stills = fmt.Sprint(info.ModTime().UnixNano())
	}
	return s
}

// tableOf returns the table that a request names; nil where it is none of the run.
func (r *Run) tableOf(name string) *tail {
	if name == "" {
		return r.series
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if t := r.tables[name]; t != nil {
		return t
	}
	for _, other := range r.otherTables() {
		if other == name {
			r.tables[name] = newTail(filepath.Join(r.Dir, filepath.FromSlash(name)))
			return r.tables[name]
		}
	}
	return nil
}

// colourTable answers with the 256 colours of a map, three bytes each.
func colourTable(w http.ResponseWriter, q *http.Request) {
	m, err := colours.Get(q.PathValue("name"))
	if err != nil {
		refuse(w, http.StatusNotFound, err)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Write(m.Table[:])
}

// do steers the run.
func (r *Run) do(w http.ResponseWriter, q *http.Request) {
	if r.hook == nil {
		refuse(w, http.StatusConflict, errors.New("the run is not under way in this process: nothing can be steered here"))
		return
	}
	var order struct{ Action, Value string }
	if err := json.NewDecoder(http.MaxBytesReader(w, q.Body, 4<<10)).Decode(&order); err != nil {
		refuse(w, http.StatusBadRequest, fmt.Errorf("what to do must be JSON as {\"action\": \"pause\"}: %w", err))
		return
	}
	said, err := r.hook.Do(q.Context(), order.Action, order.Value)
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		refuse(w, http.StatusUnprocessableEntity, err)
	default:
		answer(w, map[string]string{"said": said})
	}
}
