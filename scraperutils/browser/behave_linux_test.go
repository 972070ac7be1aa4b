package browser_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/browser"
	"github.com/multiscraper/multiscraper/scraperutils/browser/behavior"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// acted is a page, what is done with it, and what it asks for when that is done. It says so itself by say(what), and only of real input.
type acted struct {
	page       string
	behavior   string         // YAML of the actions; "" is the built-in behavior
	parameters map[string]any // of a message
	want       []string       // in alphabetical order
	links      []string       // paths
}

const tall = `<div style="height: 5000px"></div>`

var behaviors = map[string]acted{
	"clicks each once": {
		page: `<button class=x>1</button><button class=x>2</button>` + tall + `<button class=x>3</button>
			<script>document.querySelectorAll(".x").forEach(e => e.onclick = e2 => e2.isTrusted && say("click" + e.textContent))</script>`,
		behavior: `[{selector: .x}]`,
		want:     []string{"click1", "click2", "click3"},
	},
	"hovers": {
		page:     `<ul><li id=m>Menu</li></ul><script>m.onmouseenter = e => e.isTrusted && say("over")</script>`,
		behavior: `[{selector: '#m', do: mouseover}]`,
		want:     []string{"over"},
	},
	"more, until it is gone": {
		page:     `<button id=b>Load more</button><script>let n = 0; b.onclick = () => { say("more" + ++n); if (n === 4) b.remove() }</script>`,
		behavior: `[{selector: '#b', repeatSameElement: true}]`,
		want:     []string{"more1", "more2", "more3", "more4"},
	},
	"up to a limit": {
		page:     `<button id=b>Load more</button><script>let n = 0; b.onclick = () => say("more" + ++n)</script>`,
		behavior: `[{selector: '#b', repeatSameElement: true, limit: 2}]`,
		want:     []string{"more1", "more2"},
	},
	"until something shows": {
		page:     `<button id=b>Next</button><p id=end hidden>The end</p><script>let n = 0; b.onclick = () => { say("next" + ++n); if (n === 3) end.hidden = false }</script>`,
		behavior: `[{selector: '#b', repeatUntilSelector: '#end'}]`,
		want:     []string{"next1", "next2", "next3"},
	},
	"closes and removes what is in the way": {
		page: `<div id=banner style="position:fixed;inset:0;background:#fff;z-index:5">cookies</div>
			<div id=modal style="position:fixed;inset:0;background:#eee;z-index:4"><button id=close>x</button></div><button id=b>b</button>
			<script>close_ = document.getElementById("close"); close_.onclick = e => { if (e.isTrusted) say("closed"); modal.remove() };
			b.onclick = e => e.isTrusted && say("clicked")</script>`,
		behavior: `[{selector: '#b', closeSelector: '#close', rmSelector: '#banner'}]`,
		want:     []string{"clicked", "closed"},
	},
	"children of what was clicked": {
		page: `<button class=tab>a</button><button class=tab>b</button><div id=list></div><script>
			document.querySelectorAll(".tab").forEach(e => e.onclick = () => {
				list.innerHTML = "<button class=child>" + e.textContent + "1</button><button class=child>" + e.textContent + "2</button>";
				list.querySelectorAll("button").forEach(c => c.onclick = () => { say(c.textContent); c.remove() })
			})</script>`,
		behavior: `[{selector: .tab, childSelector: .child}]`,
		want:     []string{"a1", "a2", "b1", "b2"},
	},
	"takes links before they are gone": {
		page: `<button id=b>page</button><div id=list></div><script>let n = 0;
			b.onclick = () => { list.innerHTML = "<a href='/linked" + ++n + "#part'>x</a>"; if (n === 3) { b.remove(); setTimeout(() => list.innerHTML = "", 1500) } }</script>`,
		behavior: `[{selector: '#b', repeatSameElement: true, extractOutlinks: true}]`,
		want:     []string{},
		links:    []string{"/linked1", "/linked2", "/linked3"},
	},
	"does what the message says": {
		page:       `<button id=b>b</button><button id=c>c</button><script>b.onclick = () => say("b"); c.onclick = () => say("c")</script>`,
		behavior:   `[{selector: '#b'}]`,
		parameters: map[string]any{"actions": []any{map[string]any{"selector": "#c"}}, "interval": 10.0},
		want:       []string{"c"},
	},
	"in frames of other origins": {
		page:     `<p>above</p><iframe src="//localhost:PORT/framed" width=300 height=200 style="margin: 100px"></iframe>`,
		behavior: `[{selector: '.x'}, {selector: .y, do: mouseover}]`,
		want:     []string{"framed", "framed-over", "nested"},
	},
	"out of reach of the page's scripts": {
		page: `<script>document.querySelectorAll = () => []; Element.prototype.scrollIntoView = () => say("caught"); JSON.stringify = () => "null"; WeakSet = null;
			document.elementFromPoint = () => null</script><button id=b>b</button><script>b.onclick = e => e.isTrusted && say("b")</script>`,
		behavior: `[{selector: '#b'}]`,
		want:     []string{"b"},
	},
	"scrolls what scrolls inside": {
		page: `<style>body{margin:0;overflow:hidden}</style><main style="height:100vh;overflow-y:auto">` + tall + `<p id=end>end</p></main>
			<script>new IntersectionObserver(s => s.some(e => e.isIntersecting) && say("end")).observe(end)</script>`,
		want: []string{"end"},
	},
	"opens what says more": {
		page: `<button class="load-more" id=b>Load more</button><details><summary id=s>s</summary>text</details><video id=v></video>
			<nav><ul><li id=m>menu<ul><li>x</li></ul></li></ul></nav><a class=more href="/away">more</a>
			<script>b.onclick = () => { say("more"); b.remove() }; s.onclick = () => say("details"); m.onmouseenter = () => say("menu");
			v.play = () => { say("play"); return Promise.resolve() }; addEventListener("beforeunload", () => say("left"))</script>`,
		want: []string{"details", "menu", "more"},
	},
}

// framed is a frame of another origin with one of its own.
const framed = `<button class=x>in</button><b class=y>over</b><iframe src="/nested" width=200 height=100></iframe>
	<script>document.querySelector(".x").onclick = e => e.isTrusted && say("framed"); document.querySelector(".y").onmouseenter = e => e.isTrusted && say("framed-over")</script>`

const nested = `<button class=x>deep</button><script>document.querySelector(".x").onclick = e => e.isTrusted && say("nested")</script>`

// quickBehaviors are those that are tried where not all tests are run: what was asked for, in frames too, and what is built in.
var quickBehaviors = []string{"until something shows", "in frames of other origins", "opens what says more"}

// Behaviors act on pages as people do.
func TestBehaviors(t *testing.T) {
	t.Parallel()
	behaviors := maps.Clone(behaviors)
	if !testsize.Full() {
		maps.DeleteFunc(behaviors, func(name string, _ acted) bool { return !slices.Contains(quickBehaviors, name) })
		require.Len(t, behaviors, len(quickBehaviors))
	}
	stages := map[string]*stage{}
	var entries strings.Builder
	for name, c := range behaviors {
		s := setStage(t, c.page)
		stages[name] = s
		fmt.Fprintf(&entries, "- url_regex: ^%s/\n", s.URL)
		if c.behavior != "" {
			fmt.Fprintf(&entries, "  default_parameters: {interval: 100, actions: %s}\n", c.behavior)
		}
	}
	set, err := behavior.Parse([]byte(entries.String()))
	require.NoError(t, err)
	b, told := own(t, browser.Options{Pages: 4, Behaviors: set, Limits: browser.Limits{Behaviors: 30 * time.Second}})
	var all sync.WaitGroup
	for name, c := range behaviors {
		all.Go(func() { c.try(t, b, name, stages[name]) })
	}
	all.Wait()
	assert.Zero(t, told.count(), "%v", told.all)
}

// stage serves a page, and hears what it says.
type stage struct {
	*httptest.Server
	page string

	mu   sync.Mutex // guards the rest
	said []string
}

func setStage(t *testing.T, page string) *stage {
	s := &stage{page: page, said: []string{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if what, ok := strings.CutPrefix(r.URL.Path, "/said/"); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.said = append(s.said, what)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	page := map[string]string{"/framed": framed, "/nested": nested, "/": s.page}[r.URL.Path]
	_, port, _ := strings.Cut(r.Host, ":")
	_, _ = io.WriteString(w, `<!DOCTYPE html><script>function say(what) { fetch("/said/" + what) }</script>`+strings.ReplaceAll(page, "PORT", port))
}

// try opens the page and compares what it says and where it leads.
func (c acted) try(t *testing.T, b *browser.Browser, name string, s *stage) {
	result, err := b.Visit(t.Context(), browser.Visit{URL: s.URL + "/", Parameters: c.parameters, Outlinks: c.links != nil})
	if !assert.NoError(t, err, name) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.said)
	assert.Equal(t, c.want, s.said, name)
	for i := range result.Outlinks {
		result.Outlinks[i] = strings.TrimPrefix(result.Outlinks[i], s.URL)
	}
	assert.Equal(t, c.links, result.Outlinks, name)
}

// A page is left alone where that is asked for.
func TestWithoutBehaviors(t *testing.T) {
	t.Parallel()
	f := chromium(t)
	s := f.serve(t)
	result, err := f.Visit(t.Context(), browser.Visit{URL: s.URL("http", "click"), WithoutBehaviors: true})
	require.NoError(t, err)
	assert.Equal(t, 1, result.Requests)
}
