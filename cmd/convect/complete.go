package main

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"convect/cmd/convect/casefile"
	"convect/cmd/convect/colours"
	"convect/kernels/cuda/driver"
)

// completeName is the hidden command that the scripts of shells ask.
const completeName = "__complete"

// scripts are what shells run to ask.
//
//go:embed completion
var scripts embed.FS

// shells lists those that have a script.
func shells() []string { return []string{"bash", "zsh", "fish"} }

func completionCommand() *command {
	return &command{
		name: "completion", arguments: "SHELL", summary: "print a script for bash, zsh or fish", least: 1, most: 1, flags: newFlags("completion"),
		text: `Prints a script with which the shell completes commands, options, devices and the keys of --set and --vary when Tab is
pressed, and names of files elsewhere. SHELL is bash, zsh or fish.`,
		examples: []string{
			"source <(convect completion bash)                                          this shell; in ~/.bashrc: all shells",
			"source <(convect completion zsh)                                           the same in ~/.zshrc, after compinit",
			"convect completion fish > ~/.config/fish/completions/convect.fish",
		},
		exits: []int{exitDone, exitUsage},
		run: func(e *environment, args []string) error {
			script, err := scripts.ReadFile("completion/convect." + args[0])
			if err != nil {
				return usage("there is no script for %q; accepted: %s", args[0], strings.Join(shells(), ", "))
			}
			_, err = e.out.Write(script)
			return err
		},
	}
}

// complete writes what the last of words, which may be empty, can become: a line each. Nothing: names of files.
func (e *environment) complete(words []string) {
	if len(words) == 0 {
		return
	}
	before, word := words[:len(words)-1], words[len(words)-1]
	for _, candidate := range candidates(before, word) {
		if strings.HasPrefix(candidate, word) {
			fmt.Fprintln(e.out, candidate)
		}
	}
}

// candidates returns what may stand in the place of word, after the words before it.
func candidates(before []string, word string) []string {
	if len(before) == 0 {
		return commandNames()
	}
	c := find(before[0])
	if c == nil {
		return nil
	}
	if option := awaiting(c.flags, before[1:]); option != nil {
		return optionValues(option.Name, word)
	}
	if slices.Contains(before, "--") {
		return nil
	}
	if name, value, found := strings.Cut(word, "="); found && strings.HasPrefix(name, "--") {
		var whole []string
		for _, v := range optionValues(strings.TrimPrefix(name, "--"), value) {
			whole = append(whole, name+"="+v)
		}
		return whole
	}
	if strings.HasPrefix(word, "-") {
		names := []string{}
		c.flags.VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		return append(names, "--help")
	}
	switch c.name {
	case "help":
		return commandNames()
	case "completion":
		return shells()
	}
	return nil
}

// commandNames lists the commands that users see.
func commandNames() []string {
	var names []string
	for _, c := range commands() {
		if !c.hidden {
			names = append(names, c.name)
		}
	}
	return names
}

// awaiting returns the option whose value comes after these words, nil where none does.
func awaiting(flags *pflag.FlagSet, words []string) *pflag.Flag {
	if len(words) == 0 || slices.Contains(words, "--") {
		return nil
	}
	last := words[len(words)-1]
	var f *pflag.Flag
	if name, long := strings.CutPrefix(last, "--"); long {
		f = flags.Lookup(name)
	} else if len(last) == 2 && last[0] == '-' {
		f = flags.ShorthandLookup(last[1:])
	}
	if f == nil || f.NoOptDefVal != "" {
		return nil
	}
	return f
}

// optionValues returns what the value of an option may become that begins with word.
func optionValues(option, word string) []string {
	switch option {
	case "set", "vary":
		return casefile.CompleteKey(word)
	case "continue":
		var keys []string
		for _, key := range casefile.CompleteKey(word) {
			keys = append(keys, strings.TrimSuffix(key, "="))
		}
		return keys
	case "device":
		return deviceNames()
	case "template":
		return templateNames()
	case "combine":
		return []string{"grid", "zip", "list", "latin-hypercube"}
	case "streamlines":
		return []string{"auto", "yes", "no"}
	case "colours":
		return colours.Names()
	case "log":
		return []string{"x", "y", "xy"}
	}
	return nil
}

// deviceNames lists what --device takes on this machine.
func deviceNames() []string {
	names := []string{"auto", "cpu"}
	if all, err := driver.Devices(); err == nil && len(all) > 0 {
		names = append(names, "cuda")
		for i := range all {
			names = append(names, fmt.Sprintf("cuda:%d", i))
		}
		if len(all) > 1 {
			names = append(names, "cuda:all")
		}
	}
	return names
}
