package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
)

// console is where a run talks: a terminal with a progress bar under the log, or plain log lines; and run.log.
type console struct {
	out      io.Writer
	terminal bool
	bars     *mpb.Progress // nil unless a terminal
	file     *os.File      // run.log, nil before addFile
	once     sync.Once
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
	var screen io.Writer = c.out
	if c.bars != nil {
		screen = c.bars
	}
	writers := []io.Writer{zerolog.ConsoleWriter{Out: screen, NoColor: !c.terminal, TimeFormat: time.TimeOnly}}
	if c.file != nil {
		writers = append(writers, zerolog.ConsoleWriter{Out: c.file, NoColor: true, TimeFormat: time.DateTime})
	}
	return zerolog.New(zerolog.MultiLevelWriter(writers...)).With().Timestamp().Logger()
}

// fileLogger returns a logger to the file alone, for what the bar shows on a terminal.
func (c *console) fileLogger() zerolog.Logger {
	if c.file == nil || !c.terminal {
		return c.logger()
	}
	return zerolog.New(zerolog.ConsoleWriter{Out: c.file, NoColor: true, TimeFormat: time.DateTime}).With().Timestamp().Logger()
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
