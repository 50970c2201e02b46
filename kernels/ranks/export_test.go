package ranks

import "convect/kernels"

// Exchange fetches all ghosts of an array of nodes.
func Exchange(all ...kernels.Buffer) {
	for _, b := range all {
		own := b.(*Buffer)
		own.seam = 0
		own.want(1, 0, false)
	}
	all[0].(*Buffer).device.exchange()
}

// DropIdle frees what has stood for arrays of another device.
func (d *Device) DropIdle() bool { return d.dropIdle() }

// Expected returns how many ghosts are likely to be read of what a kernel writes into an array of nodes.
func Expected(b kernels.Buffer, kernel string) int { return b.(*Buffer).expected(kernel + ": ") }
