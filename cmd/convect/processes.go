package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"convect/cmd/convect/casefile"
	"convect/io/pieces"
	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/link"
	"convect/kernels/link/mpi"
	"convect/kernels/ranks"
)

// processes are those that a launcher of MPI has started, as rank 0 has them: the program runs there, and the others do their part of what its device is told.
type processes struct {
	world   *mpi.World
	threads int    // that are this rank's part of the cores it may run on
	bound   int    // cores that this rank may run on
	cores   int    // of its machine
	least   string // instruction set of the machines, where that of some is not that of this one; "": it is
	options ranks.Options
	gpus    gpus
	taken   []string     // the GPU that each rank has for itself, with its machine; "": none
	own     int          // this rank's GPU; -1: none
	lead    *ranks.Lead  // of the run; nil: none yet, or this rank is alone
	pieces  *pieces.Lead // by which all write files of the run; nil: as lead
	open    atomic.Bool  // a run is being begun, which a signal may leave at any point
}

// order is what rank 0 tells the other processes, in JSON.
type order struct {
	End     bool
	Code    int // to end with
	Size    int // of the first ranks, which work
	Threads int // of each; 0: its part of the cores
	Options ranks.Options
	GPU     bool   // each rank its GPU, else cores
	Dir     string // run directory

	Instruction string // set for all; "": each its fastest
}

// orderRoom is the longest order, with its length before it.
const orderRoom = 8 << 10

// sharesOut are the options of ranks in processes; what is exchanged on small grids takes longer than on cores of one process.
var sharesOut = ranks.Options{Rows: 16, Gather: 20_000}

// launched runs a command in one of the processes of a launcher: on all of them where the command shares its work out, else on the first alone.
func (e *environment) launched(l *mpi.Launcher, c *command, args []string) int {
	if !c.shares {
		if l.Rank() > 0 {
			return exitDone
		}
		mpi.Forget()
		return e.perform(c, args)
	}
	if l.Rank() > 0 {
		leaveSignals()
	} else if c.watches {
		e.signals = watchSignals()
	}
	w, err := mpi.Join(l, e.joins)
	if err != nil {
		if l.Rank() > 0 {
			time.Sleep(2 * time.Second) // rank 0 speaks for all where it fails too
			err = fmt.Errorf("rank %d: %w", l.Rank(), err)
		}
		report(e.errors, c, err)
		return exitFailed
	}
	p := &processes{world: w, options: e.ranks, gpus: e.gpus}
	if err := p.share(); err != nil {
		report(e.errors, c, err)
		w.Abort(exitFailed)
	}
	if w.Rank() > 0 {
		return p.follow(e.errors)
	}
	mpi.Forget() // what this process starts is none of MPI's
	if w.Size() > 1 {
		e.processes = p
	}
	code := e.perform(c, args)
	if p.isBroken() {
		w.Abort(code)
	}
	if err := p.tell(&order{End: true, Code: code}); err != nil {
		w.Abort(code)
	}
	if err := w.Close(); err != nil {
		report(e.errors, c, err)
		return max(code, exitFailed)
	}
	return code
}

// isBroken tells whether the other processes may wait for what does not come.
func (p *processes) isBroken() bool {
	return p.world.Err() != nil || p.open.Load() || p.lead != nil && p.lead.Failed() != nil
}

// tell gives an order to all other processes.
func (p *processes) tell(o *order) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if 4+len(text) > orderRoom {
		return fmt.Errorf("an order of %d bytes is too long for the other processes", len(text))
	}
	return link.Spread(p.world, append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...))
}

// obey waits for the next order of rank 0.
func (p *processes) obey() (*order, error) {
	room := make([]byte, orderRoom)
	err := link.SpreadSome(p.world, room, func(b []byte) int { return 4 + int(binary.LittleEndian.Uint32(b)) })
	if err != nil {
		return nil, err
	}
	o := &order{}
	return o, json.Unmarshal(room[4:][:binary.LittleEndian.Uint32(room)], o)
}

// join opens this rank's device and joins those that work, with the desk on which it does its part of files.
func (p *processes) join(o *order, desk *pieces.Desk) (*ranks.Device, kernels.Info, error) {
	var own ranks.Common
	var err error
	places := p.world.Hosts
	if o.GPU {
		places = p.taken
		own, err = p.gpus.open(p.own)
	} else {
		threads := o.Threads
		if threads == 0 {
			threads = p.threads
		}
		own, err = cpu.New(cpu.Options{Threads: threads, Instruction: o.Instruction, Sharers: p.beside(o.Size)})
	}
	if err != nil {
		return nil, kernels.Info{}, err
	}
	info := own.Info()
	d, err := ranks.Join(own, link.First(p.world, o.Size), places[:o.Size], o.Options)
	if err == nil {
		d.Serve(desk.Tasks())
	}
	return d, info, err
}

// device opens the device of a run on as many processes as the case has rows of y for, and says what is to know.
func (p *processes) device(c *casefile.Case, options *runOptions, dir directory) (dev device, said string, err error) {
	onGPUs, aside, err := p.onGPUs(options.device)
	if err != nil {
		return nil, "", err
	}
	if options.threads < 0 {
		return nil, "", usage("--threads %d: accepted are 0 (each process its part of the cores) and above", options.threads)
	}
	o := &order{Threads: options.threads, Options: p.options, GPU: onGPUs, Dir: string(dir), Instruction: p.least}
	if onGPUs {
		o.Options = p.gpus.shares // as on several GPUs of one process: the same bits
	}
	reason := ""
	if o.Size, reason = slabsOf(c, p.world.Size(), o.Options); o.Size == 1 {
		if onGPUs {
			dev, err = p.gpus.open(p.own)
		} else {
			dev, err = cpu.New(cpu.Options{Threads: options.threads})
		}
		return dev, fmt.Sprintf("%s: it runs on one of %d processes, and the others wait", reason, p.world.Size()), err
	}
	if o.Options.Ghosts == 0 {
		o.Options.Ghosts = ghostsOf(c)
	}
	if reason != "" {
		said = fmt.Sprintf("%s: it runs on %d of %d processes, and the others wait", reason, o.Size, p.world.Size())
	}
	if err := p.tell(o); err != nil {
		return nil, "", err
	}
	desk := pieces.NewDesk(p.world.Rank())
	d, own, err := p.join(o, desk)
	if err != nil {
		return nil, "", err
	}
	p.lead = ranks.NewLead(d)
	p.pieces = desk.Lead(p.lead)
	said = strings.TrimPrefix(said+"; "+p.words(o.Size, own, d, onGPUs)+aside, "; ")
	return p.lead.Whole().(device), said, nil
}

// hosts counts the machines of the first ranks.
func (p *processes) hosts(size int) int {
	hosts := map[string]bool{}
	for _, h := range p.world.Hosts[:size] {
		hosts[h] = true
	}
	return len(hosts)
}

// beside counts those of the first ranks that run on this one's machine.
func (p *processes) beside(size int) (n int) {
	for _, h := range p.world.Hosts[:size] {
		if h == p.world.Hosts[p.world.Rank()] {
			n++
		}
	}
	return n
}

// words tell where the first ranks run.
func (p *processes) words(size int, own kernels.Info, d *ranks.Device, onGPUs bool) string {
	if onGPUs {
		way, noWay := d.Way()
		text := fmt.Sprintf("%d ranks on %s, a GPU each (%s; %s", size, countText(p.hosts(size), "host"), own.Description, p.world.Library)
		if way != "" {
			return text + "; " + way + ")"
		}
		return text + "); what GPUs exchange passes through the host: " + noWay
	}
	text := fmt.Sprintf("%d ranks on %s, %s each (%s)", size, countText(p.hosts(size), "host"), countText(own.Threads, "thread"), p.world.Library)
	if p.bound == 1 && p.cores > p.world.Size() {
		text += fmt.Sprintf("; the launcher binds each to one core, of %d: mpirun --bind-to none, or --map-by slot:PE=N, gives it more", p.cores)
	}
	return text
}

// countText prints a number of things.
func countText(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
