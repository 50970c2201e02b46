package lock

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A lock is seen as long as it is held, with flock and without; one that a killed process has left is seen as free.
func TestLook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	look := func(want string, sure bool) {
		t.Helper()
		if holder, known := Look(path); !strings.Contains(holder, want) || (want == "") != (holder == "") || known != sure {
			t.Errorf("Look: %q, %v; want %q, %v", holder, known, want, sure)
		}
	}
	me := fmt.Sprintf("process %d ", os.Getpid())
	look("", true)
	l, err := Take(path)
	must(t, err)
	look(me, true)
	l.Release()
	look("", true)
	l, err = without(path, os.ErrInvalid).takeFile(os.ErrInvalid)
	must(t, err)
	look(me, true)
	l.Release()
	look("", true)
	dead := self()
	dead.start = "1" // that of another process of this number
	must(t, os.WriteFile(path, []byte(dead.text()), 0o666))
	look("", true)
	far := self()
	far.host = "elsewhere"
	must(t, os.WriteFile(path, []byte(far.text()), 0o666))
	look("on host elsewhere", false)
}
