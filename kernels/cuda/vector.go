package cuda

import (
	"math"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// Fill sets every element of X.
func (d *Device) Fill(a kernels.FillArgs) {
	c := call.New(&d.failure, "Fill")
	v := c.Fill(a)
	v.C[0] = twoWords(a.Value, c.Elem)
	v.Len *= int64(c.Elem.Size() / 4)
	c.Elem = kernels.Float32
	d.launchVector(&c, "fill", &v)
}

// twoWords returns the eight bytes of a value, or twice the four of one, as if they were a float64.
func twoWords(value float64, e kernels.Elem) float64 {
	var word uint32
	switch e {
	case kernels.Float64:
		return value
	case kernels.Float32:
		word = math.Float32bits(float32(value))
	default:
		word = uint32(int32(value))
	}
	return math.Float64frombits(uint64(word)<<32 | uint64(word))
}

// Copy copies all elements, converting between float32 and float64.
func (d *Device) Copy(a kernels.CopyArgs) {
	c := call.New(&d.failure, "Copy")
	v, convert := c.Copy(a)
	kernel := "copy"
	switch {
	case convert: // a sum of one term, in double
		kernel, v.Terms, v.C[0], v.SingleOut = "combine", 1, 1, 1-v.Single[0]
		c.Elem = kernels.Float64
	default: // of words of four bytes
		v.Len *= int64(c.Elem.Size() / 4)
		c.Elem = kernels.Float32
	}
	d.launchVector(&c, kernel, &v)
}

// Combine computes a sum of up to four scaled buffers, in float64 where they are not all of one type.
func (d *Device) Combine(a kernels.CombineArgs) {
	c := d.begin("Combine", a.Out)
	v, _ := c.Combine(a)
	term := 0
	for n, r := range a.By {
		if a.X[n] != nil {
			v.By[term] = d.quotient(&c, r)
			term++
		}
	}
	d.launchVector(&c, "combine", &v)
}

// TakesRatios implements [kernels.RatioTaker].
func (d *Device) TakesRatios() bool { return true }

// quotient returns where the slots of a ratio are; nowhere where it is 1.
func (d *Device) quotient(c *call.Call, r kernels.Ratio) (q call.Quotient) {
	for _, slot := range [2]int{r.Of, r.Over} {
		if slot < 0 || slot >= kernels.Slots {
			c.Fail("slot %d does not exist", slot)
		}
	}
	if r.Of == r.Over || !c.OK() {
		return q
	}
	return call.Quotient{Of: d.slots + uintptr(8*r.Of), Over: d.slots + uintptr(8*r.Over)}
}

// elementsPerThread is the number of elements in a row that a thread of vector.cu moves together.
const elementsPerThread = 4

// launchVector runs a kernel on whole buffers, unless they are empty.
func (d *Device) launchVector(c *call.Call, kernel string, v *call.Vector) {
	if v.Len > 0 {
		d.launch(c, kernel, overElements(over(int(v.Len), elementsPerThread)), unsafe.Pointer(v), unsafe.Sizeof(*v))
	}
}

// Halo fills halo layers along the periodic axes, all at once: what a halo node repeats is a node.
func (d *Device) Halo(a kernels.HaloArgs) {
	c := d.begin("Halo", a.X)
	h := c.Halo(a)
	all, inner := 1, 1
	for axis, n := range a.Box.N {
		all *= n + 2*int(h.Width[axis])
		inner *= n
	}
	if all > inner {
		d.launch(&c, "halo", overElements(all-inner), unsafe.Pointer(&h), unsafe.Sizeof(h))
	}
}
