package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"convect/cmd/convect/casefile"
	"convect/io/checkpoint"
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
	lead    *ranks.Lead // of the run; nil: none yet, or this rank is alone
	open    atomic.Bool // a run is being begun, which a signal may leave at any point
}

// order is what rank 0 tells the other processes, in JSON.
type order struct {
	End     bool
	Code    int // to end with
	Size    int // of the first ranks, which work
	Threads int // of each; 0: its part of the cores
	Options ranks.Options
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
	w, err := mpi.Join(l, e.joins)
	if err != nil {
		if l.Rank() > 0 {
			time.Sleep(2 * time.Second) // rank 0 speaks for all where it fails too
			err = fmt.Errorf("rank %d: %w", l.Rank(), err)
		}
		report(e.errors, c, err)
		return exitFailed
	}
	p := &processes{world: w, options: e.ranks}
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

// share finds this rank's part of the cores of its machine: it shares those that it may run on with the ranks that may run on the same ones.
func (p *processes) share() error {
	p.cores = onlineCores()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		p.threads, p.bound = 1, 1
	}
	p.bound = max(set.Count(), 1)
	hasAVX2 := slices.Contains(cpu.Instructions(), "avx2")
	all, err := p.gathered(fmt.Sprintf("%s %x %t", p.world.Hosts[p.world.Rank()], set, hasAVX2))
	alike := 0
	for _, other := range all {
		if other == all[p.world.Rank()] {
			alike++
		}
		if hasAVX2 && strings.HasSuffix(other, "false") { // its bits would be others
			p.least = "baseline"
		}
	}
	p.threads = max(p.bound/max(alike, 1), 1)
	return err
}

// gathered returns a text of every rank.
func (p *processes) gathered(own string) ([]string, error) {
	const room = 1024
	bytes, err := link.GatherAll(p.world, append([]byte(own), make([]byte, room)...)[:room], link.Alike(p.world, room))
	var all []string
	for ; len(bytes) > 0; bytes = bytes[room:] {
		text, _, _ := strings.Cut(string(bytes[:room]), "\x00")
		all = append(all, text)
	}
	return all, err
}

// onlineCores returns the number of cores of this machine, whoever may use them; 0: not known.
func onlineCores() (n int) {
	text, _ := os.ReadFile("/sys/devices/system/cpu/online") // as 0-3,8
	for part := range strings.SplitSeq(strings.TrimSpace(string(text)), ",") {
		first, last, isRange := strings.Cut(part, "-")
		a, err := strconv.Atoi(first)
		b := a
		if isRange {
			b, _ = strconv.Atoi(last)
		}
		if err == nil {
			n += b - a + 1
		}
	}
	return n
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

// follow does what rank 0 orders, until the end. Signals are left to rank 0.
func (p *processes) follow(errs io.Writer) int {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGXCPU, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE, syscall.SIGXFSZ)
	dir := ""
	for {
		o, err := p.obey()
		switch {
		case err != nil:
		case o.End:
			if p.world.Close() != nil {
				return max(o.Code, exitFailed)
			}
			return o.Code
		case p.world.Rank() < o.Size:
			dir = o.Dir
			err = p.work(o)
		}
		if err != nil {
			p.broke(errs, dir, err)
		}
	}
}

// work does this rank's part of a run.
func (p *processes) work(o *order) error {
	d, _, err := p.join(o)
	if err != nil {
		return err
	}
	return ranks.Follow(d, p.world.Fail)
}

// broke ends all processes where this one cannot go on. Where rank 0 is lost it says so for it.
func (p *processes) broke(errs io.Writer, dir string, err error) {
	rank, host := p.world.Rank(), p.world.Hosts[p.world.Rank()]
	var lost *mpi.LostError
	if errors.As(err, &lost) {
		newest := "there is no checkpoint yet"
		if path, _, err := checkpoint.Latest(dir); dir != "" && err == nil && path != "" {
			newest = "the last whole checkpoint is " + path + whenWritten(path)
		}
		fmt.Fprintf(errs, "convect: %v; the run failed; %s\n", lost, newest)
		p.world.Abort(exitFailed)
	}
	p.world.Fail(err)            // rank 0 says it, and ends all
	time.Sleep(2 * mpi.Patience) // unless it cannot
	fmt.Fprintf(errs, "convect: rank %d on %s: %v\n", rank, host, err)
	p.world.Abort(exitFailed)
}

// join opens this rank's device and joins those that work.
func (p *processes) join(o *order) (*ranks.Device, *cpu.Device, error) {
	threads := o.Threads
	if threads == 0 {
		threads = p.threads
	}
	own, err := cpu.New(cpu.Options{Threads: threads, Instruction: o.Instruction})
	if err != nil {
		return nil, nil, err
	}
	d, err := ranks.Join(own, link.First(p.world, o.Size), p.world.Hosts[:o.Size], o.Options)
	return d, own, err
}

// device opens the device of a run on as many processes as the case has rows of y for, and says what is to know.
func (p *processes) device(c *casefile.Case, options *runOptions, dir directory) (dev device, said string, err error) {
	if options.device != "auto" && options.device != "cpu" {
		return nil, "", usage("--device %s: on processes of MPI accepted are auto and cpu, the cores of each", options.device)
	}
	if options.threads < 0 {
		return nil, "", usage("--threads %d: accepted are 0 (each process its part of the cores) and above", options.threads)
	}
	o := &order{Threads: options.threads, Options: p.options, Dir: string(dir), Instruction: p.least}
	reason := ""
	if o.Size, reason = slabsOf(c, p.world.Size(), p.options); o.Size == 1 {
		dev, err = cpu.New(cpu.Options{Threads: options.threads})
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
	d, own, err := p.join(o)
	if err != nil {
		return nil, "", err
	}
	p.lead = ranks.NewLead(d)
	said = strings.TrimPrefix(said+"; "+p.words(o.Size, own.Info()), "; ")
	return p.lead, said, nil
}

// words tell where the first ranks run.
func (p *processes) words(size int, own kernels.Info) string {
	hosts := map[string]bool{}
	for _, h := range p.world.Hosts[:size] {
		hosts[h] = true
	}
	text := fmt.Sprintf("%d ranks on %s, %s each (%s)", size, countText(len(hosts), "host"), countText(own.Threads, "thread"), p.world.Library)
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

// slabsOf returns on how many ranks, of so many, a case is shared out, and why on no more.
func slabsOf(c *casefile.Case, size int, o ranks.Options) (slabs int, reason string) {
	e := c.Extent()
	rows := e.Cells[kernels.Y]
	if rows == 0 {
		return 1, "the case is 2-D, and rows of y are what ranks share"
	}
	if !e.Periodic[kernels.Y] {
		rows++
	}
	if least := max(o.Gather, 0); c.Nodes() <= float64(least) {
		return 1, fmt.Sprintf("the case has %.0f nodes, and ranks share grids of more than %d", c.Nodes(), least)
	}
	if most := max(rows/o.Rows, 1); most < size {
		return most, fmt.Sprintf("the case has %d rows of y, and a rank takes at least %d", rows, o.Rows)
	}
	return size, ""
}

// ghostsOf returns the rows of neighbours that ranks hold for a case: two more than its cycles sweep at a time, so that one exchange serves them all.
func ghostsOf(c *casefile.Case) int {
	sweeps := max(c.Parameters.Pressure.Pre, c.Parameters.Pressure.Post)
	if sweeps == 0 {
		sweeps = 2
		if len(c.Parameters.Patches) > 0 || !isConstant(c.Given("physics.permeability")) || !isConstant(c.Given("physics.viscosity")) {
			sweeps = 4 // of hard problems; where they are not, some rows are computed twice
		}
	}
	return max(4, (sweeps+3)/2*2)
}

// isConstant tells whether what a case gives for a property is a number, a number of each direction, or nothing.
func isConstant(text string) bool {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("[], ", r) }) {
		if _, err := strconv.ParseFloat(word, 64); err != nil {
			return false
		}
	}
	return true
}
