package lock

// Look tells who holds the lock at path, and takes nothing: "" where nobody does, or its holder was killed. Of a holder on another host, or in a
// container of its own, it cannot be known whether it still runs; sure is false then.
func Look(path string) (holder string, sure bool) {
	t := newTaker(path)
	for _, target := range []string{path, path + Suffix} {
		switch _, h, state := t.judge(target); {
		case state == elsewhere:
			return h.String(), false
		case state == alive && h.pid > 0:
			return h.String(), true
		case state == alive:
			return "a process that is about to begin or to end", true
		}
	}
	return "", true
}
