package ranks

import (
	"testing"

	"convect/kernels"
)

// Slabs hold each row once, begin at rows that the coarse grid has too, and those of a coarse grid are halves of those of the fine one, at walls and at periodic ends.
func TestSlabs(t *testing.T) {
	for size := 1; size <= 5; size++ {
		d := &Device{options: Options{Ghosts: 4, Rows: 4}, size: size, layouts: map[kernels.Box]*layout{}, wholes: map[kernels.Box]*layout{}}
		shared := 0
		for cells := 2; cells <= 200; cells++ {
			for _, more := range []int{0, 1} {
				fine := d.layoutOf(kernels.NewBox([3]int{5, cells + more, 3}, false))
				checkTiles(t, fine, cells, size)
				if !fine.split || cells%2 != 0 {
					continue
				}
				shared++
				coarse := d.layoutOf(kernels.NewBox([3]int{3, cells/2 + more, 2}, false))
				for r := range fine.slabs {
					own, half := fine.slabs[r].own, coarse.slabs[r].own
					if own[0]%2 != 0 && (cells/2+more+1)/2 >= size {
						t.Errorf("%d ranks, %d cells: rank %d begins at row %d, between those of the coarse grid", size, cells, r, own[0])
					}
					if coarse.split && (own[0] != 2*half[0] || (own[1]+1)/2 != half[1]) {
						t.Errorf("%d ranks, %d cells: rank %d owns rows %v, and %v of the coarse grid", size, cells, r, own, half)
					}
				}
			}
		}
		if shared == 0 && size > 1 {
			t.Errorf("%d ranks share nothing", size)
		}
	}
}

func checkTiles(t *testing.T, l *layout, cells, size int) {
	t.Helper()
	next := 0
	for r, s := range l.slabs {
		if !l.split {
			if s.own != [2]int{0, l.box.N[kernels.Y]} {
				t.Errorf("rank %d of %d owns %v of a whole box", r, size, s.own)
			}
			continue
		}
		if s.own[0] != next || s.own[1] <= s.own[0] {
			t.Errorf("%d cells, %d ranks: rank %d owns rows %v after row %d", cells, size, r, s.own, next)
		}
		next = s.own[1]
	}
	if l.split && next != l.box.N[kernels.Y] {
		t.Errorf("%d cells, %d ranks: rows up to %d of %d", cells, size, next, l.box.N[kernels.Y])
	}
}

// Rows that follow each other are moved together, and no row to where it is.
func TestMoves(t *testing.T) {
	var all []move
	for _, m := range []move{{0, 3, 7, 1}, {0, 4, 8, 1}, {1, 5, 9, 1}, {1, 7, 10, 1}} {
		all = add(all, m.owner, m.from, m.to)
	}
	if want := []move{{0, 3, 7, 2}, {1, 5, 9, 1}, {1, 7, 10, 1}}; len(all) != len(want) || all[0] != want[0] || all[1] != want[1] || all[2] != want[2] {
		t.Errorf("%v, want %v", all, want)
	}
}
