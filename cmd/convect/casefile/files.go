package casefile

import (
	"fmt"
	"path/filepath"
	"slices"
)

// File is another file that a case names.
type File struct {
	Key  string // that names it, as physics.permeability.file
	Path string // absolute
}

// fileKeys are the keys of all sections whose value is the path of a file to read.
func fileKeys() []string { return []string{"file", "table"} }

// Files lists the files that the case reads, in the order of the case.
func (c *Case) Files() []File {
	var all []File
	eachPath(c.root.node, "", func(key string, n *node) {
		all = append(all, File{key, absolute(c.d.dir, n.text)})
	})
	return all
}

// eachPath visits the values of a tree that are paths of files, with their keys.
func eachPath(n *node, path string, visit func(key string, n *node)) {
	if n == nil {
		return
	}
	for i, item := range n.items {
		eachPath(item, itemPath(path, i), visit)
	}
	for _, e := range n.entries {
		key := join(path, e.key)
		if slices.Contains(fileKeys(), e.key) && e.value.kind == scalar && e.value.text != "" {
			visit(key, e.value)
			continue
		}
		eachPath(e.value, key, visit)
	}
}

// absolute returns a path of a case in a folder.
func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	if whole, err := filepath.Abs(filepath.Join(dir, path)); err == nil {
		return whole
	}
	return filepath.Join(dir, path)
}

// absolutePaths makes the relative paths of other files absolute and tells whether there were any.
func absolutePaths(root *node, dir string) bool {
	moved := false
	eachPath(root, "", func(_ string, n *node) {
		if !filepath.IsAbs(n.text) {
			n.text, moved = absolute(dir, n.text), true
		}
	})
	return moved
}

// itemPath is the path of an item of a list.
func itemPath(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }
