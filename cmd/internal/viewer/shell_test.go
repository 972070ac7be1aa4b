package viewer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/viewer"
	"github.com/multiscraper/multiscraper/scraperutils/run/look"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// site is a register with a search form and a list.
func site(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch r.URL.Path {
	case "/":
		fmt.Fprint(w, `<title>Register</title><a href="/list?all=1">All applications</a> <a href="/about">About us</a>
			<form id="search" action="/list"><input name="from"><input type="radio" name="kind" value="da"><input type="radio" name="kind" value="cc"><input type="submit" name="go" value="Search"></form>`)
	case "/list":
		fmt.Fprintf(w, `<title>List</title><table class="grid"><tr><td>DA/1<td>%s %s</table>`, r.FormValue("from"), r.FormValue("kind"))
	default:
		http.NotFound(w, r)
	}
}

// script is lines of a prompt.
type script []string

func (s *script) ReadLine(context.Context) (string, error) {
	if len(*s) == 0 {
		return "", io.EOF
	}
	line := (*s)[0]
	*s = (*s)[1:]
	return line, nil
}

// shell returns a prompt on the front page of the site.
func shell(t *testing.T) (*viewer.Shell, *strings.Builder) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(site))
	t.Cleanup(server.Close)
	recorder := cassette.NewRecorder(server.Client().Transport, cassette.Options{})
	a := agent.New(agent.Config{Fetch: fetch.Config{Transport: recorder}})
	_, err := a.Get(t.Context(), server.URL+"/")
	require.NoError(t, err)
	var out strings.Builder
	s := &viewer.Shell{
		View: viewer.View{Out: &out, Tape: look.NewTape(t.Context(), recorder.Cassette(), a)}, Agent: a, Keep: recorder.Write,
		Good:  func() (*look.Tape, error) { return nil, errors.New("no good recording is kept") },
		Write: func(path string, p *agent.Page) error { return os.WriteFile(path, []byte(p.Text), 0o600) },
		Open:  func(*agent.Page) error { return errors.New("no browser") },
	}
	return s, &out
}

func TestShell(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines script
		says  []string
	}{
		{"the page that it begins with", nil, []string{"page: 200 http://", "title     Register", "forms     form#search", "fields    from | kind | go"}},
		{"list", script{"list"}, []string{"   1  200  GET  http://"}},
		{"select", script{"select a[href]"}, []string{"2 matches", `<a href="/about"> About us`}},
		{"xpath", script{"x //a/@href"}, []string{"2 matches", "/list?all=1"}},
		{"click by text", script{"click all app", "select td"}, []string{"title     List", "tables    table.grid", "<td> DA/1"}},
		{"a form", script{"set from 2026", "set kind cc", "forms", "submit Search", "sel td"}, []string{"from = 2026", "kind = cc (chosen)", "[Search]", "<td> 2026 cc"}},
		{"a form without a button", script{"set from 2027", "submit", "sel td"}, []string{"<td> 2027"}},
		{"get and back", script{"get /list?from=x", "back", "page", "back"}, []string{"title     List", "title     Register", "there is no page before"}},
		{"a page of the list", script{"page 1", "page 7", "page x"}, []string{"there is no page 7: the recording has 1 exchange", `page "x": expected a number`}},
		{"help", script{"help", "?"}, []string{"click TEXT", "no such command: ?"}},
		{"what goes wrong ends nothing", script{"nosuch", "s", "select [[", "select", "click Nowhere", "get /missing", "set nope 1", "set kind xx", "submit Nope", "diff", "open", "list"},
			[]string{"no such command: nosuch; help lists them", "s may be select or set or submit or save", "expected a CSS selector", "usage: select CSS", "no link Nowhere", "404", "no form has a field nope", `kind has no choice "xx"`,
				`there is no button "Nope"`, "no good recording is kept", "no browser", "   1  200  GET  http://"}},
		{"nothing after quit", script{"quit", "help"}, []string{"title     Register"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, out := shell(t)
			require.NoError(t, s.Run(t.Context(), &c.lines))
			for _, text := range c.says {
				assert.Contains(t, out.String(), text)
			}
			if c.name == "get and back" {
				assert.Equal(t, 3, strings.Count(out.String(), "title     Register"), "at first, after back, and as the page that it is now")
			}
			if c.name == "nothing after quit" {
				assert.NotContains(t, out.String(), "click TEXT")
			}
		})
	}
}

// What was seen at the prompt is kept: a page as a file, and all of it as a recording that can be played.
func TestShellKeeps(t *testing.T) {
	s, out := shell(t)
	folder := t.TempDir()
	page, tape := filepath.Join(folder, "page.html"), filepath.Join(folder, "icon", "tape.yml")
	require.NoError(t, s.Run(t.Context(), &script{"click All", "write " + page, "save " + tape}))
	text, err := os.ReadFile(page)
	require.NoError(t, err, out.String())
	assert.Contains(t, string(text), "<title>List</title>")
	c, err := cassette.Load(tape)
	require.NoError(t, err)
	assert.Len(t, c.Interactions, 2)
}

// A signal ends the prompt.
func TestShellEnds(t *testing.T) {
	s, _ := shell(t)
	why := errors.New("stopped by a signal")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(why)
	assert.ErrorIs(t, s.Run(ctx, &script{"help"}), why)
}

func TestComplete(t *testing.T) {
	s, _ := shell(t)
	require.NoError(t, s.Run(t.Context(), &script{}))
	for line, want := range map[string]string{
		"cl": "click ", "s": "s", "sel": "select ", "click A": "click A", "click All": "click All applications", "set fr": "set from ", "submit S": "submit Search",
		"select f": "select form#search", "nosuch x": "nosuch x", "page 1": "page 1", "": "",
	} {
		assert.Equal(t, want, s.Complete(line), line)
	}
}

// Lines of a pipe are commands as they are.
func TestPipedLines(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	fmt.Fprint(w, "list\n\nselect a")
	w.Close()
	lines := viewer.NewLines(r, io.Discard, "> ", nil)
	var all []string
	for {
		line, err := lines.ReadLine(t.Context())
		if err != nil {
			assert.ErrorIs(t, err, io.EOF)
			break
		}
		all = append(all, line)
	}
	assert.Equal(t, []string{"list", "", "select a"}, all)
}
