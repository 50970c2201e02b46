package mpi_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"convect/kernels/link/linktest"
	"convect/kernels/link/mpi"
)

// part names the variable that makes the program of these tests one of the processes.
const part = "CONVECT_TEST_PART"

func TestMain(m *testing.M) {
	if of := os.Getenv(part); of != "" {
		if err := play(of); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play is what each process does.
func play(of string) error {
	l := mpi.Launched()
	if l == nil {
		return errors.New("there is no launcher")
	}
	w, err := mpi.Join(l, mpi.Options{})
	if err != nil {
		return err
	}
	if l.Rank() != w.Rank() || len(w.Hosts) != w.Size() {
		return fmt.Errorf("rank %d of %d: the launcher says %d; hosts %v", w.Rank(), w.Size(), l.Rank(), w.Hosts)
	}
	switch {
	case of == "failure" && w.Rank() == 1:
		w.Fail(errors.New("out of cheese"))
		time.Sleep(time.Minute) // until all are ended
	case of == "failure":
		err := linktest.Run(w)
		var failed *mpi.FailedError
		if !errors.As(err, &failed) || failed.Rank != 1 || failed.Text != "out of cheese" {
			err = fmt.Errorf("rank 1 has failed, and the exchange says %w", err)
		} else {
			err = nil
			fmt.Println("told of the failure")
		}
		w.Abort(map[bool]int{true: 0, false: 1}[err == nil])
		return err
	}
	if err := linktest.Run(w); err != nil {
		return err
	}
	fmt.Printf("rank %d of %d\n", w.Rank(), w.Size())
	return w.Close()
}

// launched runs this program in so many processes of a launcher.
func launched(t *testing.T, launcher string, size int, of string, environment ...string) string {
	t.Helper()
	path, err := exec.LookPath(launcher)
	if err != nil {
		t.Skipf("there is no %s", launcher)
	}
	args := []string{"-n", fmt.Sprint(size)}
	if launcher == "mpirun.openmpi" {
		args = append(args, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none")
	}
	c := exec.Command(path, append(args, os.Args[0])...)
	c.Env = append(append(os.Environ(), part+"="+of), environment...)
	out, err := c.CombinedOutput()
	if err != nil && of == "exchange" {
		t.Errorf("%s: %v\n%s", launcher, err, out)
	}
	return string(out)
}

// Processes of Open MPI and of MPICH exchange what goroutines do.
func TestExchange(t *testing.T) {
	for _, c := range []struct {
		launcher string
		size     int
	}{{"mpirun.openmpi", 2}, {"mpirun.openmpi", 4}, {"mpirun.mpich", 2}} {
		t.Run(fmt.Sprint(c.launcher, c.size), func(t *testing.T) {
			out := launched(t, c.launcher, c.size, "exchange")
			for r := range c.size {
				if want := fmt.Sprintf("rank %d of %d\n", r, c.size); !strings.Contains(out, want) {
					t.Errorf("there is no %q in\n%s", want, out)
				}
			}
		})
	}
}

// So do those of a library with the standard ABI of MPI 5: one made over MPICH, which takes the handles of the standard alone.
func TestStandard(t *testing.T) {
	if _, err := exec.LookPath("mpirun.mpich"); err != nil {
		t.Skip(err)
	}
	library := filepath.Join(t.TempDir(), "libmpi_abi.so.0")
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-o", library, "testdata/standard.c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, of := range []struct{ play, want string }{{"exchange", "rank 1 of 2\n"}, {"failure", "told of the failure"}} {
		if out := launched(t, "mpirun.mpich", 2, of.play, mpi.LibraryVariable+"="+library); !strings.Contains(out, of.want) {
			t.Errorf("there is no %q in\n%s", of.want, out)
		}
	}
}

// A rank that has failed is named by rank 0, whatever it waits for.
func TestFailure(t *testing.T) {
	if out := launched(t, "mpirun.openmpi", 3, "failure"); !strings.Contains(out, "told of the failure") {
		t.Error(out)
	}
}

// Without a launcher, or one of a single process, nothing is loaded; Slurm's number alone is none.
func TestLaunched(t *testing.T) {
	mpi.Forget()
	for _, c := range []struct {
		set  []string
		want int // rank, -1: none
	}{
		{nil, -1}, {[]string{"SLURM_PROCID", "3"}, -1}, {[]string{"OMPI_COMM_WORLD_SIZE", "1", "OMPI_COMM_WORLD_RANK", "0", "PMIX_RANK", "0"}, -1},
		{[]string{"OMPI_COMM_WORLD_SIZE", "4", "OMPI_COMM_WORLD_RANK", "3"}, 3}, {[]string{"PMI_SIZE", "2", "PMI_RANK", "1"}, 1}, {[]string{"PMIX_RANK", "2"}, 2},
		{[]string{"PMI_RANK", "1"}, -1},
	} {
		t.Run(fmt.Sprint(c.set), func(t *testing.T) {
			for n := 0; n < len(c.set); n += 2 {
				t.Setenv(c.set[n], c.set[n+1])
			}
			switch l := mpi.Launched(); {
			case l == nil && c.want >= 0, l != nil && l.Rank() != c.want:
				t.Errorf("%+v, want rank %d", l, c.want)
			}
		})
	}
}
