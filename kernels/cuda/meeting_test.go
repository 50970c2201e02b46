package cuda_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
)

// met are arrays of devices, with what they hold.
type met struct {
	devices []*cuda.Device
	boxes   []kernels.Box
	arrays  [][]kernels.Buffer // of each device, one of each box
	values  [][][]float64
	random  *rand.Rand
}

// meetingArrays gives each device an array of each of some boxes.
func meetingArrays(t *testing.T, size int, e kernels.Elem) *met {
	m := &met{random: rand.New(rand.NewPCG(uint64(size), 7))}
	for range size {
		d := must[*cuda.Device](t)(cuda.New(emulation.New(emulation.Options{Reverse: len(m.devices)%2 == 1})))
		t.Cleanup(func() { d.Close() })
		m.devices = append(m.devices, d)
	}
	for _, n := range [][3]int{{33, 12, 17}, {300, 20, 9}, {8, 9, 5}, {130, 6, 3}, {257, 4, 2}} {
		m.boxes = append(m.boxes, kernels.NewBox(n, false))
	}
	m.arrays, m.values = make([][]kernels.Buffer, size), make([][][]float64, size)
	for n, d := range m.devices {
		for _, b := range m.boxes {
			m.arrays[n] = append(m.arrays[n], must[kernels.Buffer](t)(kernels.AllocBox(d, e, b)))
			m.values[n] = append(m.values[n], nil)
		}
	}
	return m
}

// fill gives all arrays new values.
func (m *met) fill() {
	for n, d := range m.devices {
		for a, b := range m.arrays[n] {
			v := make([]float64, b.Len())
			for i := range v {
				v[i] = float64(m.random.IntN(1 << 20))
			}
			m.values[n][a] = v
			d.Upload(b, v)
		}
	}
}

// copies returns some copies to each taker, the lower rows of its arrays, from the upper rows of any owner, and makes them of the values. A copy is of whole arrays along z, or of
// each plane.
func (m *met) copies(planes bool) (of [][][]kernels.Copy) {
	before := make([][][]float64, len(m.values))
	for n, all := range m.values {
		for _, v := range all {
			before[n] = append(before[n], slices.Clone(v))
		}
	}
	for taker := range m.devices {
		of = append(of, make([][]kernels.Copy, len(m.devices)))
		for a, box := range m.boxes {
			owner := m.random.IntN(len(m.devices))
			if m.random.IntN(4) == 0 {
				continue
			}
			n := [3]int{1 + m.random.IntN(box.N[0]), 1 + m.random.IntN(box.N[1]/2), box.N[2]}
			to := [3]int{m.random.IntN(box.N[0] - n[0] + 1), 0, 0}
			from := [3]int{m.random.IntN(box.N[0] - n[0] + 1), box.N[1] - n[1], 0}
			for k := range n[2] {
				if !planes && k > 0 {
					break
				}
				one := kernels.Copy{
					To:   kernels.Block{Array: m.arrays[taker][a], Box: box, First: to, N: n},
					From: kernels.Block{Array: m.arrays[owner][a], Box: box, First: from, N: n},
				}
				if planes {
					one.To.First[2], one.From.First[2], one.To.N[2], one.From.N[2] = k, k, 1, 1
				}
				of[taker][owner] = append(of[taker][owner], one)
			}
			for k := range n[2] {
				for j := range n[1] {
					for i := range n[0] {
						m.values[taker][a][box.Index(to[0]+i, to[1]+j, to[2]+k)] = before[owner][a][box.Index(from[0]+i, from[1]+j, from[2]+k)]
					}
				}
			}
		}
	}
	return of
}

// TestMeetings: blocks come to where they belong, also where they are too many for one meeting.
func TestMeetings(t *testing.T) {
	for _, size := range []int{2, 3, 5, 16} {
		for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
			for _, planes := range []bool{false, true} {
				t.Run(fmt.Sprint(size, e, planes), func(t *testing.T) {
					m := meetingArrays(t, size, e)
					meeting := cuda.NewMeeting(m.devices)
					defer meeting.Free()
					most := 0
					for range 5 {
						m.fill()
						of := m.copies(planes)
						most = max(most, meeting.CopyBlocks(func(taker, owner int) []kernels.Copy { return of[taker][owner] }))
						m.compare(t)
					}
					if several := most > 1; several != planes {
						t.Errorf("%d meetings of %d devices", most, size)
					}
				})
			}
		}
	}
}

// compare fails where an array does not have its values.
func (m *met) compare(t *testing.T) {
	t.Helper()
	for n, d := range m.devices {
		for a, b := range m.arrays[n] {
			v := make([]float64, b.Len())
			if err := d.Download(v, b); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(v, m.values[n][a]) {
				t.Fatalf("array %d of device %d of %d", a, n, len(m.devices))
			}
		}
	}
}
