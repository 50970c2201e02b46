package main

import "convect/cmd/convect/casefile"

func helpCommand() *command {
	f := newFlags("help")
	man := f.Bool("man", false, "print the page for man in place of plain text; without a COMMAND: convect(1)")
	return &command{
		name: "help", arguments: "[COMMAND]", summary: "explain a command", most: 1, flags: f,
		text:     "Explains a command with its options, examples and exit codes, or lists the commands.",
		examples: []string{"convect help", "convect help run", "convect help --man run | man -l -"},
		exits:    []int{exitDone, exitUsage},
		run: func(e *environment, args []string) error {
			switch {
			case len(args) == 0 && *man:
				manOverview(e.out, e.version)
				return nil
			case len(args) == 0:
				overview(e.out)
				return nil
			}
			c := find(args[0])
			if c == nil {
				return usage("there is no command %q", args[0])
			}
			if *man {
				c.man(e.out, e.version)
				return nil
			}
			c.help(e.out)
			return nil
		},
	}
}

// nearestCommand returns the command that a misspelt word most likely means, or "".
func nearestCommand(word string) string {
	var names []string
	for _, c := range commands() {
		if !c.hidden {
			names = append(names, c.name)
		}
	}
	return casefile.Nearest(word, names)
}
