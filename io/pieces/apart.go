package pieces

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unsafe"

	"convect/io/h5"
	"convect/io/whole"
)

// partOf returns the file of a rank beside one that all are parts of.
func partOf(path string, rank int) string { return fmt.Sprintf("%s.%d", path, rank) }

var partName = regexp.MustCompile(`^(.+)\.\d+$`)

// Remove removes a file and then its parts, if there are any.
func Remove(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return removeParts(path)
}

// removeParts removes the parts of a file.
func removeParts(path string) error {
	folder, name := filepath.Split(path)
	files, err := os.ReadDir(filepath.Clean(folder))
	for _, f := range files {
		if match := partName.FindStringSubmatch(f.Name()); match != nil && match[1] == name {
			err = errors.Join(err, os.Remove(filepath.Join(folder, f.Name())))
		}
	}
	return err
}

// RemoveOrphans removes from a folder what a killed run has left of parts: those of files that are not there, and those half written. is tells which files have parts.
func RemoveOrphans(folder string, is func(name string) bool) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, f := range files {
		name, half := strings.CutSuffix(f.Name(), whole.TemporarySuffix)
		match := partName.FindStringSubmatch(name)
		if match == nil || !is(match[1]) {
			continue
		}
		_, missing := os.Lstat(filepath.Join(folder, match[1]))
		if half || errors.Is(missing, fs.ErrNotExist) {
			err = errors.Join(err, os.Remove(filepath.Join(folder, f.Name())))
		}
	}
	return err
}

// writeApart writes a file of this process with its rows of the arrays, forces it to disk, and tells the pieces that they are of arrays at byte 0.
func writeApart(path string, arrays []Array, rows [2]int, values [][]float64) (all [][]h5.Piece, err error) {
	file, err := h5.Create(path)
	if err != nil {
		return nil, err
	}
	defer file.Abort()
	for n := range arrays {
		a := &arrays[n]
		if len(values) < a.Components {
			return nil, fmt.Errorf("%s: there are no values of %s", path, a.Dataset)
		}
		s := &slab{a, rows, make([]byte, a.Bytes()/int64(a.Points[1])*int64(rows[1]-rows[0]))}
		pieces, err := a.write(s, rows, values[:a.Components])
		if err != nil {
			return nil, err
		}
		all, values = append(all, pieces), values[a.Components:]
		if dims := a.dims(rows[1] - rows[0]); a.Double {
			file.Float64s(a.Dataset, dims, numbers[float64](s.bytes))
		} else {
			file.Float32s(a.Dataset, dims, numbers[float32](s.bytes))
		}
	}
	return all, file.Commit()
}

// numbers returns bytes as the numbers that they are.
func numbers[T float32 | float64](bytes []byte) []T {
	var one T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytes))), len(bytes)/int(unsafe.Sizeof(one)))
}

// slab is some rows of an array. What is written to it goes where it would be in the array, at byte 0; a row that is repeated is left out.
type slab struct {
	of    *Array
	rows  [2]int
	bytes []byte
}

// WriteAt implements io.WriterAt.
func (s *slab) WriteAt(bytes []byte, at int64) (int, error) {
	row := s.of.Bytes() / int64(s.of.Points[1]) / int64(s.of.Points[2])
	level, first := at/row/int64(s.of.Points[1]), int(at/row%int64(s.of.Points[1]))
	if first < s.of.Nodes[1] {
		copy(s.bytes[row*(level*int64(s.rows[1]-s.rows[0])+int64(first-s.rows[0])):], bytes)
	}
	return len(bytes), nil
}
