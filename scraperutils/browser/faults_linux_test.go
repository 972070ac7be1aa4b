package browser_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/browser"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// bad are pages that end badly, and one that does not.
var bad = map[string]string{
	"/good":   `<h1>good</h1><script>fetch("/data?good")</script>`,
	"/script": `<h1>endless</h1><script>setTimeout(() => { ENDLESS }, 100)</script>`,
	"/early":  `<h1>endless</h1><script>ENDLESS</script>`,
	"/memory": `<h1>eats</h1><img src="/never"><script>const all = []; setInterval(() => { all.push(new Uint8Array(20 << 20).fill(1)) }, 100)</script>`,
	"/crash":  `<h1>crashes</h1><img src="/never">`,
	"/frame":  `<h1>has a frame of another origin</h1><iframe src="//localhost:PORT/crash?framed"></iframe>`,
	"/slow":   `<h1>waits for an image</h1><img src="/never">`,
	"/poll":   `<h1>polls</h1><script>setInterval(() => fetch("/data?poll"), 300)</script>`,
	"/popups": `<h1>opens</h1><script>for (let i = 0; i < 20; i++) open("/good")</script>`,
}

// endless returns a script that never ends. It takes a core for itself where all tests are run, and else hardly any of one.
func endless() string {
	if testsize.Full() {
		return "for (;;);"
	}
	return `for (;;) { const nap = new XMLHttpRequest(); nap.open("GET", "/nap", false); nap.send() }`
}

// serveBad serves them, and what they ask for.
func serveBad(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch page, ok := bad[r.URL.Path]; {
		case ok:
			w.Header().Set("Content-Type", "text/html")
			_, port, _ := strings.Cut(r.Host, ":")
			fmt.Fprint(w, strings.NewReplacer("ENDLESS", endless(), "PORT", port).Replace(page))
		case r.URL.Path == "/nap":
			time.Sleep(time.Second)
		case r.URL.Path == "/never" || r.URL.Path == "/nothing":
			<-r.Context().Done()
		default:
			fmt.Fprint(w, "{}")
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// own opens a browser for one test, which may end it.
func own(t *testing.T, o browser.Options) (*browser.Browser, *troubles) {
	t.Helper()
	chromium(t)
	told := &troubles{}
	o.Path, o.AllowPrivate, o.OnTrouble = cmp.Or(o.Path, os.Getenv("BROWSER")), true, told.add
	b, err := browser.Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, b.Close()) })
	return b, told
}

// troubles are what a browser tells of its processes.
type troubles struct {
	mu  sync.Mutex
	all []error
}

func (l *troubles) add(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, err)
}

func (l *troubles) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.all)
}

// kind returns the kind of a page's error; "" for none.
func kind(t *testing.T, err error) browser.Kind {
	t.Helper()
	if err == nil {
		return ""
	}
	var failed *browser.PageError
	require.ErrorAs(t, err, &failed)
	return failed.Kind
}

// isolating returns a program that starts the browser so that frames of other sites have processes of their own, as Chromium's own window has
// them and its headless shell does not.
func isolating(t *testing.T) string {
	chromium(t)
	program := os.Getenv("BROWSER")
	for _, name := range browser.Programs {
		if path, err := exec.LookPath(name); err == nil && program == "" {
			program = path
		}
	}
	folder, err := os.MkdirTemp("", "browser")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(folder)) })
	require.NoError(t, os.Chmod(folder, 0o755)) // it is started as another user
	script := filepath.Join(folder, "isolating")
	require.NoError(t, os.WriteFile(script, fmt.Appendf(nil, "#!/bin/sh\nexec %q --site-per-process \"$@\"\n", program), 0o755))
	return script
}

// A page that fails says how, and harms no neighbor.
func TestFaultsBesideGoodPages(t *testing.T) {
	testsize.SkipUnlessFull(t) // endless scripts take all of a core: TestProcessDies has a fault
	want := map[string]browser.Kind{
		"/good": "", "/good?2": "", "/good?3": "", "/slow": "", "/poll": "", "/script": browser.KindHang, "/early": browser.KindHang,
		"/memory": browser.KindMemory, "/crash": browser.KindCrash, "/frame": browser.KindCrash,
	}
	b, told := own(t, browser.Options{Path: isolating(t), Pages: 10, Limits: browser.Limits{Load: 20 * time.Second, Memory: 400 << 20, Unresponsive: 6 * time.Second}})
	base := serveBad(t)
	got := map[string]browser.Kind{}
	var mu sync.Mutex
	var done sync.WaitGroup
	for path := range want {
		done.Go(func() {
			_, err := b.Visit(t.Context(), browser.Visit{URL: base + path})
			mu.Lock()
			defer mu.Unlock()
			got[path] = kind(t, err)
			t.Log(path, err)
		})
	}
	ended := make(chan struct{})
	go func() { done.Wait(); close(ended) }()
	for again := time.NewTicker(500 * time.Millisecond); ; {
		_ = b.Crash(t.Context(), base+"/crash") // it may not be there yet, or be on its way to another renderer
		_ = b.Crash(t.Context(), strings.Replace(base, "127.0.0.1", "localhost", 1)+"/crash?framed")
		select {
		case <-again.C:
			continue
		case <-ended:
		}
		again.Stop()
		break
	}
	assert.Equal(t, want, got)
	assert.Zero(t, told.count(), "the process is the same: %v", told.all)
	assert.Empty(t, b.Status())
	process := b.Process()
	assert.Eventually(t, func() bool { return browser.Renderers(process) <= 2 }, 30*time.Second, 50*time.Millisecond, "those that hung are gone")
}

// A page opens ten windows at most, and goes on where there are no more.
func TestWindows(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestRequests has a page with a window
	t.Parallel()
	f := chromium(t)
	result, err := f.Visit(t.Context(), browser.Visit{URL: f.name(serveBad(t)) + "/popups"})
	require.NoError(t, err)
	assert.Equal(t, 1+2*9, result.Requests)
}

// Where the browser dies, its pages are to be tried again, and the next ones have another.
func TestProcessDies(t *testing.T) {
	t.Parallel()
	pages := testsize.Of(1, 3)
	b, told := own(t, browser.Options{Pages: pages})
	base := serveBad(t)
	var done sync.WaitGroup
	for range pages {
		done.Go(func() {
			_, err := b.Visit(t.Context(), browser.Visit{URL: base + "/nothing"})
			assert.Equal(t, browser.KindGone, kind(t, err))
		})
	}
	require.Eventually(t, func() bool { return loading(b) == pages }, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, syscall.Kill(b.Process(), syscall.SIGKILL))
	done.Wait()
	assert.Equal(t, 1, told.count(), "%v", told.all)
	result, err := b.Visit(t.Context(), browser.Visit{URL: base + "/good"})
	require.NoError(t, err)
	assert.Equal(t, 2, result.Requests)

	last := b.Process() // it may also die while nobody uses it
	require.NoError(t, syscall.Kill(last, syscall.SIGKILL))
	require.Eventually(t, func() bool { return !alive(last) }, 30*time.Second, time.Millisecond)
	require.Eventually(t, func() bool { // a page may be quicker than the news
		_, err := b.Visit(t.Context(), browser.Visit{URL: base + "/good", WithoutBehaviors: true})
		if err != nil {
			assert.Equal(t, browser.KindGone, kind(t, err))
		}
		return err == nil
	}, 30*time.Second, time.Millisecond)
	assert.Equal(t, 2, told.count(), "%v", told.all)
}

func loading(b *browser.Browser) int {
	n := 0
	for _, s := range b.Status() {
		if s.Phase == browser.PhaseLoading {
			n++
		}
	}
	return n
}

// A process is replaced after its pages, while others are open.
func TestProcessIsReplaced(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestProcessDies has a second process
	t.Parallel()
	b, told := own(t, browser.Options{Pages: 2, PagesPerProcess: 2})
	base := serveBad(t)
	seen := map[int]bool{}
	const rounds = 3
	for range rounds {
		var done sync.WaitGroup
		for range 2 {
			done.Go(func() {
				_, err := b.Visit(t.Context(), browser.Visit{URL: base + "/good", WithoutBehaviors: true})
				assert.NoError(t, err)
			})
		}
		require.Eventually(t, func() bool { return len(b.Status()) == 2 }, 30*time.Second, time.Millisecond)
		seen[b.Process()] = true
		done.Wait()
	}
	assert.Len(t, seen, rounds)
	assert.Zero(t, told.count())
}

// A page is given up with its context, or when the browser is closed, and the others with it.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	b, _ := own(t, browser.Options{Pages: 1})
	base := serveBad(t)
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		_, err := b.Visit(ctx, browser.Visit{URL: base + "/nothing"})
		assert.ErrorIs(t, err, context.Canceled)
	})
	require.Eventually(t, func() bool { return loading(b) == 1 }, 30*time.Second, 10*time.Millisecond)
	short, end := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer end()
	_, err := b.Visit(short, browser.Visit{URL: base + "/good"})
	assert.ErrorIs(t, err, context.DeadlineExceeded, "it waits for its turn")
	cancel()
	done.Wait()
	done.Go(func() {
		_, err := b.Visit(t.Context(), browser.Visit{URL: base + "/nothing"})
		assert.Equal(t, browser.KindGone, kind(t, err))
	})
	require.Eventually(t, func() bool { return loading(b) == 1 }, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, b.Close())
	done.Wait()
	_, err = b.Visit(t.Context(), browser.Visit{URL: base + "/good"})
	assert.Equal(t, browser.KindGone, kind(t, err))
}
