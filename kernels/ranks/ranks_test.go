package ranks_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/devicetest"
	"convect/kernels/link"
	"convect/kernels/ranks"
)

// core opens a device of one thread.
func core(t *testing.T) *cpu.Device {
	d, err := cpu.New(cpu.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// open makes a device of so many cores.
func open(t *testing.T, size int, o ranks.Options) kernels.Device {
	var devices []ranks.Common
	for range size {
		devices = append(devices, core(t))
	}
	d, err := ranks.New(devices, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// openLinked makes a device of so many cores on a link, of which all but the first follow.
func openLinked(t *testing.T, size int, o ranks.Options) kernels.Device {
	return onLink(t, size, o, func() ranks.Common { return core(t) })
}

// onLink makes a device of others on a link, and shows the first rank to those who look.
func onLink(t *testing.T, size int, o ranks.Options, one func() ranks.Common, look ...func(*ranks.Device)) kernels.Device {
	all, made := link.Local(size), make([]*ranks.Device, size)
	var joining sync.WaitGroup
	for n, l := range all {
		own := one()
		joining.Go(func() {
			d, err := ranks.Join(own, l, nil, o)
			if err != nil {
				t.Error(err)
			}
			made[n] = d
		})
	}
	joining.Wait()
	var following sync.WaitGroup
	for _, d := range made[1:] {
		following.Go(func() { ranks.Follow(d, nil) })
	}
	for _, f := range look {
		f(made[0])
	}
	lead := ranks.NewLead(made[0])
	t.Cleanup(following.Wait)
	return lead.Whole()
}

// Every kernel does on slabs, of few rows, what it does on the whole grid. Ghosts that are not right are NaN. Ranks of one process take rows from each other, and those
// on a link send them.
func TestConformance(t *testing.T) {
	for _, c := range []struct {
		name string
		size int
		open func(*testing.T, int, ranks.Options) kernels.Device
	}{{"here", 2, open}, {"here", 3, open}, {"linked", 4, openLinked}} {
		if testing.Short() && c.size == 2 {
			continue
		}
		t.Run(fmt.Sprint(c.name, c.size), func(t *testing.T) {
			devicetest.RunEvery(3*c.size, t, func() kernels.Device { // the kernels themselves have been checked
				return c.open(t, c.size, ranks.Options{Rows: 2, Gather: -1, Poison: true})
			})
		})
	}
}

// scarce is a device that has no memory for arrays of more than so many elements.
type scarce struct {
	*cpu.Device
	most int
}

func (s *scarce) Alloc(e kernels.Elem, n int) (kernels.Buffer, error) {
	if n > s.most {
		return nil, fmt.Errorf("%d elements do not fit", n)
	}
	return s.Device.Alloc(e, n)
}

// What fails on one rank alone is told, since rank 0 may wait for it.
func TestFollowTellsFailures(t *testing.T) {
	all, told := link.Local(2), make(chan error, 1)
	ended := make(chan error)
	go func() {
		d, err := ranks.Join(&scarce{core(t), 100}, all[1], nil, ranks.Options{Rows: 2, Gather: -1})
		if err == nil {
			err = ranks.Follow(d, func(err error) { told <- err })
		}
		ended <- err
	}()
	d, err := ranks.Join(core(t), all[0], nil, ranks.Options{Rows: 2, Gather: -1})
	if err != nil {
		t.Fatal(err)
	}
	lead := ranks.NewLead(d)
	if _, err := lead.AllocBox(kernels.Float64, kernels.NewBox([3]int{5, 40, 7}, false)); err != nil {
		t.Errorf("rank 0 has memory enough: %v", err)
	}
	if err := <-told; err == nil || !strings.Contains(err.Error(), "do not fit") {
		t.Errorf("rank 1 tells %v", err)
	}
	lead.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A rank that follows is told where its link breaks, and does not wait.
func TestFollowBroken(t *testing.T) {
	all, ended := link.Local(2), make(chan error)
	go func() {
		d, err := ranks.Join(core(t), all[1], nil, ranks.Options{})
		if err == nil {
			err = ranks.Follow(d, nil)
		}
		ended <- err
	}()
	if _, err := ranks.Join(core(t), all[0], nil, ranks.Options{}); err != nil {
		t.Fatal(err)
	}
	link.Break(all[0])
	if err := <-ended; err == nil {
		t.Error("it ended well")
	}
}
