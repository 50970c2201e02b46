package main

import (
	"fmt"
	"os"

	"convect/cmd/convect/live"
)

// watchOptions are those of watch.
type watchOptions struct {
	listen string
	hosts  []string
}

func watchCommand() *command {
	o, f := &watchOptions{}, newFlags("watch")
	f.StringVar(&o.listen, "listen", live.Auto, "where the page is: auto (a free port of this machine), PORT, HOST:PORT, or unix:PATH for a socket")
	f.StringArrayVar(&o.hosts, "live-host", nil, "a name by which the page may be called too, as that of a proxy; may be given several times")
	return &command{
		name: "watch", arguments: "DIR", summary: "show runs on a page", least: 1, most: 1, flags: f, watches: true,
		text: `Serves a page of the run in DIR, running, stopped or finished, or of all runs in DIR and in the folders in it, as a
table. It reads their files and changes none of them; a run that was started with --live has a link to its own page, on
which it can be steered. The address that it prints has a token that lets in who has it. Ctrl-C ends it.`,
		examples: []string{
			"convect watch square.out                              one run",
			"convect watch sweeps                                  all runs there",
			"convect watch square.out --listen 8080                at a port of your choice",
		},
		exits: []int{exitDone, exitFailed, exitUsage},
		run:   func(e *environment, args []string) error { return o.watch(e, args[0]) },
	}
}

// watch serves the page until a signal comes.
func (o *watchOptions) watch(e *environment, dir string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return usage("there is no directory %s", dir)
	}
	server, err := live.Listen(o.listen, o.hosts)
	if err != nil {
		return usage("%v", err)
	}
	defer server.Close()
	var page live.Page = live.NewFolder(dir, e.version, lockName)
	if live.IsRun(dir) {
		page = live.NewRun(dir, e.version, lockName)
	}
	server.Serve(page)
	fmt.Fprintf(e.out, "page: %s\nfrom another machine, after: %s\nCtrl-C ends it.\n", server.URL(), server.SSH())
	if server.IsOpen() {
		fmt.Fprintln(e.errors, "The page can be reached from other machines, and what it sends is not encrypted.")
	}
	<-e.signals.context.Done()
	return nil
}
