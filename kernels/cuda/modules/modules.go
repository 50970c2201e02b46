//go:build cuda

package modules

import (
	"embed"
	"fmt"
	"strings"
)

// files holds the modules.
//
//go:embed "built/INDEX, if missing run make build-cuda" built/f32/*.fatbin built/f64/*.fatbin
var files embed.FS

// Set is modules that scripts/kernels.sh has made in a folder built.
type Set struct{ files embed.FS }

// Of returns the modules of a package that embeds its folder built.
func Of(files embed.FS) Set { return Set{files} }

// Built returns the modules of package cuda.
func Built() Set { return Of(files) }

// index names the file that tells what there is: in its first line the oldest architecture and how the modules were compiled,
// then a line "KERNEL MODULE" for each kernel.
const index = "built/INDEX, if missing run make build-cuda"

// Kernels tells in which module, named by its file, each kernel is.
func (s Set) Kernels() map[string]string {
	in := map[string]string{}
	_, lines, _ := strings.Cut(s.read(index), "\n")
	for line := range strings.Lines(lines) {
		kernel, module, _ := strings.Cut(strings.TrimSpace(line), " ")
		in[kernel] = module
	}
	return in
}

// Oldest returns the least compute capability that the modules run on, as major and minor number.
func (s Set) Oldest() (major, minor int) {
	var capability int
	if _, err := fmt.Sscanf(s.read(index), "compute_%d ", &capability); err != nil {
		panic(fmt.Sprintf("modules: the index begins with no architecture: %v", err))
	}
	return capability / 10, capability % 10
}

// Image returns a module, to be loaded as it is. It panics where there is none of that name.
func (s Set) Image(module string) string { return s.read("built/" + module) }

// read returns an embedded file, which is there.
func (s Set) read(name string) string {
	text, err := s.files.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("modules: %v", err))
	}
	return string(text)
}
