package main

import (
	"fmt"
	"io"
	"os"

	"convect/kernels/link/mpi"
	"convect/kernels/ranks"
)

func main() { os.Exit(newEnvironment().execute(os.Args[1:])) }

// newEnvironment returns that of the program.
func newEnvironment() *environment {
	return &environment{out: os.Stdout, errors: os.Stderr, version: version(), open: openDevice, gpus: machineGPUs(), dots: pictureDots, ranks: sharesOut}
}

// environment is what a command works with.
type environment struct {
	out     io.Writer // results
	errors  io.Writer // progress and errors
	version string
	open    func(name string, threads int) (device, error) // opens the device of an option
	gpus    gpus
	dots    int           // per inch of pictures
	signals *signals      // of a command that is watching, else nil
	ranks   ranks.Options // of a run on processes
	joins   mpi.Options
	// processes are those that a launcher of MPI has started to do this command; nil: none.
	processes *processes
	// progress is told how far a run is after each step; nil: nobody is.
	progress func(*status)
	// arguments are those of the program, the command included.
	arguments []string
}

// quiet returns the environment of a run that another command makes: on the same devices, with its progress and errors in a log.
func (e *environment) quiet(log io.Writer) *environment {
	own := *e
	own.out, own.errors = io.Discard, log
	own.signals, own.progress, own.processes, own.arguments = nil, nil, nil, nil
	return &own
}

// commands are all commands in the order of the overview.
func commands() []*command {
	return []*command{
		runCommand(), restartCommand(), sweepCommand(), watchCommand(), checkCommand(), initCommand(), inspectCommand(), plotCommand(), movieCommand(), exportCommand(), devicesCommand(),
		validateCommand(), benchCommand(), completionCommand(), versionCommand(), helpCommand(),
	}
}

// execute runs the command line and returns the exit code.
func (e *environment) execute(args []string) int {
	if len(args) == 0 {
		overview(e.out)
		return exitDone
	}
	if args[0] == "--help" || args[0] == "-h" {
		args[0] = "help"
	}
	if args[0] == "--version" {
		args[0] = "version"
	}
	if args[0] == completeName {
		e.complete(args[1:])
		return exitDone
	}
	c := find(args[0])
	if c == nil {
		message := fmt.Sprintf("there is no command %q", args[0])
		if near := nearestCommand(args[0]); near != "" {
			message += fmt.Sprintf(" (did you mean %s?)", near)
		}
		fmt.Fprintf(e.errors, "convect: %s\nSee 'convect help'.\n", message)
		return exitUsage
	}
	e.arguments = args
	if l := mpi.Launched(); l != nil {
		return e.launched(l, c, args)
	}
	return e.perform(c, args)
}

// perform runs a command and returns the exit code.
func (e *environment) perform(c *command, args []string) int {
	if c.watches && e.signals == nil {
		e.signals = watchSignals()
	}
	err := c.execute(e, args[1:])
	report(e.errors, c, err)
	return exitCode(err)
}

// find returns the command of a name, nil where there is none.
func find(name string) *command {
	for _, c := range commands() {
		if c.name == name {
			return c
		}
	}
	return nil
}
