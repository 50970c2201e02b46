//go:build cuda

package ptx

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.ptx
var files embed.FS

// Modules tells in which module, named by its file, each kernel is.
func Modules() map[string]string {
	in := map[string]string{}
	entries, _ := files.ReadDir(".") // an embedded folder is always there
	for _, e := range entries {
		for _, kernel := range kernels(Text(e.Name())) {
			in[kernel] = e.Name()
		}
	}
	return in
}

// Text returns a module. It panics where there is none of that name.
func Text(module string) string {
	text, err := files.ReadFile(module)
	if err != nil {
		panic(fmt.Sprintf("ptx: %v", err))
	}
	return string(text)
}

// kernels returns the names of the kernels in a text.
func kernels(text string) (names []string) {
	const entry = ".visible .entry "
	for {
		_, after, found := strings.Cut(text, entry)
		if !found {
			return names
		}
		name, rest, _ := strings.Cut(after, "(")
		names = append(names, name)
		text = rest
	}
}
