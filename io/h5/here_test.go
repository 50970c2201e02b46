package h5

import (
	"errors"
	"os"
	"reflect"
	"syscall"
	"testing"
)

// childTimes returns what children that have ended took.
func childTimes(t *testing.T) syscall.Rusage {
	t.Helper()
	var usage syscall.Rusage
	must(t, syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage))
	return usage
}

// Files of a run directory are listed as a child lists them, without one as long as their seal holds; what is wrong with others a child finds out.
func TestOwnFiles(t *testing.T) {
	path := sample(t)
	want := openFile(t, path, NoVerify)
	before := childTimes(t)
	got := openFile(t, path, Own)
	if after := childTimes(t); after != before {
		t.Errorf("a child was started: %+v, before %+v", after, before)
	}
	if !reflect.DeepEqual(got.objects, want.objects) || len(got.objects) < 3 {
		t.Errorf("%d objects, want %d", len(got.objects), len(want.objects))
	}
	data, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, append(data, '\n'), 0o666)) // its last line is no seal now
	openFile(t, path, Own)
	if after := childTimes(t); after == before {
		t.Error("a file without a seal was listed without a child")
	}
	must(t, os.WriteFile(path, data[:len(data)/2], 0o666))
	if _, err := Open(path, Own); !errors.Is(err, ErrDamaged) {
		t.Errorf("half a file: %v", err)
	}
}
