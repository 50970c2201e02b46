package casefile

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"convect/io/column"
)

// columns reads columns from the table of text (CSV) whose path is the value. What is wrong with the table is a fault of the key, which
// names the line of the table too; it is reported and false returned.
func (v value) columns(names ...string) (*column.Table, bool) {
	const accepted = "the path of a table of text (CSV), relative to the folder of the case"
	path := v.node.text
	if !filepath.IsAbs(path) {
		path = filepath.Join(v.d.dir, path)
	}
	table, err := column.Read(path, names...)
	switch {
	case err == nil:
		return table, true
	case errors.Is(err, fs.ErrNotExist):
		if slices.ContainsFunc(v.d.errors, func(e *Error) bool { return e.Key == v.key }) {
			break // said before
		}
		v.refuse(accepted, "there is no file %s", path)
	default:
		v.refuse(accepted, "%v", err)
	}
	return nil, false
}
