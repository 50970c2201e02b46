package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// order runs a case anew under strace and checks that what has its name is on disk: a file is forced to disk before it is renamed, and the names
// in a directory after a file in it is renamed or a directory in it made.
func (d *round) order() error {
	dir, trace := filepath.Join(d.folder, "new", "run"), filepath.Join(d.folder, "order")
	p := &process{args: []string{"run", d.caseFile(), "--out", dir, "--threads", "1"},
		before: []string{"strace", "-f", "-qq", "-y", "-s", "4096", "-o", trace, "-e", "trace=fsync,fdatasync,/^rename,/^mkdir"}}
	p.run(d.convect, d.folder)
	d.count("order on disk", p.end())
	if p.code != 0 {
		return fmt.Errorf("%v", p)
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		return err
	}
	os.RemoveAll(filepath.Dir(dir))
	return checkOrder(string(text), d.folder)
}

var (
	syncCall   = regexp.MustCompile(`f(?:data)?sync\(\d+<([^>]+)>`)
	renameCall = regexp.MustCompile(`rename(?:at2?)?\(.*?"([^"]+)".*?"([^"]+)"`)
	makeCall   = regexp.MustCompile(`mkdir(?:at)?\(.*?"([^"]+)"`)
)

// checkOrder reads a trace of calls that concern what is below a folder.
func checkOrder(trace, folder string) error {
	synced, open := map[string]bool{}, map[string]string{} // directories whose names are not on disk, and why
	for line := range strings.Lines(trace) {
		if m := syncCall.FindStringSubmatch(line); m != nil {
			synced[m[1]] = true
			delete(open, m[1])
		}
		if strings.Contains(line, " = -1 ") {
			continue
		}
		if m := renameCall.FindStringSubmatch(line); m != nil && strings.HasPrefix(m[2], folder) {
			if !synced[m[1]] {
				return fmt.Errorf("%s got its name before it was forced to disk", m[2])
			}
			delete(synced, m[1])
			open[filepath.Dir(m[2])] = m[2]
		}
		if m := makeCall.FindStringSubmatch(line); m != nil && strings.HasPrefix(m[1], folder) {
			open[filepath.Dir(m[1])] = m[1]
		}
	}
	for dir, name := range open {
		return fmt.Errorf("the names in %s were not forced to disk after %s got its own", dir, name)
	}
	return nil
}
