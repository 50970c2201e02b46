package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"convect/cmd/convect/casefile"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitWalltime    = 3
	exitInterrupted = 130
)

// command is one of the commands with its help.
type command struct {
	name      string
	arguments string // as CASE
	summary   string // half a line
	text      string // paragraphs
	examples  []string
	exits     []int
	hidden    bool // not in the overview
	watches   bool // handles signals itself, from its first moment on
	shares    bool // shares its work out among the processes of a launcher of MPI
	flags     *pflag.FlagSet
	least     int // arguments
	most      int
	run       func(e *environment, args []string) error
}

// newFlags returns an empty set of options.
func newFlags(name string) *pflag.FlagSet {
	f := pflag.NewFlagSet(name, pflag.ContinueOnError)
	f.SortFlags = false
	f.Usage = func() {}
	f.SetOutput(io.Discard)
	return f
}

// addSet adds --set.
func addSet(f *pflag.FlagSet, set *[]string) {
	f.StringArrayVar(set, "set", nil, "replace a value of the case, as physics.rayleigh=200; may be given several times")
}

// execute parses the options and runs the command.
func (c *command) execute(e *environment, args []string) error {
	err := c.flags.Parse(args)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		c.help(e.out)
		return nil
	case err != nil:
		return usage("%v", err)
	case c.flags.NArg() < c.least:
		return usage("%s is missing", c.arguments)
	case c.flags.NArg() > c.most:
		return usage("%q is one argument too many", c.flags.Arg(c.most))
	}
	return c.run(e, c.flags.Args())
}

// help writes all that there is to say about the command.
func (c *command) help(w io.Writer) {
	line := "convect " + c.name
	if c.arguments != "" {
		line += " " + c.arguments
	}
	if c.flags.HasFlags() {
		line += " [options]"
	}
	fmt.Fprintf(w, "%s\n\n%s\n", line, strings.TrimSpace(c.text))
	if c.flags.HasFlags() {
		fmt.Fprintf(w, "\nOptions:\n%s", c.flags.FlagUsagesWrapped(110))
	}
	if len(c.examples) > 0 {
		fmt.Fprintf(w, "\nExamples:\n")
		for _, x := range c.examples {
			fmt.Fprintf(w, "  %s\n", x)
		}
	}
	fmt.Fprintf(w, "\nExit codes:\n")
	for _, code := range c.exits {
		fmt.Fprintf(w, "  %3d  %s\n", code, exitMeaning(code))
	}
}

func exitMeaning(code int) string {
	return map[int]string{
		exitDone: "done", exitFailed: "failed", exitUsage: "wrong usage or case",
		exitWalltime:    "stopped early by --walltime; go on with --resume",
		exitInterrupted: "interrupted, after a checkpoint was written if it had begun; go on with --resume",
	}[code]
}

// overview writes the list of commands.
func overview(w io.Writer) {
	fmt.Fprint(w, "convect simulates natural convection in porous media.\n\nUsage: convect COMMAND [arguments] [options]\n\nCommands:\n")
	for _, c := range commands() {
		if !c.hidden {
			fmt.Fprintf(w, "  %-10s %-12s %s\n", c.name, c.arguments, c.summary)
		}
	}
	fmt.Fprint(w, `
Start with 'convect init mine', 'convect check mine.yaml', 'convect run mine.yaml'.
'convect help COMMAND' explains a command with its options, examples and exit codes.
`)
}

// exitError is an error with an exit code of its own. Without err everything is said already.
type exitError struct {
	code int
	err  error
}

// Error returns the text of err.
func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

// Unwrap returns err.
func (e *exitError) Unwrap() error { return e.err }

// usage reports wrong usage.
func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// isCaseError tells a fault of the case from others.
func isCaseError(err error) bool {
	var all casefile.Errors
	var one *casefile.Error
	return errors.As(err, &all) || errors.As(err, &one)
}

// exitCode returns the exit code of an error.
func exitCode(err error) int {
	var own *exitError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &own):
		return own.code
	case isCaseError(err):
		return exitUsage
	}
	return exitFailed
}

// report writes an error unless it was said already.
func report(w io.Writer, c *command, err error) {
	var own *exitError
	isOwn := errors.As(err, &own)
	switch {
	case err == nil || (isOwn && own.err == nil):
	case isCaseError(err):
		fmt.Fprintln(w, err)
	case isOwn && own.code == exitUsage:
		fmt.Fprintf(w, "convect %s: %v\nSee 'convect help %s'.\n", c.name, err, c.name)
	default:
		fmt.Fprintf(w, "convect %s: %v\n", c.name, err)
	}
}
