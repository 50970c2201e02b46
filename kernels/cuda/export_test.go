package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// MostLed is how many kernels of a recording are launched before its graph.
const MostLed = mostLed

// MixSizes makes a device take kernels of large grids on some small ones too, so that tests see both.
func (d *Device) MixSizes() { d.sizes = sizes{leastSmall: 2500, tinyFolded: 20} }

// Meeting copies blocks between devices as kernels that wait for each other do.
type Meeting struct{ m *meeting }

// NewMeeting makes one.
func NewMeeting(devices []*Device) Meeting {
	m := &meeting{devices: devices}
	if !m.prepare() {
		panic("no meeting")
	}
	return Meeting{m}
}

// CopyBlocks lets all devices give, and then all take. It returns in how many meetings.
func (m Meeting) CopyBlocks(of func(taker, owner int) []kernels.Copy) int {
	all := make([][]call.Copies, len(m.m.devices))
	for n := range all {
		all[n] = m.m.copies(n, of)
	}
	for meeting := range all[0] {
		for n, d := range m.m.devices {
			k := all[n][meeting]
			k.Takes = [meetMost]int64{}
			m.m.launch(n, &k)
			left := m.m.flags[n] + 4*meetMost
			number := uint32(0)
			d.keep("Meeting", d.gpu.Download(unsafe.Pointer(&number), left, 4))
			number-- // it comes again
			d.keep("Meeting", d.gpu.Upload(left, unsafe.Pointer(&number), 4))
		}
		for n := range m.m.devices {
			k := all[n][meeting]
			k.Parts = [meetMost]int64{}
			m.m.launch(n, &k)
		}
	}
	return len(all[0])
}

// Free releases flags.
func (m Meeting) Free() {
	for n, d := range m.m.devices {
		d.gpu.Free(m.m.flags[n])
	}
}
