package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

// man writes the page of the command in the language of man(7), from the texts of its help.
func (c *command) man(w io.Writer, version string) {
	fmt.Fprintf(w, ".TH CONVECT-%s 1 \"\" \"convect %s\" \"User Commands\"\n", strings.ToUpper(c.name), roff(version))
	fmt.Fprintf(w, ".SH NAME\nconvect-%s \\- %s\n.SH SYNOPSIS\n.B convect %s\n", c.name, roff(c.summary), c.name)
	if c.arguments != "" {
		fmt.Fprintf(w, ".I %s\n", roff(c.arguments))
	}
	if c.flags.HasFlags() {
		fmt.Fprint(w, "[options]\n")
	}
	fmt.Fprint(w, ".SH DESCRIPTION\n")
	manText(w, c.text)
	if c.flags.HasFlags() {
		fmt.Fprint(w, ".SH OPTIONS\n")
		c.flags.VisitAll(func(f *pflag.Flag) { manOption(w, f) })
	}
	if len(c.examples) > 0 {
		fmt.Fprint(w, ".SH EXAMPLES\n.nf\n")
		for _, x := range c.examples {
			fmt.Fprintln(w, roff(x))
		}
		fmt.Fprint(w, ".fi\n")
	}
	fmt.Fprint(w, ".SH EXIT STATUS\n")
	for _, code := range c.exits {
		fmt.Fprintf(w, ".TP\n.B %d\n%s\n", code, roff(exitMeaning(code)))
	}
	fmt.Fprint(w, ".SH SEE ALSO\n.BR convect (1)\n")
}

// manOverview writes the page of the program with all its commands.
func manOverview(w io.Writer, version string) {
	fmt.Fprintf(w, ".TH CONVECT 1 \"\" \"convect %s\" \"User Commands\"\n", roff(version))
	fmt.Fprint(w, ".SH NAME\nconvect \\- simulate natural convection in porous media\n.SH SYNOPSIS\n.B convect\n.I COMMAND\n[arguments] [options]\n.SH COMMANDS\n")
	for _, c := range commands() {
		if !c.hidden {
			fmt.Fprintf(w, ".TP\n.BR convect\\-%s (1)\n%s\n", c.name, roff(c.summary))
		}
	}
}

// manText writes paragraphs; lines that are indented keep their places, as those of a table.
func manText(w io.Writer, text string) {
	kept := false
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimRight(line, "\n")
		indented := strings.HasPrefix(line, "  ")
		switch {
		case line == "":
			if kept {
				fmt.Fprint(w, ".fi\n")
				kept = false
			}
			fmt.Fprint(w, ".PP\n")
			continue
		case indented && !kept:
			fmt.Fprint(w, ".nf\n")
		case !indented && kept:
			fmt.Fprint(w, ".fi\n")
		}
		kept = indented
		fmt.Fprintln(w, roff(line))
	}
	if kept {
		fmt.Fprint(w, ".fi\n")
	}
}

// manOption writes an option with its value, explanation and default.
func manOption(w io.Writer, f *pflag.Flag) {
	value, text := pflag.UnquoteUsage(f)
	fmt.Fprint(w, ".TP\n.B ")
	if f.Shorthand != "" {
		fmt.Fprintf(w, "\\-%s, ", f.Shorthand)
	}
	fmt.Fprintf(w, "\\-\\-%s", roff(f.Name))
	switch {
	case f.NoOptDefVal != "" && value != "":
		fmt.Fprintf(w, "[=\\fI%s\\fR]", value)
	case value != "":
		fmt.Fprintf(w, " \\fI%s\\fR", value)
	}
	fmt.Fprintf(w, "\n%s\n", roff(text))
	switch f.DefValue {
	case "", "0", "false", "[]", "0s":
	default:
		fmt.Fprintf(w, "(default %s)\n", roff(f.DefValue))
	}
}

// roff returns a text as it is written in the language of man pages, where a backslash, a hyphen and a dot that begins a line mean something else.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "~", `\(ti`, "^", `\(ha`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}
