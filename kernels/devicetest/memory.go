package devicetest

import (
	"testing"

	"convect/kernels"
)

// Memory uploads arrays for a test or benchmark and frees them when it ends.
type Memory struct {
	testing.TB
	Device kernels.Device
	Elem   kernels.Elem
	arrays []*array
}

// array is a buffer of floats with the content that it should have.
type array struct {
	kernels.Buffer
	host []float64
	box  kernels.Box // of its nodes; none for other arrays
}

// Alloc allocates n elements; failure ends the test.
func (m *Memory) Alloc(e kernels.Elem, n int) kernels.Buffer {
	m.Helper()
	b, err := m.Device.Alloc(e, n)
	if err != nil {
		m.Fatalf("allocate %d %v: %v", n, e, err)
	}
	m.Cleanup(func() { m.Device.Free(b) })
	return b
}

// Floats uploads values to a new buffer of the memory's element type.
func (m *Memory) Floats(values []float64) kernels.Buffer { return m.array(values).Buffer }

// Ints uploads values to a new Int32 buffer.
func (m *Memory) Ints(values []int32) kernels.Buffer {
	b := m.Alloc(kernels.Int32, len(values))
	m.Device.UploadInts(b, values)
	return b
}

// Axes uploads the arrays of three axes.
func (m *Memory) Axes(axes [3]Axis) (b [3]kernels.Buffer) {
	for d, a := range axes {
		b[d] = m.Floats(a)
	}
	return b
}

// array uploads values to a new buffer and remembers them.
func (m *Memory) array(values []float64) *array { return m.arrayOf(m.Elem, values) }

// arrayOf is array for any type of floats.
func (m *Memory) arrayOf(e kernels.Elem, values []float64) *array {
	a := &array{Buffer: m.Alloc(e, len(values)), host: values}
	m.Device.Upload(a.Buffer, values)
	m.arrays = append(m.arrays, a)
	return a
}

// read downloads a whole buffer.
func (m *Memory) read(b kernels.Buffer) []float64 {
	m.Helper()
	values := make([]float64, b.Len())
	if err := m.Device.Download(values, b); err != nil {
		m.Fatalf("download: %v", err)
	}
	return values
}
