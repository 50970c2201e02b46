package h5

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	// childRoom is what a child may allocate beyond the values that it reads.
	childRoom = 2 << 30
	// childTime is what a child gets by the clock, and for each byte that it hands back what a reading of childRate
	// bytes a second takes.
	childTime = 10 * time.Second
	childRate = 10 << 20
	// catalogueSize bounds the list of objects of a file.
	catalogueSize = 64 << 20
	// reportSize bounds what a child says of a failure.
	reportSize = 16 << 10
)

// readJob asks for the values of a dataset, or for the catalogue where dataset is "".
type readJob struct {
	path    string
	dataset string
	memory  int // asStored, …
}

// Ends of a child, as in h5.h.
const (
	childDone    = 0
	childFailed  = 2
	childRefused = 3
)

// child is a process that reads for this one: the program itself, which a variable of the environment makes a reader before any of its
// Go runs (child.c).
type child struct {
	readJob
	process *exec.Cmd
	limit   time.Duration
	data    *os.File
	report  *os.File
}

// start starts a child that hands back up to capacity bytes.
func (j readJob) start(capacity int) (*child, error) {
	path, err := filepath.EvalSymlinks(j.path) // files beside it are looked for in its folder, which is this
	if err != nil {
		return nil, bare(j.path, err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	c := &child{readJob: j, limit: childTime + time.Duration(float64(capacity)/childRate*float64(time.Second))}
	var theirs [2]*os.File
	if c.data, theirs[0], err = os.Pipe(); err != nil {
		return nil, fmt.Errorf("%s: pipe to read it: %w", j.path, err)
	}
	if c.report, theirs[1], err = os.Pipe(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: pipe to read it: %w", j.path, err), c.data.Close(), theirs[0].Close())
	}
	enlarge(c.data)
	c.process = &exec.Cmd{Path: ownPath(), Args: []string{"convect: reads " + j.path}, Dir: filepath.Dir(path), Env: j.environment(filepath.Base(path), capacity, c.limit),
		ExtraFiles: theirs[:], SysProcAttr: apart()}
	err = onLibrary(c.process.Start) // a child dies with the thread that started it, and that one lasts
	theirs[0].Close()
	theirs[1].Close()
	if err != nil {
		c.close()
		return nil, fmt.Errorf("%s: child process to read it: %w", j.path, err)
	}
	return c, nil
}

// environment holds the job. Of what this process has, the variables that direct libhdf5 to other files are left out.
func (j readJob) environment(name string, capacity int, limit time.Duration) []string {
	env := []string{
		"CONVECT_H5_FILE=" + name,
		fmt.Sprintf("CONVECT_H5_MEMORY=%d", j.memory),
		fmt.Sprintf("CONVECT_H5_CAPACITY=%d", capacity),
		fmt.Sprintf("CONVECT_H5_ROOM=%d", childRoom+capacity),
		fmt.Sprintf("CONVECT_H5_SECONDS=%d", int(limit.Seconds())+1),
		fmt.Sprintf("CONVECT_H5_PARENT=%d", os.Getpid()),
	}
	if j.dataset != "" {
		env = append(env, "CONVECT_H5_DATASET="+j.dataset)
	}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "HDF5_") || strings.HasPrefix(v, "HDF5_DISABLE_VERSION_CHECK=") {
			env = append(env, v)
		}
	}
	return env
}

func (c *child) close() {
	c.data.Close()
	c.report.Close()
}

// wait takes what the child hands over, ends it where it takes too long, and explains its end.
func (c *child) wait(take func(data io.Reader) error) error {
	defer c.close()
	late := time.AfterFunc(c.limit, func() { c.process.Process.Kill() })
	taken := take(c.data)
	if n, _ := io.CopyN(io.Discard, c.data, 1); n > 0 && taken == nil {
		c.process.Process.Kill()
		c.process.Wait()
		return damaged(c.path, "libhdf5 gives more than there is")
	}
	report, _ := io.ReadAll(io.LimitReader(c.report, reportSize))
	c.process.Wait()
	if err := c.outcome(report, !late.Stop()); err != nil {
		return err
	}
	if taken != nil {
		return damaged(c.path, "%w", taken)
	}
	return nil
}

// outcome explains how the child ended.
func (c *child) outcome(report []byte, isLate bool) error {
	state := c.process.ProcessState
	status := state.Sys().(syscall.WaitStatus)
	where, text, _ := bytes.Cut(report, []byte{0})
	switch {
	case status.Exited() && status.ExitStatus() == childDone:
		return nil
	case status.Exited() && status.ExitStatus() == childRefused:
		return refused(c.path, string(where), string(text))
	case status.Exited() && status.ExitStatus() == childFailed:
		return c.failure(string(where), string(text))
	case isLate && state.SystemTime()+state.UserTime() < c.limit/2:
		return fmt.Errorf("%s: it could not be read within %v: the disk or the machine is too slow or does not answer", c.path, c.limit.Round(time.Second))
	case isLate:
		return damaged(c.path, "libhdf5 does not come to an end")
	case !status.Signaled():
		return fmt.Errorf("%s: the process that reads it ended with code %d", c.path, status.ExitStatus())
	}
	switch signal := status.Signal(); signal {
	case syscall.SIGXCPU:
		return damaged(c.path, "libhdf5 does not come to an end")
	case syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGABRT, syscall.SIGFPE, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGSYS:
		return damaged(c.path, "libhdf5 crashes on it (%s)", signal)
	default:
		return fmt.Errorf("%s: the process that reads it was ended from outside (%s)", c.path, signal)
	}
}

// failure returns the error that a reading reported: the file is damaged, unless a system call failed.
func (j readJob) failure(where, text string) error {
	err := newLibError(text)
	if errors.Unwrap(err) != nil {
		return fmt.Errorf("%s: %w", j.path, err)
	}
	if where != "" {
		return damaged(j.path, "%s: %w", where, err)
	}
	return damaged(j.path, "%w", err)
}

// list returns the objects of the file.
func (j readJob) list(capacity int) ([]Object, error) {
	c, err := j.start(capacity)
	if err != nil {
		return nil, err
	}
	var objects []Object
	err = c.wait(func(data io.Reader) error {
		text, err := io.ReadAll(io.LimitReader(data, int64(capacity)))
		if err == nil {
			objects, err = decodeCatalogue(text)
		}
		return err
	})
	return objects, err
}

// read puts the values of the dataset into out, which they fill exactly.
func (j readJob) read(out []byte) error {
	c, err := j.start(len(out))
	if err != nil {
		return err
	}
	return c.wait(func(data io.Reader) error {
		if _, err := io.ReadFull(data, out); err != nil {
			return errors.New("fewer values than expected")
		}
		return nil
	})
}
