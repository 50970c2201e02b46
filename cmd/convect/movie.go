package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"convect/cmd/convect/figure"
	"convect/io/whole"
	"convect/physics"
)

// movieDots are the pixels an inch of a film: a square is about 600 wide.
const movieDots = 80

// longestHold is how long the last frame may stay: a GIF counts to 655 s.
const longestHold = 10 * time.Minute

// movieOptions are the options of movie.
type movieOptions struct {
	fieldOptions
	rate  float64
	every int
	hold  time.Duration
}

func movieCommand() *command {
	o, f := &movieOptions{}, newFlags("movie")
	f.Float64Var(&o.rate, "rate", 10, "snapshots a second")
	f.IntVar(&o.every, "every", 1, "take one snapshot of so many; the last is always there")
	f.DurationVar(&o.hold, "hold", time.Second, "how long the last frame stays")
	o.fieldOptions.add(f, movieDots)
	return &command{
		name: "movie", arguments: "DIR", summary: "make a film of the snapshots of a run", least: 1, most: 1, flags: f,
		text: `Makes a film of the snapshots of a run directory, each drawn as 'convect plot' would, all with the same colours (those
of --range, else of the least and the greatest value of all) and levels of contours. The name of the file decides: .png
is an animated PNG, whose frames are exact and which browsers show; .gif has 256 colours; .mp4 is made by ffmpeg, which
has to be installed.`,
		examples: []string{
			"convect movie elder.out                                    into elder-temperature.png",
			"convect movie square.out --field velocity --rate 25 -o film.gif",
			"convect movie cube.out --slice y=0.5 --dots 100 -o film.mp4",
		},
		exits: []int{exitDone, exitFailed, exitUsage},
		run:   func(e *environment, args []string) error { return o.run(e, args[0]) },
	}
}

// run makes the film.
func (o *movieOptions) run(e *environment, dir string) error {
	if err := o.check(); err != nil {
		return err
	}
	if !(o.rate >= 0.1 && o.rate <= 100) || o.every < 1 || o.hold < 0 || o.hold > longestHold {
		return usage("--rate %g, --every %d, --hold %v: accepted are a rate of 0.1 to 100, every 1 and above, and hold 0 to %v", o.rate, o.every, o.hold, longestHold)
	}
	paths, _, err := snapshotPaths(dir)
	if err != nil {
		return err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return usage("%s is a file; a film is made of a run directory", dir)
	}
	paths = o.chosen(paths)
	last, err := readShot(paths[len(paths)-1])
	if err != nil {
		return err
	}
	if err := o.fix(paths, last); err != nil {
		return err
	}
	if o.out == "" {
		o.out = fmt.Sprintf("%s-%s.png", last.name, strings.ReplaceAll(last.field(o.field), " ", "_"))
	}
	film, err := o.film(last)
	if err != nil {
		return err
	}
	if unfinished, ok := film.(interface{ Abort() }); ok {
		defer unfinished.Abort()
	}
	shown := time.Duration(float64(time.Second) / o.rate)
	for n, path := range paths {
		s := last
		if n < len(paths)-1 {
			if s, err = readShot(path); err != nil {
				return err
			}
		} else {
			shown += o.hold
		}
		frame, err := o.frame(s)
		if err == nil {
			err = film.Add(frame, shown)
		}
		if err != nil {
			return err
		}
	}
	text, err := film.Bytes()
	if err == nil {
		err = whole.WriteFile(o.out, text)
	}
	if err != nil {
		return err
	}
	frames := fmt.Sprintf("%d frames", len(paths))
	if len(paths) == 1 {
		frames = "1 frame"
	}
	fmt.Fprintf(e.out, "%s: %s of %s up to t = %s, colours from %.4g to %.4g, %s\n", o.out, frames, last.field(o.field),
		physics.TimeText(last.Time, last.TimeUnit, 6), o.limits[0], o.limits[1], bytesText(float64(len(text))))
	return nil
}

// chosen leaves out what --every leaves out.
func (o *movieOptions) chosen(paths []string) []string {
	var out []string
	for n := len(paths) - 1; n >= 0; n -= o.every {
		out = append([]string{paths[n]}, out...)
	}
	return out
}

// fix chooses the planes, the range and the levels that all frames share.
func (o *movieOptions) fix(paths []string, last *shot) error {
	q, err := last.fields.find(last.field(o.field))
	if err != nil {
		return usage("--field: %v", err)
	}
	if !last.fields.flat() && len(o.slices) == 0 {
		planes, err := o.planes(last.fields, q)
		if err != nil {
			return err
		}
		for _, p := range planes {
			o.slices = append(o.slices, fmt.Sprintf("%c=%.17g", "xyz"[p.normal], last.fields.x[p.normal][p.index]))
		}
	}
	if o.limits != nil && len(o.contours) == 0 {
		return nil
	}
	low, high := math.Inf(1), math.Inf(-1)
	var spans []interval
	for n, path := range paths {
		s := last
		if n < len(paths)-1 {
			if s, err = readShot(path); err != nil {
				return err
			}
		}
		panels, l, err := o.panels(s)
		if err != nil {
			return err
		}
		l.span(panels)
		low, high = math.Min(low, l.low), math.Max(high, l.high)
		if spans, err = o.widened(spans, s); err != nil {
			return err
		}
	}
	if o.limits == nil {
		o.limits = []float64{low + 0, high + 0}
	}
	o.spans = spans
	return nil
}

// frame draws a snapshot.
func (o *movieOptions) frame(s *shot) (*image.RGBA, error) {
	panels, l, err := o.panels(s)
	if err != nil {
		return nil, err
	}
	return drawFrame(panels, o.titled(s.title()), l)
}

// film returns one of the kind that the name of the file asks for.
func (o *movieOptions) film(last *shot) (figure.Film, error) {
	switch strings.ToLower(filepath.Ext(o.out)) {
	case ".png", ".apng":
		return &figure.APNG{}, nil
	case ".gif":
		_, l, err := o.panels(last)
		if err != nil {
			return nil, err
		}
		return figure.NewGIF(l.colours), nil
	case ".mp4":
		if _, err := exec.LookPath("ffmpeg"); err != nil {
			return nil, usage("-o %s: there is no ffmpeg, which makes MP4; install it (Debian: apt install ffmpeg), or take a name that ends in .png or .gif", o.out)
		}
		return &mp4{rate: o.rate}, nil
	}
	return nil, usage("-o %s: the name of a film ends in .png, .gif or .mp4", o.out)
}

// mp4 is a film that ffmpeg makes while frames come: they are large. They come as often as the first is shown; one that is shown longer is repeated.
type mp4 struct {
	rate float64
	work string // folder; "" before the first frame
	run  *exec.Cmd
	in   io.WriteCloser
	said bytes.Buffer
}

// Add appends a frame.
func (m *mp4) Add(frame *image.RGBA, shown time.Duration) error {
	if m.run == nil {
		if err := m.start(frame.Rect.Size()); err != nil {
			return err
		}
	}
	for range max(1, int(math.Round(shown.Seconds()*m.rate))) {
		if _, err := m.in.Write(frame.Pix); err != nil {
			_, failure := m.Bytes() // what ffmpeg says tells why
			return errors.Join(failure, fmt.Errorf("ffmpeg takes no more frames: %w", err))
		}
	}
	return nil
}

// start starts ffmpeg for frames of a size.
func (m *mp4) start(size image.Point) (err error) {
	if m.work, err = os.MkdirTemp("", "convect-movie-"); err != nil {
		return err
	}
	m.run = exec.Command("ffmpeg", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", fmt.Sprintf("%dx%d", size.X, size.Y), "-r", fmt.Sprint(m.rate), "-i", "-",
		"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart", m.path())
	m.run.Stderr = &m.said
	if m.in, err = m.run.StdinPipe(); err != nil {
		return err
	}
	if err := m.run.Start(); err != nil {
		return fmt.Errorf("ffmpeg: %w", err)
	}
	return nil
}

func (m *mp4) path() string { return filepath.Join(m.work, "film.mp4") }

// Bytes ends ffmpeg and returns its file.
func (m *mp4) Bytes() ([]byte, error) {
	if m.run == nil {
		return nil, errors.New("a film without frames")
	}
	defer m.Abort()
	m.in.Close()
	if err := m.run.Wait(); err != nil {
		return nil, fmt.Errorf("ffmpeg: %w: %s", err, strings.TrimSpace(m.said.String()))
	}
	return os.ReadFile(m.path())
}

// Abort ends ffmpeg, where it still runs, and removes its folder.
func (m *mp4) Abort() {
	if m.run != nil && m.run.ProcessState == nil && m.run.Process != nil {
		m.run.Process.Kill()
		m.run.Wait()
	}
	if m.work != "" {
		os.RemoveAll(m.work)
	}
}
