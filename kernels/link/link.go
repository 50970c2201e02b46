package link

import "slices"

// Block is memory that goes to another rank, or comes from one.
type Block struct {
	Rank  int
	Bytes []byte
}

// Link is what a rank has of the others. Its methods must be called from one goroutine at a time.
type Link interface {
	// Rank returns the number of this rank, from 0 on.
	Rank() int
	// Size returns the number of ranks.
	Size() int
	// Exchange sends blocks and receives others, and returns when all have come and those that were sent may be changed. Blocks between two ranks come in the order in
	// which they were sent. One that comes may be longer than what was sent: its end stays as it is then.
	Exchange(send, receive []Block) error
}

// Spread gives every rank the bytes of rank 0, of which all have as many. Ranks pass them on in a tree.
func Spread(l Link, bytes []byte) error {
	return SpreadSome(l, bytes, func(b []byte) int { return len(b) })
}

// SpreadSome is Spread where the other ranks have room for more bytes than rank 0 sends: length tells from what came how many it is.
func SpreadSome(l Link, bytes []byte, length func([]byte) int) error {
	rank, size := l.Rank(), l.Size()
	bit := 1
	for bit < size && rank&bit == 0 {
		bit *= 2
	}
	if rank > 0 {
		if err := l.Exchange(nil, []Block{{rank - bit, bytes}}); err != nil {
			return err
		}
	}
	var to []Block
	for bit /= 2; bit > 0; bit /= 2 {
		if rank+bit < size {
			to = append(to, Block{rank + bit, bytes[:length(bytes)]})
		}
	}
	if to == nil {
		return nil
	}
	return l.Exchange(to, nil)
}

// Gather gives rank 0 the bytes of all, one after the other, of each as many as sizes say; the others get nil.
func Gather(l Link, own []byte, sizes []int) ([]byte, error) {
	if l.Rank() > 0 {
		return nil, l.Exchange([]Block{{0, own}}, nil)
	}
	all, from := parts(sizes)
	copy(from[0], own)
	var blocks []Block
	for r, b := range from[1:] {
		blocks = append(blocks, Block{r + 1, b})
	}
	return all, l.Exchange(nil, blocks)
}

// GatherAll gives every rank the bytes of all, one after the other, of each as many as sizes say. In each round a rank passes on what it has to one twice as far away.
func GatherAll(l Link, own []byte, sizes []int) ([]byte, error) {
	rank, size := l.Rank(), l.Size()
	all, from := parts(sizes)
	copy(from[rank], own)
	for have := 1; have < size; have *= 2 {
		var send, receive []Block
		for n := range min(have, size-have) { // of those from this rank on it has the first
			to, back := (rank-have+size)%size, (rank+have)%size
			send = append(send, Block{to, from[(rank+n)%size]})
			receive = append(receive, Block{back, from[(back+n)%size]})
		}
		if err := l.Exchange(send, receive); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// parts returns room for so many bytes of each rank, one after the other.
func parts(sizes []int) (all []byte, of [][]byte) {
	sum := 0
	for _, n := range sizes {
		sum += n
	}
	all = make([]byte, sum)
	for rest := all; len(sizes) > 0; sizes = sizes[1:] {
		of = append(of, rest[:sizes[0]:sizes[0]])
		rest = rest[sizes[0]:]
	}
	return all, of
}

// First returns a link of the first ranks alone, so many; the others have no part in it.
func First(l Link, size int) Link { return &first{l, size} }

type first struct {
	Link
	size int
}

// Size returns the number of the first ranks.
func (f *first) Size() int { return f.size }

// Alike returns the sizes of blocks that are alike.
func Alike(l Link, bytes int) []int { return slices.Repeat([]int{bytes}, l.Size()) }
