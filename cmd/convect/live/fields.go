package live

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"convect/physics"
)

// field answers with values on a plane or on the whole grid, of the last step or of a snapshot.
func (r *Run) field(w http.ResponseWriter, q *http.Request) {
	query := q.URL.Query()
	want, err := readWish(query)
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	var text []byte
	if at := query.Get("still"); at != "" {
		text, err = r.ofStill(at, want)
	} else {
		text, err = r.ofPresent(q.Context(), want)
	}
	switch {
	case errors.Is(err, context.Canceled):
	case errors.Is(err, errOver): // as the page is about to be told
		w.WriteHeader(http.StatusNoContent)
	case err != nil:
		refuse(w, http.StatusBadRequest, err)
	default:
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Write(text)
	}
}

// ofStill returns what is sent of a snapshot.
func (r *Run) ofStill(at string, want wish) ([]byte, error) {
	step, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("still=%s: accepted is the step of a snapshot", at)
	}
	c, err := r.theCase()
	if err != nil {
		return nil, err
	}
	fields := []string{partOf(want.name).quantity}
	if want.flow && fields[0] != "velocity" {
		for _, f := range c.Output.Fields {
			if f == "velocity" {
				fields = append(fields, f)
			}
		}
	}
	s, err := r.shelf.source(step, fields...)
	if err != nil {
		return nil, err
	}
	return s.sent(want)
}

// ofPresent returns what is sent of the last step.
func (r *Run) ofPresent(ctx context.Context, want wish) ([]byte, error) {
	if r.hook == nil {
		return nil, errors.New("the run is not under way in this process: its snapshots can be seen")
	}
	c, err := r.theCase()
	if err != nil {
		return nil, err
	}
	var present *source
	err = r.hook.View(ctx, func(s *physics.Simulation) error {
		present = presentSource(s, c.Scales)
		return present.gather(want)
	})
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	defer func() { r.hook.Worked(time.Since(begin)) }()
	return present.sent(want)
}

// sent returns what is sent for a wish.
func (s *source) sent(want wish) ([]byte, error) {
	v, err := s.take(want)
	if err != nil {
		return nil, err
	}
	return v.encode()
}
