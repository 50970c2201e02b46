package kernels

// Sharer is a Device of several processes, each of which has some rows of y of arrays, a host of its own, and files that it sees there.
type Sharer interface {
	// Shares returns which rows of y of arrays of a box each process owns, from the first to the one before the last; nil where they are not shared out.
	Shares(box Box) [][2]int
	// Do has every process do a task, and returns what each replies, by process. A process gets the values of arrays of a box as [z][y][x] of the rows of y that it
	// owns; where fill is set it gets zeros, and the arrays get what the task leaves there. Without arrays a task gets no rows. The error names processes whose task
	// has failed: the others have done theirs.
	Do(task string, job []byte, box Box, arrays []Buffer, fill bool) ([][]byte, error)
}

// Task is what a process does with rows rows[0] to rows[1]-1 of y of arrays. The values are its own from then on.
type Task func(job []byte, rows [2]int, values [][]float64) (reply []byte, err error)
