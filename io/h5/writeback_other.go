//go:build !linux

package h5

// startWriteback is for systems that can be asked to begin writing early.
func (w *Writer) startWriteback() {}
