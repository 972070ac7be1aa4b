package browsecmd_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/crawlcmd"
	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// register is a site whose records, and links, only a script writes.
func register(t testing.TB) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := 1
		_, _ = fmt.Sscanf(r.URL.Path, "/page/%d", &page)
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(w, r)
		case "/start":
			http.Redirect(w, r, "/page/1", http.StatusFound)
		case "/records":
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `["%[1]s/1","%[1]s/2"]`, r.URL.Query().Get("page"))
		default:
			_, _ = io.WriteString(w, `<!doctype html><title>register</title><table id=all></table><script>fetch('/records?page=`+fmt.Sprint(page)+`').then(r => r.json()).then(all => {
				for (const a of all) document.getElementById('all').insertAdjacentHTML('beforeend', '<tr class=record><td>' + a + '</td></tr>');
				if (`+fmt.Sprint(page)+` < 3) document.body.insertAdjacentHTML('beforeend', '<a class=next href=/page/`+fmt.Sprint(page+1)+`>next</a>') })</script>`)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// renderer is the command that renders pages of this machine.
func renderer() []string {
	return []string{"env", asCommand + "=1", "BROWSE_ALLOW_PRIVATE=1", os.Args[0], "render"}
}

// records scrapes the register over a network.
func records(t *testing.T, n *egress.Network, s egress.Site) (all []string, err error) {
	t.Helper()
	session, err := n.Open(s, nil)
	require.NoError(t, err)
	defer func() { _, e := session.Close(err); require.NoError(t, e) }()
	page, err := session.Agent.Get(t.Context(), s.URL)
	for err == nil {
		document, err := page.Document()
		require.NoError(t, err)
		for _, r := range document.Find("tr.record").EachIter() {
			all = append(all, r.Text())
		}
		next, ok := document.Find("a.next").Attr("href")
		if !ok {
			return all, nil
		}
		if page, err = session.Agent.Get(t.Context(), strings.TrimSuffix(s.URL, "/start")+next); err != nil {
			return all, err
		}
	}
	return all, err
}

// Records that only a script writes are had with render: true, recorded like any other, and replayed without a browser.
func TestRenderedPagesAreRecordedLikeOthers(t *testing.T) {
	needBrowser(t)
	site, tapes := register(t), t.TempDir()
	s := egress.Site{Label: "scripted", Platform: "test", URL: site.URL + "/start", Render: true}
	open := func(c egress.Config) *egress.Network {
		c.Log = zerolog.Nop()
		n := egress.New(c)
		t.Cleanup(func() { require.NoError(t, n.Close()) })
		return n
	}
	all := []string{"1/1", "1/2", "2/1", "2/2", "3/1", "3/2"}
	got, err := records(t, open(egress.Config{Record: tapes, Render: renderer()}), s)
	require.NoError(t, err)
	assert.Equal(t, all, got)

	site.Close()
	got, err = records(t, open(egress.Config{Replay: tapes, Render: []string{"/no/such/program"}}), s)
	require.NoError(t, err)
	assert.Equal(t, all, got)
}

func TestOnePageMayBeRendered(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestRenderedPagesAreRecordedLikeOthers renders pages
	needBrowser(t)
	site := register(t)
	n := egress.New(egress.Config{Render: renderer(), Log: zerolog.Nop()})
	defer n.Close()
	session, err := n.Open(egress.Site{Label: "scripted", URL: site.URL}, nil)
	require.NoError(t, err)
	defer session.Close(nil)
	for _, c := range []struct {
		options []agent.RequestOption
		records int
	}{{nil, 0}, {[]agent.RequestOption{agent.Rendered()}, 2}} {
		page, err := session.Agent.Get(t.Context(), site.URL+"/page/1", c.options...)
		require.NoError(t, err)
		document, err := page.Document()
		require.NoError(t, err)
		assert.Equal(t, c.records, document.Find("tr.record").Length())
	}
}

// A crawl that renders finds the links that scripts write.
func TestACrawlThatRenders(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestRenderedPagesAreRecordedLikeOthers renders pages
	needBrowser(t)
	site, folder := register(t), t.TempDir()
	program := "#!/bin/sh\nexec " + strings.Join(renderer()[:4], " ") + " \"$@\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "browse"), []byte(program), 0o700))
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	var out, complaints bytes.Buffer
	code := crawlcmd.Main([]string{"--render", "--no-delay", "--frontier", filepath.Join(folder, "frontier.sqlite"), "--jsonl", filepath.Join(folder, "pages.jsonl"), site.URL + "/start"},
		nil, &out, &complaints)
	require.Zero(t, code, "%s%s", &out, &complaints)
	pages, err := os.ReadFile(filepath.Join(folder, "pages.jsonl"))
	require.NoError(t, err)
	for n := 1; n <= 3; n++ {
		assert.Contains(t, string(pages), fmt.Sprintf("%d/2</td>", n))
	}
}
