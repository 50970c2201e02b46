package mpi

import (
	"os"
	"strconv"
)

// Launcher is what the environment tells of who has started this process.
type Launcher struct {
	Name string // of the variable by which it is known
	open bool   // it is that of Open MPI
	rank int
	size int // 0: MPI knows
}

// variables by which launchers are known: of the size, and of the rank. SLURM_PROCID alone tells of no MPI.
var variables = []struct {
	size, rank string
	open       bool
}{
	{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", true},
	{"PMI_SIZE", "PMI_RANK", false},
	{"", "PMIX_RANK", true},
}

// Launched returns the launcher of this process, nil where there is none, or one that has started it alone.
func Launched() *Launcher {
	for _, v := range variables {
		rank, err := strconv.Atoi(os.Getenv(v.rank))
		if err != nil {
			continue
		}
		l := &Launcher{Name: v.rank, open: v.open, rank: rank}
		if v.size == "" {
			return l
		}
		if l.size, err = strconv.Atoi(os.Getenv(v.size)); err != nil || l.size < 1 {
			continue
		}
		if l.size == 1 {
			return nil
		}
		return l
	}
	return nil
}

// Forget takes what tells of a launcher out of the environment, for processes that this one starts.
func Forget() {
	for _, v := range variables {
		os.Unsetenv(v.rank)
		if v.size != "" {
			os.Unsetenv(v.size)
		}
	}
}

// Rank returns the number that the launcher gave this process.
func (l *Launcher) Rank() int { return l.rank }
