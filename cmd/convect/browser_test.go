package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// needBrowser is set where a test that finds no browser is to fail rather than to be left out.
const needBrowser = "CONVECT_TEST_BROWSER"

// screenshots names a folder into which the tests put pictures of the pages, to be looked at.
const screenshots = "CONVECT_SCREENSHOTS"

// browser is a page in a headless Chromium.
type browser struct {
	t   *testing.T
	ctx context.Context

	mutex sync.Mutex
	wrong []string // what the console had to complain of
}

// webGL lets a browser draw in three dimensions without a GPU, which makes all of it slow.
var webGL = []chromedp.ExecAllocatorOption{chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true)}

// openBrowser starts a browser that ends with the test.
func openBrowser(t *testing.T, more ...chromedp.ExecAllocatorOption) *browser {
	t.Helper()
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	at := slices.IndexFunc(names, func(name string) bool { _, err := exec.LookPath(name); return err == nil })
	switch {
	case at < 0 && os.Getenv(needBrowser) != "":
		t.Fatalf("there is none of %v", names)
	case at < 0:
		t.Skipf("there is none of %v: sh scripts/setup.sh browser installs one", names)
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(names[at]), chromedp.NoSandbox, chromedp.WSURLReadTimeout(time.Minute))
	if len(more) == 0 {
		more = []chromedp.ExecAllocatorOption{chromedp.DisableGPU}
	}
	options = append(options, more...)
	all, cancelAll := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(all)
	t.Cleanup(func() { cancel(); cancelAll() })
	ctx, cancelLate := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancelLate)
	b := &browser{t: t, ctx: ctx}
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
				b.complain("console: %v", e.Args)
			}
		case *runtime.EventExceptionThrown:
			b.complain("exception: %v", &chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails})
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
				b.complain("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
			}
		}
	})
	if err == nil {
		_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *browser) complain(format string, args ...any) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.wrong = append(b.wrong, fmt.Sprintf(format, args...))
}

// quiet fails where the console had to complain.
func (b *browser) quiet() {
	b.t.Helper()
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if len(b.wrong) > 0 {
		b.t.Errorf("the browser complains:\n%s", strings.Join(b.wrong, "\n"))
	}
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// open goes to an address with a window of a width.
func (b *browser) open(url string, width int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, 1000), chromedp.Navigate(url))
}

// evaluate returns the value of an expression in the page. Where the browser goes to another page meanwhile, that one is asked.
func evaluate[T any](b *browser, expression string) (v T) {
	b.t.Helper()
	for left := 50; ; left-- {
		v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
		if err == nil {
			return v
		}
		if left == 0 || !strings.Contains(err.Error(), "navigated") {
			b.t.Fatalf("%s: %v", expression, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// wait waits until an expression is true: not before what it speaks of is there. A page on busy cores may take seconds for an answer, so that as many answers as seconds are waited for.
func (b *browser) wait(expression string) {
	b.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for answers := 1; ; answers++ {
		if evaluate[bool](b, "(() => { try { return !!("+expression+"); } catch { return false; } })()") {
			return
		}
		if time.Now().After(deadline) && answers >= 30 {
			b.quiet()
			b.t.Fatalf("%s did not come true; the page says %s", expression, evaluate[string](b, "document.body.innerText.slice(0, 1500)"))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// picture saves what is seen, where pictures are wanted, by day and by night.
func (b *browser) picture(name string) {
	b.t.Helper()
	dir := os.Getenv(screenshots)
	if dir == "" {
		return
	}
	for _, scheme := range []string{"light", "dark"} {
		_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		if err != nil {
			b.t.Fatal(err)
		}
		b.do(chromedp.Sleep(300 * time.Millisecond))
		png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
		if err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+"-"+scheme+".png"), png, 0o666); err != nil {
			b.t.Fatal(err)
		}
	}
}

// within fails where anything reaches out of the window at a width, once the page has taken its new shape; what scrolls by itself may.
func (b *browser) within(name string, widths ...int64) {
	b.t.Helper()
	for _, width := range widths {
		b.do(chromedp.EmulateViewport(width, 1000))
		var out []string
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
			out = evaluate[[]string](b, `[...document.querySelectorAll("body, body *")].filter(e => { const r = e.getBoundingClientRect(); return r.width && r.height && (r.right > innerWidth + 0.5 || r.left < -0.5); })
				.map(e => e.tagName + "#" + e.id + "." + e.className + " " + Math.round(e.getBoundingClientRect().right)).concat(document.documentElement.scrollWidth > innerWidth ? ["the page is " + document.documentElement.scrollWidth] : [])`)
			if len(out) == 0 {
				break
			}
		}
		if len(out) > 0 {
			b.t.Errorf("%s at %d px: outside the window are %v", name, width, out)
		}
		b.picture(fmt.Sprintf("%s-%d", name, width))
	}
}
