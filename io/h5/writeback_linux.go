package h5

import (
	"os"
	"syscall"
)

const syncFileRangeWrite = 2 // SYNC_FILE_RANGE_WRITE of sync_file_range(2)

// startWriteback asks the system to begin writing to disk what the file has so far, so that the disk works while the next dataset is made.
// It is no more than a hint: Commit forces the file to disk.
func (w *Writer) startWriteback() {
	f, err := os.OpenFile(w.temporary, os.O_RDWR, 0)
	if err != nil {
		return
	}
	syscall.SyncFileRange(int(f.Fd()), 0, 0, syncFileRangeWrite)
	f.Close()
}
