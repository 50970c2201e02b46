package h5

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"
)

// Reader reads one HDF5 file. What the file holds is listed when it is opened;
// values of datasets are read when they are asked for. A Reader may be used from
// several goroutines.
type Reader struct {
	path     string
	size     int64
	sealed   bool
	objects  []Object
	byPath   map[string]*Object
	isClosed atomic.Bool
}

// OpenOption changes how [Open] works.
type OpenOption func(*openSettings)

type openSettings struct{ noVerify, own bool }

// NoVerify makes [Open] skip the seal, which costs one reading of the file. A
// change of an attribute goes unnoticed then; datasets are still checked.
func NoVerify(s *openSettings) { s.noVerify = true }

// ownMost is up to how many bytes the seal of a file is looked at rather than a child started.
const ownMost = 4 << 20

// Own is [NoVerify] for the many files of a run directory, which this program wrote: a small one whose seal holds is listed in this process, without a
// child, in a tenth of the time or less. It is not for files from elsewhere.
func Own(s *openSettings) { s.noVerify, s.own = true, true }

// Open opens the HDF5 file at path for reading. A file written by this package is
// verified as a whole first. The error names path and wraps, as it applies,
// [ErrNotHDF5], [ErrDamaged], or the system's error.
func Open(path string, options ...OpenOption) (*Reader, error) {
	var settings openSettings
	for _, option := range options {
		option(&settings)
	}
	file, err := screen(path, !settings.noVerify)
	if err != nil {
		return nil, fmt.Errorf("open %w", err)
	}
	r := &Reader{path: path, size: file.size, sealed: file.seal == sealHolds}
	if settings.own && isSealed(path, file.size) {
		r.objects, err = listHere(path, catalogueSize)
	} else {
		r.objects, err = readJob{path: path}.list(catalogueSize)
	}
	if err != nil {
		return nil, fmt.Errorf("open %w", err)
	}
	r.index()
	if _, marked := r.attribute("/", sealedMark); marked == nil && !r.sealed && !settings.noVerify {
		return nil, fmt.Errorf("open %w", damaged(path, "its seal is gone: cut off, or the file was changed after it was written"))
	}
	return r, nil
}

// isSealed tells whether a file is small and its seal holds.
func isSealed(path string, size int64) bool {
	if size > ownMost {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false // the child says why
	}
	defer f.Close()
	state, err := checkSeal(f, size)
	return err == nil && state == sealHolds
}

// index makes objects findable by path and names their checksums.
func (r *Reader) index() {
	r.byPath = make(map[string]*Object, len(r.objects))
	for i := range r.objects {
		o := &r.objects[i]
		if sum, ok := o.attribute(checksumName); ok && o.Kind == Dataset {
			o.Checksum = string(sum.text)
		}
		r.byPath[o.Path] = o
	}
}

// Close ends the use of r. It holds no file open and never fails; it returns an
// error to satisfy io.Closer.
func (r *Reader) Close() error {
	r.isClosed.Store(true)
	return nil
}

// Path returns the name the file was opened by.
func (r *Reader) Path() string { return r.path }

// Sealed says that the file was written by this package and verified as a whole.
func (r *Reader) Sealed() bool { return r.sealed }

// Exists says whether the file has a group or dataset called path, as "/a/b".
func (r *Reader) Exists(path string) bool {
	_, ok := r.byPath[clean(path)]
	return ok
}

// Walk calls visit for every object: each group before what it holds, names in
// order. It stops at the first error and returns it.
func (r *Reader) Walk(visit func(Object) error) error {
	if r.isClosed.Load() {
		return fmt.Errorf("%s: %w", r.path, ErrClosed)
	}
	for _, o := range r.objects {
		if err := visit(o); err != nil {
			return err
		}
	}
	return nil
}

// Dims returns the lengths of the axes of a dataset, slowest first; none for a
// scalar.
func (r *Reader) Dims(path string) ([]int, error) {
	o, err := r.dataset(path)
	if err != nil {
		return nil, err
	}
	return slices.Clone(o.Dims), nil
}

// clean returns the absolute form of the name of an object.
func clean(name string) string { return path.Clean("/" + name) }

// dataset returns the dataset called name.
func (r *Reader) dataset(name string) (*Object, error) {
	o, ok := r.byPath[clean(name)]
	switch {
	case r.isClosed.Load():
		return nil, fmt.Errorf("%s: %w", r.path, ErrClosed)
	case !ok:
		return nil, fmt.Errorf("%s: dataset %s: %w, which holds %s", r.path, name, ErrMissing, r.datasets())
	case o.refusal != "":
		return nil, refused(r.path, o.Path, o.refusal)
	case o.Kind != Dataset:
		return nil, fmt.Errorf("%s: %s: %w: a %s where a dataset is needed", r.path, name, ErrType, o.Kind)
	}
	return o, nil
}

// datasets lists the datasets of the file, up to a number.
func (r *Reader) datasets() string {
	const most = 12
	var names []string
	more := 0
	for _, o := range r.objects {
		switch {
		case o.Kind != Dataset:
		case len(names) < most:
			names = append(names, o.Path)
		default:
			more++
		}
	}
	switch {
	case len(names) == 0:
		return "no dataset"
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	}
	return strings.Join(names, ", ")
}
