package casefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Load reads the case file at path with overrides "key=value", and decodes it. Errors are [Errors], an *[Error], or
// that of reading the file. Where something is wrong, files that the case names and that are not there are told with it.
func Load(path string, overrides []string) (*Case, error) {
	text, err := readText(path)
	if err != nil {
		return nil, err
	}
	c := read(path, text, overrides)
	if len(c.d.errors) > 0 {
		c.checkFiles(false)
	}
	if err := c.wrong(); err != nil {
		return nil, err
	}
	return c, nil
}

// With decodes the same text with more overrides. It does not read the file again, which may have been a pipe.
func (c *Case) With(overrides ...string) (*Case, error) {
	return Parse(c.Path, c.file, slices.Concat(c.overrides, overrides))
}

// A pipe has so long to be opened at its other end, and so long to be read.
const (
	writerTime = 5 * time.Second
	pipeTime   = time.Minute
)

// readText reads a case file: a file, or a pipe or device as far as a case file may be long.
func readText(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read the case: %w", err)
	}
	if info.Mode().IsRegular() && info.Size() > maxBytes {
		return nil, tooLong(path, fmt.Sprint(info.Size()))
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // else opening waits for who writes into a pipe
	if err != nil {
		return nil, fmt.Errorf("read the case: %w", err)
	}
	defer f.Close()
	text, err := readPart(f, info.Mode())
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded) || len(text) == 0 && err == nil && info.Mode()&fs.ModeNamedPipe != 0:
		return nil, fmt.Errorf("read the case: nobody writes into the pipe %s, or not to its end", path)
	case err != nil:
		return nil, fmt.Errorf("read the case: %w", err)
	case len(text) > maxBytes:
		return nil, tooLong(path, fmt.Sprintf("more than %d", maxBytes))
	}
	return text, nil
}

// readPart reads a byte more than a case file may have.
func readPart(f *os.File, mode fs.FileMode) ([]byte, error) {
	began := time.Now()
	if !mode.IsRegular() {
		f.SetReadDeadline(began.Add(pipeTime)) // fails where nothing waits
	}
	for {
		text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
		if len(text) > 0 || err != nil || mode&fs.ModeNamedPipe == 0 || time.Since(began) > writerTime {
			return text, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func tooLong(path, bytes string) error {
	return &Error{File: path, Line: 1, Column: 1, Message: bytes + " bytes are too many for a case file", Accepted: fmt.Sprintf("at most %d", maxBytes)}
}

// checkFiles refuses files that the case names and that are not there. A restart needs no initial state.
func (c *Case) checkFiles(restart bool) {
	eachPath(c.root.node, "", func(key string, n *node) {
		path := absolute(c.d.dir, n.text)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !(restart && strings.HasPrefix(key, "initial.")) {
			kind := "a file"
			if strings.HasSuffix(key, "table") {
				kind = "a table of text"
			}
			c.d.refuse(n.at, key, "the path of "+kind+", relative to the folder of the case", "there is no file %s", path)
		}
	})
}
