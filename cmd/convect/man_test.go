package main

import (
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Every page has its sections and options; where there is groff, it renders them without a warning.
func TestManPages(t *testing.T) {
	groff, missing := exec.LookPath("groff")
	render := func(name, page string) string {
		for _, section := range []string{".TH CONVECT", ".SH NAME\nconvect", ".SH SYNOPSIS\n"} {
			if !strings.Contains(page, section) {
				t.Errorf("%s lacks %q", name, section)
			}
		}
		if strings.Count(page, "\n.nf\n") != strings.Count(page, "\n.fi\n") {
			t.Errorf("%s: lines that are kept do not end", name)
		}
		if missing != nil {
			return ""
		}
		c := exec.Command(groff, "-man", "-Tutf8", "-k", "-ww", "-rLL=200n", "-P-cbou")
		c.Stdin = strings.NewReader(page)
		var out, warnings bytes.Buffer
		c.Stdout, c.Stderr = &out, &warnings
		if err := c.Run(); err != nil || warnings.Len() > 0 {
			t.Errorf("%s: %v\n%s", name, err, warnings.String())
		}
		return out.String()
	}
	spaces := regexp.MustCompile(`\s+`)
	for _, c := range commands() {
		var b bytes.Buffer
		c.man(&b, "devel")
		shown := spaces.ReplaceAllString(render(c.name, b.String()), " ")
		if missing != nil {
			continue
		}
		for _, x := range c.examples {
			if !strings.Contains(shown, spaces.ReplaceAllString(x, " ")) {
				t.Errorf("%s does not show %s:\n%s", c.name, x, shown)
			}
		}
		c.flags.VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(shown, "--"+f.Name) {
				t.Errorf("%s does not show --%s", c.name, f.Name)
			}
		})
	}
	out, _ := mustRun(t, t.TempDir(), "help", "--man")
	render("convect", out)
	out, _ = mustRun(t, t.TempDir(), "help", "--man", "run")
	render("run", out)
	if !strings.Contains(out, "convect-run") || !strings.Contains(out, `\-\-resume`) {
		t.Errorf("the page of run:\n%s", out)
	}
}
