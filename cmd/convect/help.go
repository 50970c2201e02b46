package main

import "convect/cmd/convect/casefile"

func helpCommand() *command {
	return &command{
		name: "help", arguments: "[COMMAND]", summary: "explain a command", most: 1, flags: newFlags("help"),
		text:     "Explains a command with its options, examples and exit codes, or lists the commands.",
		examples: []string{"convect help", "convect help run"},
		exits:    []int{exitDone, exitUsage},
		run: func(e *environment, args []string) error {
			if len(args) == 0 {
				overview(e.out)
				return nil
			}
			c := find(args[0])
			if c == nil {
				return usage("there is no command %q", args[0])
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
