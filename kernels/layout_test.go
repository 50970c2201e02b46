package kernels

import "testing"

// Every node and halo node of a box has an element of its own within the array but for the two ends of a row, which share
// the padding between rows without overlap, and rows start aligned.
func TestBoxGivesEveryHaloNodeItsElement(t *testing.T) {
	for _, n := range [][3]int{{1, 1, 1}, {5, 4, 3}, {10, 2, 2}, {26, 3, 2}, {257, 2, 3}} {
		for _, flat := range []bool{false, true} {
			if flat {
				n[Y] = 1
			}
			b := NewBox(n, flat)
			seen := make([]bool, b.Len)
			halo := [3]int{HaloWidth, HaloWidth, HaloWidth}
			if flat {
				halo[Y] = 0
			}
			for k := -halo[Z]; k < n[Z]+halo[Z]; k++ {
				for j := -halo[Y]; j < n[Y]+halo[Y]; j++ {
					if b.Index(0, j, k)%rowAlign != 0 {
						t.Fatalf("%v: row (%d,%d) is not aligned", n, j, k)
					}
					for i := -halo[X]; i < n[X]+halo[X]; i++ {
						e := b.Index(i, j, k)
						if e < 0 || e >= b.Len || seen[e] {
							t.Fatalf("%v: element %d of node (%d,%d,%d) is outside or taken", n, e, i, j, k)
						}
						seen[e] = true
					}
				}
			}
			if b.Flat() != flat || b.Nodes() != n[X]*n[Y]*n[Z] {
				t.Errorf("%v: flat %v, %d nodes", n, b.Flat(), b.Nodes())
			}
		}
	}
}

func TestWallShapes(t *testing.T) {
	b := NewBox([3]int{5, 4, 3}, false)
	for s, want := range map[Side]int{Left: 12, Right: 12, Front: 15, Back: 15, Bottom: 20, Top: 20} {
		if got := b.WallNodes(s); got != want {
			t.Errorf("%v has %d nodes, want %d", s, got, want)
		}
	}
	if Top.Axis() != Z || !Top.High() || Left.High() || Back.String() != "back" {
		t.Error("sides are misnamed")
	}
}
