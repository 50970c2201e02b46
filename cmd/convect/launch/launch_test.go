package launch

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asChild is set where the test binary is to print what it was started with.
const asChild = "CONVECT_TEST_LAUNCH"

func TestMain(m *testing.M) {
	if os.Getenv(asChild) == "" {
		os.Exit(m.Run())
	}
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTERM} {
		if Ignored(s) {
			os.Stdout.WriteString(s.String() + "\n")
		}
	}
}

func TestIgnored(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for traps, want := range map[string]string{"": "", "trap '' HUP;": "hangup\n", "trap '' QUIT TERM;": "quit\nterminated\n"} {
		c := exec.Command("sh", "-c", traps+` exec "$0"`, self)
		c.Env = append(os.Environ(), asChild+"=1")
		if out, err := c.Output(); err != nil || string(out) != want {
			t.Errorf("%q: %q, want %q: %v", traps, strings.TrimSpace(string(out)), want, err)
		}
	}
}

func TestStarted(t *testing.T) {
	a := Started()
	time.Sleep(100 * time.Millisecond)
	b := Started()
	if d := b.Sub(a).Abs(); d > 50*time.Millisecond {
		t.Errorf("the start moves by %v", d)
	}
	if age := time.Since(a); age <= 100*time.Millisecond || age > time.Minute {
		t.Errorf("started %v ago", age)
	}
}
