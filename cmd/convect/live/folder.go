package live

import (
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"convect/io/checkpoint"
	"convect/io/lock"
	"convect/io/series"
	"convect/io/snapshot"
	"convect/physics"
)

// Folder is the page of a folder with run directories in it, or in folders in it.
type Folder struct {
	dir, version, lock string

	mutex sync.Mutex
	runs  map[string]*Run
	pages map[string]http.Handler
	lines map[string]kept
}

// kept is the line of a run that has ended, and what its files looked like.
type kept struct {
	seen string
	of   line
}

// NewFolder returns the page of a folder.
func NewFolder(dir, version, lock string) *Folder {
	return &Folder{dir: dir, version: version, lock: lock, runs: map[string]*Run{}, pages: map[string]http.Handler{}, lines: map[string]kept{}}
}

// IsRun tells whether a directory holds a run.
func IsRun(dir string) bool {
	for _, name := range caseNames {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			for _, other := range []string{logName, series.SeriesName} {
				if _, err := os.Stat(filepath.Join(dir, other)); err == nil {
					return true
				}
			}
		}
	}
	return false
}

// Names lists the run directories, by name.
func (f *Folder) Names() []string {
	names := []string{}
	for _, pattern := range []string{"*", "*/*"} {
		found, _ := filepath.Glob(filepath.Join(escaped(f.dir), pattern)) // the pattern is right
		for _, path := range found {
			if name, err := filepath.Rel(f.dir, path); err == nil && IsRun(path) {
				names = append(names, filepath.ToSlash(name))
			}
		}
	}
	slices.Sort(names)
	return names
}

// Handler answers the requests of the page, and those of the runs under r/NAME/.
func (f *Folder) Handler(done <-chan struct{}) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", serveFile("folder.html", "text/html"))
	mux.HandleFunc("GET /page.css", serveFile("page.css", "text/css"))
	for _, name := range []string{"folder.js", "common.js"} {
		mux.HandleFunc("GET /"+name, serveFile(name, "text/javascript"))
	}
	mux.HandleFunc("GET /runs", func(w http.ResponseWriter, _ *http.Request) { answer(w, f.table()) })
	mux.HandleFunc("/r/", func(w http.ResponseWriter, q *http.Request) {
		name, rest, found := f.find(strings.TrimPrefix(q.URL.Path, "/r/"))
		if !found {
			http.NotFound(w, q)
			return
		}
		own := q.Clone(q.Context())
		own.URL.Path, own.URL.RawPath = rest, "" // names have characters that browsers escape and Go does not, as = in those of a sweep
		f.page(name, done).ServeHTTP(w, own)
	})
	return mux
}

// find splits a path into the name of a run of the folder, or of one in a folder in it, and what follows.
func (f *Folder) find(path string) (name, rest string, found bool) {
	parts := strings.Split(path, "/")
	for n := min(2, len(parts)-1); n > 0; n-- {
		name := strings.Join(parts[:n], "/")
		if filepath.IsLocal(filepath.FromSlash(name)) && filepath.Clean(name) == name && IsRun(filepath.Join(f.dir, filepath.FromSlash(name))) {
			return name, "/" + strings.Join(parts[n:], "/"), true
		}
	}
	return "", "", false
}

// run returns the run of a name.
func (f *Folder) run(name string) *Run {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.runs[name] == nil {
		f.runs[name] = NewRun(filepath.Join(f.dir, filepath.FromSlash(name)), f.version, f.lock)
	}
	return f.runs[name]
}

// page returns the page of a run.
func (f *Folder) page(name string, done <-chan struct{}) http.Handler {
	r := f.run(name)
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.pages[name] == nil {
		f.pages[name] = r.Handler(done)
	}
	return f.pages[name]
}

// line is a run in the table.
type line struct {
	Name   string        `json:"name"`
	Title  string        `json:"title"`
	Number string        `json:"number"` // name of the column of Value
	Value  series.Number `json:"value"`  // Nusselt or Sherwood number of the last step
	State
}

// table lists the runs.
func (f *Folder) table() map[string]any {
	lines := []line{}
	for _, name := range f.Names() {
		lines = append(lines, f.line(name))
	}
	dir, _ := filepath.Abs(f.dir)
	return map[string]any{"dir": dir, "version": f.version, "runs": lines}
}

// line returns the line of a run. That of one that nobody makes any more is kept as long as its files stay as they are: a folder may have thousands.
func (f *Folder) line(name string) line {
	r := f.run(name)
	holder, _ := lock.Look(filepath.Join(r.Dir, r.lock))
	seen := r.seen()
	f.mutex.Lock()
	before, isKept := f.lines[name]
	f.mutex.Unlock()
	if isKept && holder == "" && before.seen == seen {
		return before.of
	}
	l := line{Name: name, State: r.state(), Value: nan}
	if c, err := r.theCase(); err == nil {
		l.Title = c.Title
		l.Number, l.Value = transfer(filepath.Join(r.Dir, series.SeriesName), &c.Parameters.Transported()[0])
	}
	if holder == "" {
		f.mutex.Lock()
		f.lines[name] = kept{seen, l}
		f.mutex.Unlock()
	}
	return l
}

// seen tells what the files look like that a line is made of.
func (r *Run) seen() string {
	var b strings.Builder
	for _, name := range append(caseNames[:], series.SeriesName, series.SummaryName, logName, checkpoint.Folder, snapshot.XDMFName) {
		if info, err := os.Stat(filepath.Join(r.Dir, name)); err == nil {
			fmt.Fprintln(&b, name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

// transfer returns the mean of both Nusselt numbers of the last step, or of the Sherwood numbers where there is no temperature.
func transfer(path string, of *physics.Transported) (name string, value series.Number) {
	names, _, last := lastRows(path)
	sum, n := 0.0, 0.0
	for _, t := range of.Transfers()[:2] {
		if at := slices.Index(names, t.Name); at >= 0 && last != nil && !math.IsNaN(last[at]) {
			sum, n = sum+last[at], n+1
		}
	}
	if n == 0 {
		return of.Number, nan
	}
	return of.Number, series.Number(sum / n)
}
