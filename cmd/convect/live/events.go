package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func (r *Run) rows(w http.ResponseWriter, q *http.Request) {
	t := r.tableOf(q.URL.Query().Get("table"))
	if t == nil {
		refuse(w, http.StatusNotFound, errors.New("there is no such table"))
		return
	}
	b, _, err := t.since(q.URL.Query().Get("after"))
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	answer(w, b)
}

// events streams the state and the rows of series.csv as they change.
func (r *Run) events(w http.ResponseWriter, q *http.Request, done <-chan struct{}) {
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	cursor := q.Header.Get("Last-Event-ID")
	if cursor == "" {
		cursor = q.URL.Query().Get("after")
	}
	var said []byte
	spoke := time.Now()
	write := func(text string) error {
		spoke = time.Now()
		control.SetWriteDeadline(spoke.Add(r.pace.slowest)) // fails where there is no connection to wait for
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
		return control.Flush()
	}
	send := func(name, id string, v any) error {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if name == "state" && string(text) == string(said) {
			return nil
		}
		if name == "state" {
			said = text
		}
		if id != "" {
			id = "id: " + id + "\n"
		}
		return write(fmt.Sprintf("event: %s\n%sdata: %s\n\n", name, id, text))
	}
	turn := func() error {
		if err := send("state", "", r.state()); err != nil {
			return err
		}
		b, isNew, err := r.series.since(cursor)
		if err != nil || !isNew {
			return nil // a table that cannot be read now may be later
		}
		if err := send("rows", b.Cursor, b); err != nil {
			return err
		}
		cursor = b.Cursor
		return nil
	}
	each := time.NewTicker(r.pace.tick)
	defer each.Stop()
	for {
		if turn() != nil {
			return
		}
		if time.Since(spoke) > r.pace.quiet && write(": still here\n\n") != nil {
			return
		}
		select {
		case <-each.C:
		case <-q.Context().Done():
			return
		case <-done:
			r.end(send, cursor)
			return
		}
	}
}

// end sends the last rows, and then all that a page could still ask for: nobody answers any more.
func (r *Run) end(send func(name, id string, v any) error, cursor string) {
	if b, isNew, err := r.series.since(cursor); err == nil && isNew && send("rows", b.Cursor, b) != nil {
		return
	}
	var last struct {
		State  State   `json:"state"`
		Log    string  `json:"log"`
		Stills []still `json:"stills"`
	}
	last.State = r.state()
	last.Log, _ = endOf(filepath.Join(r.Dir, logName), logShown) // without it there is none to show
	last.Stills, _ = stills(r.Dir)
	send("over", "", last)
}

// log answers with the end of the log.
func (r *Run) log(w http.ResponseWriter, _ *http.Request) {
	text, err := endOf(filepath.Join(r.Dir, logName), logShown)
	if err != nil && !os.IsNotExist(err) {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, text)
}

// endOf returns the last whole lines of a file, of so many bytes at most.
func endOf(path string, most int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	from := max(0, info.Size()-most)
	text, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
	if from > 0 {
		_, rest, _ := strings.Cut(string(text), "\n")
		return rest, err
	}
	return string(text), err
}

func (r *Run) stills(w http.ResponseWriter, _ *http.Request) {
	all, err := stills(r.Dir)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	answer(w, map[string]any{"stills": all})
}
