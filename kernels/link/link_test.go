package link_test

import (
	"testing"

	"convect/kernels/link"
	"convect/kernels/link/linktest"
)

func TestLocal(t *testing.T) {
	for size := 1; size <= 9; size++ {
		all := link.Local(size)
		errs := make(chan error, size)
		for _, l := range all {
			go func() { errs <- linktest.Run(l) }()
		}
		for range size {
			if err := <-errs; err != nil {
				t.Errorf("%d ranks: %v", size, err)
				for _, l := range all {
					link.Break(l)
				}
			}
		}
	}
}

// A rank that waits for others that have left is told.
func TestBreak(t *testing.T) {
	all := link.Local(2)
	failed := make(chan error)
	go func() { failed <- all[0].Exchange(nil, []link.Block{{Rank: 1, Bytes: make([]byte, 1)}}) }()
	link.Break(all[1])
	if err := <-failed; err == nil {
		t.Error("it waits for nobody")
	}
}
