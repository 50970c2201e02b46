package linktest

import (
	"bytes"
	"fmt"

	"convect/kernels/link"
)

// block returns n bytes that tell from which rank to which they go, and which they are.
func block(from, to, which, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(31*from + 17*to + 7*which + i)
	}
	return b
}

// sizes of blocks: small ones, and those that transports treat otherwise.
var sizes = []int{0, 1, 100, 5000, 70_000, 1_500_000}

// Run runs the checks on one rank and returns what is wrong.
func Run(l link.Link) error {
	for _, check := range []func(link.Link) error{neighbours, order, spread, gather, first} {
		if err := check(l); err != nil {
			return fmt.Errorf("rank %d: %w", l.Rank(), err)
		}
	}
	return nil
}

// neighbours exchanges blocks of all sizes in a ring, both ways, with more room than bytes.
func neighbours(l link.Link) error {
	rank, size := l.Rank(), l.Size()
	if size == 1 {
		return nil
	}
	for _, n := range sizes {
		up, down := (rank+1)%size, (rank+size-1)%size
		fromDown, fromUp := make([]byte, n+8), make([]byte, n+8)
		err := l.Exchange([]link.Block{{Rank: up, Bytes: block(rank, up, 0, n)}, {Rank: down, Bytes: block(rank, down, 1, n)}},
			[]link.Block{{Rank: down, Bytes: fromDown}, {Rank: up, Bytes: fromUp}})
		if size == 2 { // one rank is both neighbours
			fromDown, fromUp = fromUp, fromDown
			if err == nil && !bytes.Equal(fromUp[:n], block(up, rank, 0, n)) {
				return fmt.Errorf("%d bytes of the neighbour are wrong", n)
			}
			continue
		}
		switch {
		case err != nil:
			return err
		case !bytes.Equal(fromDown[:n], block(down, rank, 0, n)), !bytes.Equal(fromUp[:n], block(up, rank, 1, n)):
			return fmt.Errorf("%d bytes of a neighbour are wrong", n)
		case !bytes.Equal(fromDown[n:], make([]byte, 8)):
			return fmt.Errorf("a block of %d bytes has changed the room behind it", n)
		}
	}
	return nil
}

// order sends several blocks from every rank to every other, which must come in their order.
func order(l link.Link) error {
	const each = 5
	var send, receive []link.Block
	for other := range l.Size() {
		if other == l.Rank() {
			continue
		}
		for which := range each {
			send = append(send, link.Block{Rank: other, Bytes: block(l.Rank(), other, which, 10+which)})
			receive = append(receive, link.Block{Rank: other, Bytes: make([]byte, 10+which)})
		}
	}
	if err := l.Exchange(send, receive); err != nil {
		return err
	}
	for n, b := range receive {
		if !bytes.Equal(b.Bytes, block(b.Rank, l.Rank(), n%each, 10+n%each)) {
			return fmt.Errorf("block %d of rank %d is not the one", n%each, b.Rank)
		}
	}
	return nil
}

func spread(l link.Link) error {
	for _, n := range sizes {
		b := make([]byte, n)
		if l.Rank() == 0 {
			b = block(0, 0, 3, n)
		}
		if err := link.Spread(l, b); err != nil {
			return err
		}
		if !bytes.Equal(b, block(0, 0, 3, n)) {
			return fmt.Errorf("%d bytes of rank 0 are wrong", n)
		}
	}
	return nil
}

func gather(l link.Link) error {
	var sizes []int
	var want []byte
	for r := range l.Size() {
		sizes = append(sizes, 3+100*(r%3))
		want = append(want, block(r, 0, 0, sizes[r])...)
	}
	own := block(l.Rank(), 0, 0, sizes[l.Rank()])
	all, err := link.GatherAll(l, own, sizes)
	if err != nil {
		return err
	}
	if !bytes.Equal(all, want) {
		return fmt.Errorf("what all have gathered is wrong")
	}
	if all, err = link.Gather(l, own, sizes); err != nil {
		return err
	}
	if l.Rank() == 0 && !bytes.Equal(all, want) {
		return fmt.Errorf("what rank 0 has gathered is wrong")
	}
	return nil
}

// first spreads among all ranks but the last.
func first(l link.Link) error {
	part := link.First(l, max(l.Size()-1, 1))
	if part.Size() != max(l.Size()-1, 1) {
		return fmt.Errorf("%d ranks of %d", part.Size(), l.Size())
	}
	if l.Rank() >= part.Size() {
		return nil
	}
	return spread(part)
}
