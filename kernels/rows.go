package kernels

// RowReducer is a Device that tells what it has summed up of its rows of y, so that a grid may be shared out among devices, each with rows of its own and some of its
// neighbours'. Of a box only the rows Own count.
type RowReducer interface {
	// SumsRows tells whether each row that counts has a sum of its own, so that the sum of all is that of one device to the bit; else there is one sum of them all.
	SumsRows() bool
	// RowSums returns the sums of the rows that counted, or the one of all, in what the last kernel summed up in a slot; valid until the next kernel with that slot.
	// Of a wall at an end of y there is one.
	RowSums(slot int) []float64
}

// HostMeaner is a RowReducer whose means are made on the host.
type HostMeaner interface {
	// HeightSums returns Σ_i wx wy (X - Out_k) for each node k of z, after each other, of each row that counts.
	HeightSums(a HorizontalMeanArgs) []float64
	// Shift takes the mean away that is given: X -= shift or, Integrated, X_n -= V_n shift.
	Shift(a RemoveMeanArgs, shift float64)
}

// Shares are the sums that N devices have of their rows, those of a plane after each other, and the grid that they share.
type Shares struct {
	Sums Buffer // float64, N for each plane or N in all
	N    int
	Box  Box
	W    [3]Buffer
}

// Cut is what N devices share of turned systems (ModesArgs) of which each has some nodes: the nodes between the ends that a device has are eliminated, and what is left are six
// numbers of each system. Low and High of the arguments are of the ends that the device has; its table is that of all nodes. X and Work stay as they are between ModesEnds and ModesCut.
type Cut struct {
	First, Rows int    // the first node that the device has, and the number of all
	Rank, N     int    // of the devices
	Low         bool   // the first node of all is fixed
	Own, All    Buffer // what the device has found, and what all have, one after the other
	// Least tells how fast x falls along systems away from what it follows from: of all nodes the least h0, h1 and Mass h2 + h3, the largest h4, and the least h5 and h6, of ModesArgs.
	// Zeros: it is not known, as where couplings differ from system to system, and those of short waves are negative (27 points).
	Least [6]float64
}

// LeastModes returns the Least of systems, of so many nodes along x, beside it and along them, from the table of ModesArgs.
func LeastModes(table []float64, n [3]int, mass float64) (least [6]float64) {
	h := func(number, k int) float64 { return table[2*n[X]+2*n[Y]+number*n[Z]+k] }
	for k := range n[Z] {
		of := [6]float64{h(ModesFirst, k), h(ModesSecond, k), mass*h(ModesVolume, k) + h(ModesTie, k), h(ModesUp, k), h(ModesUpFirst, k), h(ModesUpSecond, k)}
		for m, v := range of {
			if k == 0 || (v < least[m]) != (m == 3) {
				least[m] = v
			}
		}
		if of[4] != 0 || of[5] != 0 {
			return [6]float64{}
		}
	}
	return least
}

// Entries returns how many numbers a device has of so many systems.
func (c *Cut) Entries(systems int) int { return (6*systems + c.Rows + 15) / 16 * 16 }

// Block is a block of the nodes of an array, halos among them: N nodes along each axis, from node First on.
type Block struct {
	Array    Buffer
	Box      Box
	First, N [3]int
}

// Bytes returns the bytes of a block.
func (b *Block) Bytes() int { return b.N[0] * b.N[1] * b.N[2] * b.Array.Elem().Size() }

// Copy is a block that goes from one array to another of its type, of the same numbers of nodes.
type Copy struct{ To, From Block }

// BlockMover is a Device that moves blocks of arrays.
type BlockMover interface {
	// CopyBlocks copies blocks to arrays of the device, in any order. They may come from another device that this one reaches.
	CopyBlocks(all []Copy)
	// PackBlocks waits for queued work and copies blocks to the host, the elements of one after those of the other as they are, x fastest.
	PackBlocks(dst []byte, src []Block)
	// UnpackBlocks copies such elements from the host into blocks.
	UnpackBlocks(dst []Block, src []byte)
}

// Queuer is a Device that runs kernels after their method has returned, in memory of its own.
type Queuer interface {
	// Reaches tells whether CopyBlocks takes blocks of another device.
	Reaches(other Device) bool
	// Meet lets kernels of this device, the first, and of others, which reach each other, wait for each other; nil: they cannot, and Give and Take are the way.
	Meet(others []Device) Meeting
	// Give notes what this device has queued so far, for the Take of others.
	Give()
	// Take holds back what is queued from now on until all is done that another device, which this one reaches, had queued when it gave last.
	Take(other Device)
	// FetchScalars asks for the slots that Scalars, which must come next, waits for, so that several devices send theirs at a time.
	FetchScalars()
	// RecordWith is Record of a [Recorder] for kernels of this device and of others that it reaches, and that reach it.
	RecordWith(others []Device, f func()) Recording
	// SumHeights queues sums_k = Σ wx wy (X - Out_k) over the rows that count, for each node k of z.
	SumHeights(a HorizontalMeanArgs, sums Buffer)
	// MeanHeights queues Out_k = Out_k + Σ_n Sums_kn / area, which is that of the whole grid.
	MeanHeights(a HorizontalMeanArgs, s Shares)
	// SumVolume queues sums_0 = Σ V X or, Integrated, Σ X over the rows that count.
	SumVolume(a RemoveMeanArgs, sums Buffer)
	// ModesEnds queues what others must know of the nodes of turned systems that this device has (see Cut).
	ModesEnds(a ModesArgs, c Cut)
	// ModesCut queues solving turned systems for these nodes, once all of that is gathered.
	ModesCut(a ModesArgs, c Cut)
	// RemoveShares queues X = X - m or, Integrated, X_n = X_n - V_n m, with m = Σ_n Sums_n / volume of the whole grid.
	RemoveShares(a RemoveMeanArgs, s Shares)
}

// Turner is a Device of several, each of which has some rows of y: transforms along y bring them together, and turned systems (ModesArgs) do not.
type Turner interface {
	// Turns tells whether turned systems of a box are solved where their rows are.
	Turns(box Box) bool
}

// Meeting is where kernels of several devices wait for each other, without events and without the host: also within what Record records.
type Meeting interface {
	// CopyBlocks queues what a device does of copies to arrays of a taker from those of an owner: it gives what is its own, and takes what it is given when it has come.
	// What it queues later may change what it has given. Every device must make as many calls, for the same copies.
	CopyBlocks(device int, of func(taker, owner int) []Copy)
	// Close ends it, before its devices are closed.
	Close()
}

// Communicant is a Queuer that sends blocks to devices of other processes, in the order of its kernels, and gets some from them.
type Communicant interface {
	// NewCommunicator returns by what devices that join know each other; it fails where this one cannot send to others by itself.
	NewCommunicator() (id []byte, err error)
	// Communicate joins devices, by rank, which all call it with the id that one of them has made.
	Communicate(id []byte, rank, size int) (Communicator, error)
}

// Communicator is the way of a device to those of other processes, also within what Record records.
type Communicator interface {
	// Name is that of the library, with its version.
	Name() string
	// Exchange queues copies within the device, then parcels to others and from others, which all begin at a time. What is sent must be received, in as many bytes, by
	// an exchange of the other. Copies and those blocks that are received must be of different nodes.
	Exchange(own []Copy, send, receive []Parcel)
	// Close ends it, before its device is closed.
	Close() error
}

// Parcel is what goes to the device of another rank or comes from it: blocks one after the other.
type Parcel struct {
	Rank   int
	Blocks []Block
}

// Bytes returns the bytes of a parcel.
func (p *Parcel) Bytes() (sum int) {
	for n := range p.Blocks {
		sum += p.Blocks[n].Bytes()
	}
	return sum
}

// BoxAllocator is a Device that does better to know what an array is for.
type BoxAllocator interface {
	// AllocBox returns a zeroed array of nodes laid out by a box.
	AllocBox(e Elem, box Box) (Buffer, error)
}

// AllocBox returns a zeroed array of a device, of nodes laid out by a box.
func AllocBox(d Device, e Elem, box Box) (Buffer, error) {
	if a, ok := d.(BoxAllocator); ok {
		return a.AllocBox(e, box)
	}
	return d.Alloc(e, box.Len)
}

// TreeSum returns the sum of numbers, made pairwise in a fixed tree; they are overwritten.
func TreeSum(p []float64) float64 {
	if len(p) == 0 {
		return 0
	}
	for n := len(p); n > 1; n = (n + 1) / 2 {
		for i := range n / 2 {
			p[i] = p[2*i] + p[2*i+1]
		}
		if n%2 == 1 {
			p[n/2] = p[n-1]
		}
	}
	return p[0]
}
