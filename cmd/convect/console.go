package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
)

// console is where a run talks: a terminal with a progress bar under the log, or plain log lines; and run.log. It never fails: what one of
// them does not take is on the other.
type console struct {
	out      io.Writer
	terminal bool
	bars     *mpb.Progress // nil unless a terminal
	file     *os.File      // run.log, nil before addFile
	once     sync.Once

	screenLost, fileLost atomic.Bool
}

// lossy is a writer that drops what cannot be written, and tells why the first time.
type lossy struct {
	io.Writer
	lost *atomic.Bool
	tell func(error)
}

// Write never fails.
func (l lossy) Write(p []byte) (int, error) {
	if _, err := l.Writer.Write(p); err != nil && !l.lost.Swap(true) {
		l.tell(err)
	}
	return len(p), nil
}

func newConsole(out io.Writer) *console {
	c := &console{out: out}
	if f, ok := out.(*os.File); ok && isTerminal(f) {
		c.terminal = true
		c.bars = mpb.New(mpb.WithOutput(out), mpb.WithAutoRefresh(), mpb.WithRefreshRate(200*time.Millisecond))
	}
	return c
}

// isTerminal tells whether a bar can be drawn on a file.
func isTerminal(f *os.File) bool {
	fd := int(f.Fd())
	if !cwriter.IsTerminal(fd) || os.Getenv("TERM") == "dumb" {
		return false
	}
	width, height, err := cwriter.GetSize(fd)
	return err == nil && width > 0 && height > 0
}

// addFile makes the log go to a file too; what is there stays.
func (c *console) addFile(path string) (err error) {
	if c.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666); err != nil {
		return fmt.Errorf("log: %w", err)
	}
	return nil
}

// logger returns a logger to all of it.
func (c *console) logger() zerolog.Logger {
	writers := []io.Writer{c.screenWriter()}
	if c.file != nil {
		writers = append(writers, c.fileWriter())
	}
	return newLogger(zerolog.MultiLevelWriter(writers...))
}

// screenLogger returns a logger to the screen alone, for what must not be in a file that others may read.
func (c *console) screenLogger() zerolog.Logger { return newLogger(c.screenWriter()) }

// fileLogger returns a logger to the file alone, for what the bar shows on a terminal.
func (c *console) fileLogger() zerolog.Logger {
	if c.file == nil || !c.terminal {
		return c.logger()
	}
	return newLogger(c.fileWriter())
}

func newLogger(w io.Writer) zerolog.Logger { return zerolog.New(w).With().Timestamp().Logger() }

func (c *console) screenWriter() io.Writer {
	var screen io.Writer = c.out
	if c.bars != nil {
		screen = c.bars
	}
	tell := func(err error) {
		if c.file != nil {
			log := newLogger(c.fileWriter())
			log.Warn().Msgf("nothing more can be printed (%v): the run goes on, and its log in this file", reason(err))
		}
	}
	return zerolog.ConsoleWriter{Out: lossy{screen, &c.screenLost, tell}, NoColor: !c.terminal, TimeFormat: time.TimeOnly}
}

func (c *console) fileWriter() io.Writer {
	tell := func(err error) {
		log := newLogger(c.screenWriter())
		log.Warn().Msgf("%s cannot be written: %v", c.file.Name(), reason(err))
	}
	return zerolog.ConsoleWriter{Out: lossy{c.file, &c.fileLost, tell}, NoColor: true, TimeFormat: time.DateTime}
}

// reason returns that of a failed write in words for a reader.
func reason(err error) error {
	var fault *fs.PathError
	switch {
	case errors.Is(err, mpb.ErrDone): // the bar has noticed before
		return errors.New("the terminal is gone")
	case errors.As(err, &fault):
		return fault.Err
	}
	return err
}

// close ends the bar and closes the file.
func (c *console) close() {
	c.once.Do(func() {
		if c.bars != nil {
			c.bars.Wait()
		}
		if c.file != nil {
			c.file.Close()
		}
	})
}
